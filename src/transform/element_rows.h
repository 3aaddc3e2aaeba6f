// The functions of struct wp_element_rows, or with ELEMENT_F64 of struct wp_element_rows_f64. The
// including file defines ELEMENT_ROWS, the name of the table, and is compiled for a set of
// processors; products and sums must not be fused.
#include "elements.h"

#include <stdint.h>
#include <string.h>

// The caller's memory may have any effective type.
typedef uint8_t element_u8 __attribute__((may_alias));
typedef uint16_t element_u16 __attribute__((may_alias));
typedef uint16_t element_f16 __attribute__((may_alias));
typedef uint16_t element_bf16 __attribute__((may_alias));
typedef float element_f32 __attribute__((may_alias));
typedef double element_f64 __attribute__((may_alias));

#ifdef ELEMENT_F64
typedef double real;
#define ELEMENT_TABLE struct wp_element_rows_f64
#else
typedef float real;
#define ELEMENT_TABLE struct wp_element_rows
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINE float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Binary16 has an exponent of 5 bits with bias 15, binary32 one of 8 bits with bias 127. The bits
// of a binary16 number shifted to the left by 13 are a binary32 number that is 2^-112 times as
// large.
enum {
    MANTISSA_SHIFT = 13,
    HALF_INFINITY = 0x7C00,
    FLOAT_INFINITY = 0x7F800000,
    HALF_QUIET = 0x0200,
    EXPONENT_GAP = 112 << 23,
    HALF_NORMAL = 113 << 23,  // 2^-14, the smallest normal number
    HALF_TOO_LARGE = 143 << 23, // 2^16
    BFLOAT_QUIET = 0x0040,
};

// A value as a float that is rounded to every type with fewer digits like the value itself.
// Rounding twice to nearest would give other numbers; a double is rounded to odd: S. Boldo and G.
// Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd,
// IEEE Trans. Computers 57(4), 2008.
INLINE float narrowed(real value)
{
#ifdef ELEMENT_F64
    const float nearest = (float)value;
    const real back = (real)nearest;
    const uint32_t bits = bits_of(nearest);
    const bool exact = !(back < value) && !(back > value); // or no number
    const bool towards_zero = __builtin_fabs(back) < __builtin_fabs(value);
    return float_of(exact || bits & 1u ? bits : towards_zero ? bits + 1u : bits - 1u);
#else
    return value;
#endif
}

INLINE real from_f16(element_f16 half, struct wp_element_scale scale)
{
    (void)scale;
    const uint32_t size = half & 0x7FFFu, sign = (half & 0x8000u) << 16;
    const float finite = float_of(size << MANTISSA_SHIFT) * 0x1p112F;
    const uint32_t special = FLOAT_INFINITY | size << MANTISSA_SHIFT;
    return (real)float_of(sign | (size < HALF_INFINITY ? bits_of(finite) : special));
}

INLINE element_f16 to_f16(real value, struct wp_element_scale scale)
{
    (void)scale;
    const uint32_t bits = bits_of(narrowed(value));
    const uint32_t size = bits & 0x7FFFFFFFu, sign = bits >> 16 & 0x8000u;
    // The last bit of the sum is worth 2^-24, like that of a subnormal number.
    const uint32_t subnormal = bits_of(float_of(size) + 0.5F) - bits_of(0.5F);
    // A carry increments the exponent, which may become the exponent of infinity.
    const uint32_t even = size >> MANTISSA_SHIFT & 1u;
    const uint32_t normal =
        (size - EXPONENT_GAP + (1u << (MANTISSA_SHIFT - 1)) - 1 + even) >> MANTISSA_SHIFT;
    const uint32_t special = size > FLOAT_INFINITY
                                 ? HALF_INFINITY | HALF_QUIET | (size >> MANTISSA_SHIFT & 0x3FFu)
                                 : HALF_INFINITY;
    const uint32_t half = size < HALF_NORMAL      ? subnormal
                          : size < HALF_TOO_LARGE ? normal
                                                  : special;
    return (element_f16)(sign | half);
}

INLINE real from_bf16(element_bf16 bits, struct wp_element_scale scale)
{
    (void)scale;
    return (real)float_of((uint32_t)bits << 16);
}

INLINE element_bf16 to_bf16(real value, struct wp_element_scale scale)
{
    (void)scale;
    const uint32_t bits = bits_of(narrowed(value)), upper = bits >> 16;
    // A carry increments the exponent, which may become the exponent of infinity.
    const uint32_t nearest = (bits + 0x7FFFu + (upper & 1u)) >> 16;
    return (element_bf16)((bits & 0x7FFFFFFFu) > FLOAT_INFINITY ? upper | BFLOAT_QUIET : nearest);
}

// Divides instead of multiplying by the reciprocal, so that the largest integer gives exactly 1.
INLINE real from_u8(element_u8 sample, struct wp_element_scale scale)
{
    return (real)sample / (real)scale.one;
}

INLINE real from_u16(element_u16 sample, struct wp_element_scale scale)
{
    return (real)sample / (real)scale.one;
}

INLINE int to_integer(real value, struct wp_element_scale scale)
{
    const real scaled = value * (real)scale.one, largest = (real)scale.largest;
    const real clamped = scaled > 0 ? scaled : 0; // NaN becomes 0
    return (int)((clamped < largest ? clamped : largest) + (real)0.5);
}

INLINE element_u8 to_u8(real value, struct wp_element_scale scale)
{
    return (element_u8)to_integer(value, scale);
}

INLINE element_u16 to_u16(real value, struct wp_element_scale scale)
{
    return (element_u16)to_integer(value, scale);
}

INLINE real from_f32(element_f32 sample, struct wp_element_scale scale)
{
    (void)scale;
    return (real)sample;
}

INLINE element_f32 to_f32(real value, struct wp_element_scale scale)
{
    (void)scale;
    return (element_f32)value;
}

INLINE real from_f64(element_f64 sample, struct wp_element_scale scale)
{
    (void)scale;
    return (real)sample;
}

INLINE element_f64 to_f64(real value, struct wp_element_scale scale)
{
    (void)scale;
    return (element_f64)value;
}

// The functions of one type. Loops with constant steps are vectorized: for planes and for pixels of
// two to four samples.
#define ROWS(type)                                                                                 \
    INLINE void read_each_##type(real *restrict to, const element_##type *restrict from,           \
                                 ptrdiff_t step, struct wp_element_scale scale, int n)             \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = from_##type(from[i * step], scale);                                            \
    }                                                                                              \
    static void read_##type(real *to, const void *from, ptrdiff_t step,                            \
                            struct wp_element_scale scale, int n)                                  \
    {                                                                                              \
        switch (step) {                                                                            \
        case 1: read_each_##type(to, from, 1, scale, n); break;                                    \
        case 2: read_each_##type(to, from, 2, scale, n); break;                                    \
        case 3: read_each_##type(to, from, 3, scale, n); break;                                    \
        case 4: read_each_##type(to, from, 4, scale, n); break;                                    \
        default: read_each_##type(to, from, step, scale, n); break;                                \
        }                                                                                          \
    }                                                                                              \
    INLINE void write_each_##type(element_##type *restrict to, ptrdiff_t step,                     \
                                  const real *restrict from, struct wp_element_scale scale,        \
                                  int n)                                                           \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            to[i * step] = to_##type(from[i], scale);                                              \
    }                                                                                              \
    static void write_##type(void *to, ptrdiff_t step, const real *from,                           \
                             struct wp_element_scale scale, int n)                                 \
    {                                                                                              \
        switch (step) {                                                                            \
        case 1: write_each_##type(to, 1, from, scale, n); break;                                   \
        case 2: write_each_##type(to, 2, from, scale, n); break;                                   \
        case 3: write_each_##type(to, 3, from, scale, n); break;                                   \
        case 4: write_each_##type(to, 4, from, scale, n); break;                                   \
        default: write_each_##type(to, step, from, scale, n); break;                               \
        }                                                                                          \
    }

ROWS(f32)
ROWS(f64)
#ifndef WP_ELEMENTS_SMALL // the web page has no others
ROWS(f16)
ROWS(u8)
ROWS(u16)
ROWS(bf16)
#define OTHERS(access)                                                                             \
    [WP_ELEMENT_F16] = access##_f16, [WP_ELEMENT_U8] = access##_u8,                                \
    [WP_ELEMENT_U16] = access##_u16, [WP_ELEMENT_BF16] = access##_bf16
#else
#define OTHERS(access)
#endif

extern const ELEMENT_TABLE ELEMENT_ROWS;
const ELEMENT_TABLE ELEMENT_ROWS = {
    .read = {[WP_ELEMENT_F32] = read_f32, [WP_ELEMENT_F64] = read_f64, OTHERS(read)},
    .write = {[WP_ELEMENT_F32] = write_f32, [WP_ELEMENT_F64] = write_f64, OTHERS(write)},
};
