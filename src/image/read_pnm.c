#include "rows_io.h"

#include <ctype.h>
#include <string.h>

// Numbers in text, in rows of pixels.
static bool read_plain(const struct wp_source *source, size_t at, unsigned long long maximum,
                       struct wp_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    const float scale = (float)maximum / image->origin.peak;
    for (size_t i = 0; i < pixels; i++) {
        for (int p = 0; p < image->planes; p++) {
            unsigned long long value;
            if (!wp_source_number(source, &at, maximum, &value))
                return wp_source_fail(source,
                                      "damaged PNM (sample %zu is missing or no number up to %llu)",
                                      i * (size_t)image->planes + (size_t)p + 1, maximum);
            image->plane[p][i] = (float)value / scale;
        }
    }
    return true;
}

// The header of any PNM. False where it is damaged or too long for the bytes at hand.
static bool parse_header(const struct wp_source *source, struct wp_rows_layout *layout,
                         unsigned long long *maximum)
{
    size_t at = 2;
    *layout = (struct wp_rows_layout){.planes = strchr("36", source->data[1]) ? 3 : 1,
                                      .bounded = true};
    if (!wp_source_number(source, &at, UINT32_MAX, &layout->width) ||
        !wp_source_number(source, &at, UINT32_MAX, &layout->height) ||
        !wp_source_number(source, &at, 65535, maximum) || *maximum == 0 || at >= source->size ||
        !isspace(source->data[at]))
        return false;
    layout->offset = at + 1;
    layout->samples = wp_samples_of(source, *maximum > 255 ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true,
                                    true, (float)*maximum);
    return true;
}

static bool is_plain(const struct wp_source *source)
{
    return source->data[1] < '5';
}

bool wp_pnm_layout(const struct wp_source *head, struct wp_rows_layout *layout)
{
    unsigned long long maximum;
    if (!is_plain(head) && parse_header(head, layout, &maximum))
        return wp_source_check_size(head, layout->width, layout->height);
    *layout = (struct wp_rows_layout){0};
    return true;
}

struct wp_image *wp_read_pnm(const struct wp_source *source)
{
    struct wp_rows_layout layout;
    unsigned long long maximum;
    const bool plain = is_plain(source);
    if (!parse_header(source, &layout, &maximum)) {
        wp_source_fail(source, "damaged PNM (needs width, height, and a maximum of 1 to 65535)");
        return NULL;
    }
    // In text a sample is a digit at least, and a space but for the last one.
    if (!wp_source_check_size(source, layout.width, layout.height) ||
        !wp_source_needs(source, !plain ? wp_rows_layout_end(&layout)
                                        : layout.offset + 2 * layout.width * layout.height *
                                                              (unsigned)layout.planes - 1))
        return NULL;
    if (!plain)
        return wp_read_layout(source, &layout);
    struct wp_image *image =
        wp_image_create((int)layout.width, (int)layout.height, layout.planes, false);
    if (!image)
        return NULL;
    wp_image_set_samples(image, source, &layout.samples);
    if (!read_plain(source, (size_t)layout.offset, maximum, image))
        wp_image_destroy(&image);
    return image;
}
