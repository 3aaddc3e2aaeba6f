#define ELEMENT_ROWS wp_element_rows
#include "element_rows.h"

const struct wp_element_kind wp_elements[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = {"f32", 4, 0},
    [WP_ELEMENT_F16] = {"f16", 2, 0},
    [WP_ELEMENT_U8] = {"u8", 1, 255},
    [WP_ELEMENT_U16] = {"u16", 2, 65535},
};

struct wp_element_scale wp_pixels_scale(const struct wp_pixels *pixels, bool reversible)
{
    const float largest = wp_elements[pixels->type].largest;
    const float one = pixels->maximum > 0 ? pixels->maximum : largest;
    return reversible ? (struct wp_element_scale){1, largest}
                      : (struct wp_element_scale){one, one};
}

static void add(size_t *count, size_t more)
{
    if (more)
        __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

void wp_pixels_lose(struct wp_pixels_lost *lost, size_t outside, size_t no_number)
{
    add(&lost->outside, outside);
    add(&lost->no_number, no_number);
}

void wp_pixels_range(struct wp_element_scale scale, float range[2])
{
    const float slack = 0.5F / scale.one;
    range[0] = -slack;
    range[1] = scale.largest / scale.one + slack;
}

static void count_lost(struct wp_pixels_lost *lost, const float *samples,
                       struct wp_element_scale scale, int n)
{
    float range[2];
    wp_pixels_range(scale, range);
    unsigned outside = 0, no_number = 0;
    for (int i = 0; i < n; i++) {
        outside += (unsigned)(samples[i] < range[0]) | (unsigned)(samples[i] > range[1]);
        no_number += samples[i] != samples[i];
    }
    wp_pixels_lose(lost, outside, no_number);
}

void wp_pixels_read(const struct wp_element_rows *rows, float *to, const struct wp_pixels *pixels,
                    ptrdiff_t at, bool reversible, int n)
{
    rows->read[pixels->type](to, wp_pixels_at(pixels, at), pixels->step[0],
                             wp_pixels_scale(pixels, reversible), n);
}

void wp_pixels_write(const struct wp_element_rows *rows, const struct wp_pixels *pixels,
                     ptrdiff_t at, const float *from, bool reversible, int n)
{
    const struct wp_element_scale scale = wp_pixels_scale(pixels, reversible);
    rows->write[pixels->type](wp_pixels_at(pixels, at), pixels->step[0], from, scale, n);
    if (pixels->lost && scale.largest > 0)
        count_lost(pixels->lost, from, scale, n);
}

void *wp_pixels_at(const struct wp_pixels *pixels, ptrdiff_t at)
{
    return (char *)pixels->data + at * (ptrdiff_t)wp_elements[pixels->type].bytes;
}
