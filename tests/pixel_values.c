#include "pixel_values.h"
#include "random_size.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { HALVES = 0x7C00, BFLOATS = 0x7F80 };

const struct pixel_type pixel_types[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = {"f32", 4, 0},
    [WP_ELEMENT_F16] = {"f16", 2, 0},
    [WP_ELEMENT_U8] = {"u8", 1, 255},
    [WP_ELEMENT_U16] = {"u16", 2, 65535},
    [WP_ELEMENT_BF16] = {"bf16", 2, 0},
};

bool pixel_is_short_float(enum wp_element type)
{
    return type == WP_ELEMENT_F16 || type == WP_ELEMENT_BF16;
}

bool pixel_is_integer(enum wp_element type)
{
    return pixel_types[type].largest > 0;
}

static float half_value(unsigned half)
{
    const int exponent = (int)(half >> 10 & 31), mantissa = (int)(half & 1023);
    const double size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(mantissa, -24)
                                        : ldexp(1024 + mantissa, exponent - 25);
    return (float)(half & 0x8000 ? -size : size);
}

static float bfloat_value(unsigned bits)
{
    const int exponent = (int)(bits >> 7 & 255), mantissa = (int)(bits & 127);
    const double size = exponent == 255 ? (mantissa ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(mantissa, -133)
                                        : ldexp(128 + mantissa, exponent - 134);
    return (float)(bits & 0x8000 ? -size : size);
}

float pixel_from_bits(enum wp_element type, unsigned bits)
{
    return type == WP_ELEMENT_F16 ? half_value(bits) : bfloat_value(bits);
}

// The number of finite values that are not negative.
unsigned pixel_finite(enum wp_element type)
{
    return type == WP_ELEMENT_F16 ? HALVES : BFLOATS;
}

// The largest number that is not above the value, then the nearer one of it and the next.
unsigned pixel_nearest_bits(enum wp_element type, float value)
{
    const unsigned sign = signbit(value) ? 0x8000 : 0, finite = pixel_finite(type);
    const double size = fabs((double)value);
    if (isnan(value))
        return sign | finite | 1;
    unsigned below = 0;
    for (unsigned bit = 0x4000; bit; bit >>= 1)
        if ((below | bit) < finite && (double)pixel_from_bits(type, below | bit) <= size)
            below |= bit;
    const double least = (double)pixel_from_bits(type, below);
    const double next = below + 1 < finite ? (double)pixel_from_bits(type, below + 1)
                        : type == WP_ELEMENT_F16 ? 65536 : 0x1p128;
    const bool up = size - least > next - size || (size - least == next - size && below & 1);
    return sign | (isinf(value) ? finite : below + up);
}

float pixel_get(enum wp_element type, const void *at, float one)
{
    float value;
    uint16_t two;
    memcpy(&two, at, type == WP_ELEMENT_U8 ? 1 : 2);
    if (type == WP_ELEMENT_F32) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (pixel_is_short_float(type))
        return pixel_from_bits(type, two);
    return (type == WP_ELEMENT_U8 ? (float)*(const unsigned char *)at : (float)two) / one;
}

void pixel_set(enum wp_element type, void *at, float value, float one, float largest)
{
    if (type == WP_ELEMENT_F32) {
        memcpy(at, &value, sizeof value);
        return;
    }
    const float scaled = value * one;
    const uint16_t two = (uint16_t)(pixel_is_short_float(type) ? (float)pixel_nearest_bits(type, value)
                                    : !(scaled > 0)        ? 0
                                    : scaled >= largest    ? largest
                                                           : floorf(scaled + 0.5F));
    const uint8_t byte = (uint8_t)two;
    memcpy(at, type == WP_ELEMENT_U8 ? (const void *)&byte : &two, pixel_types[type].bytes);
}

void pixel_make_values(enum wp_element type, float one, float value[PIXEL_VALUES])
{
    static const float special[] = {0.0F, -0.0F, 1.0F, -1.0F, NAN, INFINITY, -INFINITY, 1e30F,
                                    -1e30F, 65504.0F, 65519.0F, 65520.0F, 65536.0F, 1e-8F, 0x1p-24F,
                                    0x1p-25F, 0x1.8p-25F, 0x1p-14F, 0x1.ffcp-15F, 1e-40F};
    unsigned seed = 5;
    for (int i = 0; i < PIXEL_VALUES; i++) {
        const unsigned bits = (unsigned)i / 2 % pixel_finite(type);
        const float below_middle = pixel_is_short_float(type) ? pixel_from_bits(type, bits)
                                                        : ((float)(i % 70000) + 0.5F) / one;
        const float above = pixel_is_short_float(type) ? pixel_from_bits(type, bits + 1) : below_middle;
        const float largest = type == WP_ELEMENT_F16 ? 65520.0F : 0x1.ffp127F;
        const float middle = isinf(above) ? largest : below_middle / 2 + above / 2;
        const float near[] = {middle, nextafterf(middle, INFINITY), nextafterf(middle, -INFINITY),
                              (float)random_below(&seed, 1 << 24) / (1 << 23) - 0.5F};
        const size_t specials = sizeof special / sizeof *special;
        value[i] = (size_t)i < specials ? special[i] : near[random_below(&seed, 4)];
    }
}
