// Copies the texels of a canvas that are not transparent to the same pixels.
uniform sampler2D source;
layout(location = 0) out vec4 result;

void main()
{
    result = texelFetch(source, ivec2(gl_FragCoord.xy), 0);
    if (result.a == 0.0)
        discard;
}
