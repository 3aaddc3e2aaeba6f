// Quads of a load port, of samples or coefficients that lie in one channel of a texture, or with
// READ_WORDS of a pixel in words; wp_port_load() takes them from memory. Stands behind extend.glsl,
// words.glsl if that is wanted, and stored(), which rounds to what the target holds.
uniform int channel;
#ifndef READ_WORDS
uniform sampler2D source;

float sample_of(int x, int y, int channel)
{
    return texelFetch(source, ivec2(x, y), 0)[channel];
}
#endif
uniform ivec2 offset;  // from the fragment's texel to its quad
uniform ivec2 size;    // samples of the level
uniform ivec4 band[4]; // of a component: x and y of its first sample, and the distance from one to
                       // the next; 0: it is loaded as zero
layout(location = 0) out vec4 result;

float sample_at(int x, int y)
{
    ivec2 p = ivec2(extend(x, size.x), extend(y, size.y));
    ivec4 from = band[p.x % 2 + 2 * (p.y % 2)];
    if (p.x < 0 || p.y < 0 || from.z == 0)
        return 0.0;
    ivec2 at = from.xy + from.z * (p / 2);
    return sample_of(at.x, at.y, channel);
}

void main()
{
    ivec2 p = 2 * (ivec2(gl_FragCoord.xy) + offset);
    result = stored(vec4(sample_at(p.x, p.y), sample_at(p.x + 1, p.y),
                         sample_at(p.x, p.y + 1), sample_at(p.x + 1, p.y + 1)));
}
