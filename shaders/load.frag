// Quads of a load transfer, read from a texture of quads. Follows extend.glsl, texels.glsl and
// stored(), which rounds to the precision of the target.
uniform sampler2D source;
uniform ivec2 origin; // texel of quad (0, 0) in the source
uniform ivec2 offset; // from the texel to its quad
uniform ivec2 size;   // samples of the level
uniform vec4 used;    // 0: the component is loaded as zero, else 1

float sample_at(int x, int y)
{
    ivec2 p = ivec2(extend(x, size.x), extend(y, size.y));
    if (p.x < 0 || p.y < 0)
        return 0.0;
    return texelFetch(source, origin + p / 2, 0)[p.x % 2 + 2 * (p.y % 2)];
}

vec4 texel_at(ivec2 at)
{
    ivec2 p = 2 * (at + offset);
    return used * stored(vec4(sample_at(p.x, p.y), sample_at(p.x + 1, p.y),
                                sample_at(p.x, p.y + 1), sample_at(p.x + 1, p.y + 1)));
}
