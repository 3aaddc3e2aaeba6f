// Copies the reconstruction of the level above to the R channel (LL) of this level's quads: the
// source's quads have 2x2 samples each. Follows extend.glsl and plane.glsl.
uniform sampler2D source;
uniform ivec2 offset;      // from the fragment's texel to its quad
uniform ivec2 source_zero; // texel of quad (0, 0)
uniform ivec2 size;        // samples of this level
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = 2 * (fragment_in_plane() + offset);
    ivec2 low = ivec2(extend(p.x, size.x), extend(p.y, size.y)) / 2;
    vec4 quad = texelFetch(source, source_zero + plane_in_source() + low / 2, 0);
    vec2 row = low.y % 2 == 0 ? quad.rg : quad.ba;
    result = vec4(low.x % 2 == 0 ? row.r : row.g);
}
