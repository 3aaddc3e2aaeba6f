// Words of all store ports of a slice: stands behind pixel_pack.glsl.
#ifdef LAYERS
uniform sampler2DArray source;
#else
uniform sampler2D source;
#endif
uniform int every;       // samples along each axis that have quads of their own, or layers
uniform ivec4 lies[16];  // of sample (x, y), at x % every + every * (y % every): the texel of the
                         // first of these, layer and component
uniform int plane_rows;  // texels from one plane to the next
layout(location = 0) out highp uvec4 result;

float value_at(int x, int y, int channel)
{
    ivec4 first = lies[x % every + every * (y % every)];
    ivec2 at = first.xy + ivec2(x, y) / every + ivec2(0, channel * plane_rows);
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
