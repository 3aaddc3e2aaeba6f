// Sums over a band, or over the difference of two: each of 64 x 64 fragments takes every 64th
// sample along both axes.
uniform sampler2D source, other;
uniform ivec4 place;     // texels of quad (0, 0): source, other
uniform ivec2 size;      // samples
uniform int component;   // 0..3: of each quad; 4: all four, where they lie in the image
uniform int difference;  // source - other
uniform int counting;    // how many are not zero, in place of the smallest
uniform ivec2 corner;    // texel of the first fragment
layout(location = 0) out vec4 result; // smallest, largest, sum, sum of squares

float value_at(sampler2D texture_of_quads, ivec2 first, ivec2 p)
{
    if (component < 4)
        return texelFetch(texture_of_quads, first + p, 0)[component];
    return texelFetch(texture_of_quads, first + p / 2, 0)[p.x % 2 + 2 * (p.y % 2)];
}

void main()
{
    ivec2 start = ivec2(gl_FragCoord.xy) - corner;
    vec4 sums = vec4(3.0e38, -3.0e38, 0.0, 0.0);
    float count = 0.0;
    for (int y = start.y; y < size.y; y += 64) {
        for (int x = start.x; x < size.x; x += 64) {
            float v = value_at(source, place.xy, ivec2(x, y));
            if (difference != 0)
                v -= value_at(other, place.zw, ivec2(x, y));
            sums = vec4(min(sums.x, v), max(sums.y, v), sums.z + v, sums.w + v * v);
            count += v != 0.0 ? 1.0 : 0.0;
        }
    }
    if (counting != 0)
        sums.x = count;
    result = sums;
}
