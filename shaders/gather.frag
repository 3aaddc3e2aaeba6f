// Computes the quads of the next level: 2x2 samples from the R channel (LL) of the level above.
// Follows extend.glsl and plane.glsl.
uniform sampler2D source;
uniform ivec2 offset;      // from the fragment's texel to its quad
uniform ivec2 source_zero; // texel of sample (0, 0)
uniform ivec2 size;        // samples of the level
layout(location = 0) out vec4 result;

float sample_at(int x, int y)
{
    ivec2 p = ivec2(extend(x, size.x), extend(y, size.y));
    ivec2 zero = source_zero + plane_in_source();
    return p.x < 0 || p.y < 0 ? 0.0 : texelFetch(source, zero + p, 0).r;
}

void main()
{
    ivec2 p = 2 * (fragment_in_plane() + offset);
    result = vec4(sample_at(p.x, p.y), sample_at(p.x + 1, p.y),
                  sample_at(p.x, p.y + 1), sample_at(p.x + 1, p.y + 1));
}
