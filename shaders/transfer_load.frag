// Quads of a load transfer, of samples or coefficients in one channel of a texture, or with
// READ_WORDS in words of a pixel (wp_transfer_load() copies them from memory). Follows extend.glsl,
// with READ_WORDS pixel_pack.glsl, with GROUP for many planes, and stored(), which rounds to the
// precision of the target.
uniform int channel;
#ifndef READ_WORDS
uniform sampler2D source;
uniform int integers; // the largest integer of the channel, 255 or 65535; 0 for floats
uniform bool integer_samples;   // integers are not scaled, instead of number / largest

// number / integers, rounded to nearest. The binary fraction repeats the bits of the number, so its
// leading bits are those of a rotated word of repetitions.
float fraction_of(uint number)
{
    uint word = number * (integers == 255 ? 0x01010101u : 0x00010001u);
    int length = int(floatBitsToUint(float(number)) >> 23) - 126, bits = integers == 255 ? 8 : 16;
    int zeros = bits - length;
    uint from_first = zeros == 0 ? word : (word << zeros) | (word >> (32 - zeros));
    uint mantissa = (from_first >> 8) + ((from_first >> 7) & 1u);
    return number == 0u ? 0.0 : uintBitsToFloat((uint(125 - zeros) << 23) + mantissa);
}

float sample_of(int x, int y, int channel)
{
    float texel = texelFetch(source, ivec2(x, y), 0)[channel];
    if (integers == 0)
        return texel;
    // The float of a device for an integer may differ in the last bits.
    uint number = uint(texel * float(integers) + 0.5);
    return integer_samples ? float(number) : fraction_of(number);
}
#endif
uniform ivec2 offset;  // from the fragment's texel to its quad
uniform ivec2 size;    // samples of the level
uniform ivec4 band[4]; // of a component: x and y of its first sample, and the distance between
                       // samples; 0: it is loaded as zero
#ifdef GROUP
flat in ivec2 plane;   // column and row
uniform ivec3 planes;  // distances of planes in texels along x and y, planes per column
#define POSITION (ivec2(gl_FragCoord.xy) - plane * planes.xy)
#else
#define POSITION ivec2(gl_FragCoord.xy)
#endif

layout(location = 0) out vec4 result;

// A sample of a component.
float sample_from(ivec4 from, ivec2 index)
{
    if (from.z == 0)
        return 0.0;
    ivec2 at = from.xy + from.z * index;
#ifdef GROUP
    at.y += (plane.x * planes.z + plane.y) * image.y;
#endif
    return sample_of(at.x, at.y, channel);
}

#ifdef ALIGNED
// Redundant banks: the bands of a sample.
void main()
{
    ivec2 p = POSITION + offset;
    result = stored(vec4(sample_from(band[0], p), sample_from(band[1], p), sample_from(band[2], p),
                         sample_from(band[3], p)));
}
#else
float sample_at(int x, int y)
{
    ivec2 p = ivec2(extend(x, size.x), extend(y, size.y));
    return p.x < 0 || p.y < 0 ? 0.0 : sample_from(band[p.x % 2 + 2 * (p.y % 2)], p / 2);
}

void main()
{
    ivec2 p = 2 * (POSITION + offset);
    result = stored(vec4(sample_at(p.x, p.y), sample_at(p.x + 1, p.y),
                         sample_at(p.x, p.y + 1), sample_at(p.x + 1, p.y + 1)));
}
#endif
