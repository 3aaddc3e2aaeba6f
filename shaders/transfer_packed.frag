// Words of all store transfers of a slice. Follows pixel_pack.glsl.
#ifdef LAYERS
uniform sampler2DArray source;
#else
uniform sampler2D source;
#endif
uniform int every;       // samples along each axis that are in different quads or layers
uniform ivec4 first_texel[16]; // for sample (x, y), at x % every + every * (y % every): the texel
                               // of the first such sample, layer and component
uniform ivec3 planes;    // distances of planes in texels along x and y, planes per column
layout(location = 0) out highp uvec4 result;

float value_at(int x, int y, int channel)
{
#ifdef GROUP
    channel = y / image.y;
    y -= channel * image.y;
#endif
    ivec4 first = first_texel[x % every + every * (y % every)];
#ifdef COLUMNS
    ivec2 plane = ivec2(channel / planes.z, channel % planes.z);
#else
    ivec2 plane = ivec2(0, channel);
#endif
    ivec2 at = first.xy + ivec2(x, y) / every + plane * planes.xy;
#ifdef LAYERS
    return texelFetch(source, ivec3(at, first.z), 0)[first.w];
#else
    return texelFetch(source, at, 0)[first.w];
#endif
}

void main()
{
    result = texel_of(ivec2(gl_FragCoord.xy));
}
