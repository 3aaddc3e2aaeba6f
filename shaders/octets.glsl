// Access to octets for copies between levels of a volume. Follows extend.glsl. Even and odd slices
// are in different textures; layers are octets along z.
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
flat in ivec2 drawn;       // x: index of the octet along z among those that a draw writes
uniform ivec3 offset;      // from the fragment's texel and drawn.x to its octet
uniform ivec3 source_zero; // texel of octet (0, 0, 0) in the sources
uniform ivec3 size;        // samples of the level
uniform ivec3 split;       // 1: the axis is transformed, 0: it is not

ivec3 extend3(ivec3 i)
{
    return ivec3(extend(i.x, size.x), extend(i.y, size.y), extend(i.z, size.z));
}

// A component of an octet of the sources.
float fetch(ivec3 octet, ivec3 bit)
{
    ivec3 p = source_zero + octet;
    vec4 quad = bit.z == 0 ? texelFetch(source_even, p, 0) : texelFetch(source_odd, p, 0);
    return quad[bit.x + 2 * bit.y];
}
