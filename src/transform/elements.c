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

void *wp_pixels_at(const struct wp_pixels *pixels, ptrdiff_t at)
{
    return (char *)pixels->data + at * (ptrdiff_t)wp_elements[pixels->type].bytes;
}
