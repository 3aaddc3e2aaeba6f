#include "paint.h"

#include <stdint.h>

// Rounds to 0..255; NaN becomes 0, because its comparisons are false.
static inline uint32_t byte_of(float value, float scale, float offset)
{
    const float scaled = value * scale + offset;
    const float least = scaled > 0 ? scaled : 0;
    return (uint32_t)(least < 255.5F ? least : 255.5F);
}

// Pixels are written as words with red in the lowest byte (WebAssembly is little-endian).
static const uint32_t opaque = 0xff000000;

static inline uint32_t gray_of(uint32_t byte)
{
    return opaque | byte * 0x010101;
}

// Called with a constant step, so that the compiler can vectorize the loop.
static inline void paint_gray(uint32_t *restrict to, const float *restrict from, ptrdiff_t step,
                              int count, float scale, float offset)
{
    for (int i = 0; i < count; i++)
        to[i] = gray_of(byte_of(from[i * step], scale, offset));
}

static inline void paint_colour(uint32_t *restrict to, const float *restrict red,
                                const float *restrict green, const float *restrict blue,
                                ptrdiff_t step, int count, float scale, float offset)
{
    for (int i = 0; i < count; i++)
        to[i] = opaque | byte_of(red[i * step], scale, offset) |
                byte_of(green[i * step], scale, offset) << 8 |
                byte_of(blue[i * step], scale, offset) << 16;
}

void paint(const struct paint *p, int x, int y, int width, int height, struct paint_range range)
{
    const float scale = 255 / (range.white - range.black), offset = .5F - range.black * scale;
    for (int row = y; row < y + height; row++) {
        const ptrdiff_t at = (ptrdiff_t)row * p->width + x;
        const float *from = p->samples + at * p->step;
        uint32_t *to = (uint32_t *)(void *)p->picture + at;
        const float *green = from + p->plane, *blue = green + p->plane;
        if (p->planes == 1 && p->step == 1)
            paint_gray(to, from, 1, width, scale, offset);
        else if (p->planes == 1)
            paint_gray(to, from, p->step, width, scale, offset);
        else if (p->step == 1)
            paint_colour(to, from, green, blue, 1, width, scale, offset);
        else
            paint_colour(to, from, green, blue, p->step, width, scale, offset);
    }
}

int paint_is_gray(const unsigned char *picture, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, picture += PAINT_BYTES)
        if (picture[0] != picture[1] || picture[0] != picture[2])
            return 0;
    return 1;
}

void paint_read(const unsigned char *picture, size_t pixels, int planes, float *samples)
{
    const uint32_t *from = (const uint32_t *)(const void *)picture;
    for (int p = 0; p < planes; p++)
        for (size_t i = 0; i < pixels; i++)
            samples[(size_t)p * pixels + i] = (float)(from[i] >> 8 * p & 255) * (1 / 255.F);
}
