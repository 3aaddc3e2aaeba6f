// Sums over a band, or over the difference of two, in two draws. VARIANT 0: each texel sums every
// stride-th sample along both axes. VARIANT 1: each texel adds a block of these sums. Texels are
// the smallest sample, the largest, the sum, the sum of squares. Follows texels.glsl.
uniform sampler2D source;
uniform int counting;    // 1: the number of nonzero samples replaces the smallest

#if VARIANT == 0
uniform sampler2D other;
uniform ivec4 origin;    // texels of quad (0, 0): source, other
uniform ivec2 size;      // samples
uniform int component;   // 0..3: of each quad; 4: all four, at their positions in the image
uniform int difference;  // 1: source - other
uniform ivec2 stride;    // the number of texels along both axes
uniform vec4 to_other;   // sample p - other sample floor(p * xy + zw); 0: both of one size
uniform ivec2 other_size;

ivec2 in_other(ivec2 p)
{
    ivec2 at = ivec2(floor(vec2(p) * to_other.xy + to_other.zw));
    return to_other.x == 0.0 ? p : clamp(at, ivec2(0), other_size - 1);
}

float value_at(sampler2D texture_of_quads, ivec2 first, ivec2 p)
{
    if (component < 4)
        return texelFetch(texture_of_quads, first + p, 0)[component];
    return texelFetch(texture_of_quads, first + p / 2, 0)[p.x % 2 + 2 * (p.y % 2)];
}

vec4 texel_at(ivec2 start)
{
    vec4 sums = vec4(3.0e38, -3.0e38, 0.0, 0.0);
    float count = 0.0;
    for (int y = start.y; y < size.y; y += stride.y) {
        for (int x = start.x; x < size.x; x += stride.x) {
            float v = value_at(source, origin.xy, ivec2(x, y));
            if (difference != 0)
                v -= value_at(other, origin.zw, in_other(ivec2(x, y)));
            sums = vec4(min(sums.x, v), max(sums.y, v), sums.z + v, sums.w + v * v);
            count += v != 0.0 ? 1.0 : 0.0;
        }
    }
    if (counting != 0)
        sums.x = count;
    return sums;
}
#else
uniform ivec2 block;     // sums of the first draw per texel
uniform ivec2 corner;    // the first texel

vec4 texel_at(ivec2 p)
{
    ivec2 first = (p - corner) * block;
    vec4 sums = vec4(counting != 0 ? 0.0 : 3.0e38, -3.0e38, 0.0, 0.0);
    for (int y = 0; y < block.y; y++) {
        for (int x = 0; x < block.x; x++) {
            vec4 v = texelFetch(source, first + ivec2(x, y), 0);
            sums = vec4(counting != 0 ? sums.x + v.x : min(sums.x, v.x), max(sums.y, v.y),
                        sums.zw + v.zw);
        }
    }
    return sums;
}
#endif
