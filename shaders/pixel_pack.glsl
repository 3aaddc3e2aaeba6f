// Integers and halves of a caller's memory, in words of 32 bits: word i is texel
// (i % 2^words.x, i / 2^words.x) of a texture. Each row of an image begins with a new word; samples
// of a pixel are contiguous. With READ_WORDS words are converted to floats; without it, to words
// from value_at(), which the source that follows defines.
uniform ivec4 words; // see above; words per row; log2 of the samples per word; samples per pixel
uniform ivec2 image; // samples of a plane along x and y
#ifdef GROUP
uniform int group; // planes that are packed together, one after the other
#define ROWS (image.y * group)
#else
#define ROWS image.y
#endif
// How far sample s of a row is shifted in its word.
int shift_of(int s)
{
    int last = (1 << words.z) - 1;
#ifdef BIG_ENDIAN
    return (last - (s & last)) << (5 - words.z);
#else
    return (s & last) << (5 - words.z);
#endif
}

#ifdef READ_WORDS
uniform highp usampler2D source;
uniform highp usampler2D table; // the value of each number, as bits of a float; 256 per row

float sample_of(int x, int y, int channel)
{
    int s = x * words.w + channel, i = y * words.y + (s >> words.z);
    uint word = texelFetch(source, ivec2(i & ((1 << words.x) - 1), i >> words.x), 0).r;
    int number = int(word >> shift_of(s)) & ((1 << (32 >> words.z)) - 1);
    return uintBitsToFloat(texelFetch(table, ivec2(number & 255, number >> 8), 0).r);
}
#else
uniform vec4 scale; // of integers: the number for 1 and the largest one; the smallest and largest
                    // value that is not lost. Of halves the largest number is 0

const uint INFINITE = 0x7f800000u; // larger ones are NaNs

float value_at(int x, int y, int channel);

// to_f16() of src/transform/element_rows.h. Values below the smallest normal half are multiples of
// 2^-24.
uint half_of(uint bits)
{
    uint size = bits & 0x7fffffffu, even = (size >> 13) & 1u;
    uint subnormal = uint(roundEven(uintBitsToFloat(size) * 16777216.0));
    uint normal = (size - (112u << 23) + 0xfffu + even) >> 13;
    uint special = size > INFINITE ? 0x7e00u | ((size >> 13) & 0x3ffu) : 0x7c00u;
    return ((bits >> 16) & 0x8000u) |
           (size < (113u << 23) ? subnormal : size < (143u << 23) ? normal : special);
}

// to_integer() of src/transform/element_rows.h. NaN is 0.
uint number_of(float value)
{
    uint bits = floatBitsToUint(value);
    if (scale.y == 0.0)
        return half_of(bits);
    float scaled = (bits & 0x7fffffffu) > INFINITE ? 0.0 : value * scale.x;
    return uint(clamp(scaled, 0.0, scale.y) + 0.5);
}

uint word_of(int i)
{
    int y = i / words.y, first = (i - y * words.y) << words.z;
    uint word = 0u;
    for (int s = first; s < first + (1 << words.z); s++) {
        int x = s / words.w;
        if (x < image.x && y < ROWS)
            word |= number_of(value_at(x, y, s - x * words.w)) << shift_of(s);
    }
    return word;
}

// Counts the lost samples of COUNTED_WORDS words, those of part i: values outside the range of
// integers, plus 2^16 times the NaNs.
uint lost_of(int i)
{
    uint lost = 0u;
    for (int k = 0; k < COUNTED_WORDS; k++) {
        int word = COUNTED_WORDS * i + k;
        int y = word / words.y, first = (word - y * words.y) << words.z;
        for (int s = first; s < first + (1 << words.z); s++) {
            int x = s / words.w;
            if (x >= image.x || y >= ROWS)
                continue;
            float value = value_at(x, y, s - x * words.w);
            bool no_number = (floatBitsToUint(value) & 0x7fffffffu) > INFINITE;
            lost += no_number ? 0x10000u : value < scale.z || value > scale.w ? 1u : 0u;
        }
    }
    return lost;
}

// Texel p of the words, or of the counts.
uvec4 texel_of(ivec2 p)
{
    int i = (p.y << words.x) + p.x;
#ifdef LOST
    return uvec4(lost_of(i));
#else
    return uvec4(word_of(i));
#endif
}
#endif
