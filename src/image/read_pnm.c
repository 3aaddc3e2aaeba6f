#include "image_io.h"

#include <ctype.h>
#include <stdlib.h>

#include "memory.h"

// Numbers in text, in rows of pixels.
static bool read_plain(const struct wp_source *source, size_t at, unsigned long long maximum,
                       struct wp_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < pixels; i++) {
        for (int p = 0; p < image->planes; p++) {
            unsigned long long value;
            if (!wp_source_number(source, &at, maximum, &value))
                return wp_source_fail(source,
                                      "damaged PNM (sample %zu is missing or no number up to %llu)",
                                      i * (size_t)image->planes + (size_t)p + 1, maximum);
            image->plane[p][i] = (float)value / (float)maximum;
        }
    }
    return true;
}

static bool read_binary(const struct wp_source *source, size_t at, unsigned long long maximum,
                        struct wp_image *image)
{
    const struct wp_samples samples = {maximum > 255 ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true,
                                       (float)maximum};
    const size_t width = (size_t)image->width;
    const size_t row_bytes = width * (size_t)image->planes * wp_samples_bytes(samples.type);
    for (int y = 0; y < image->height; y++) {
        wp_samples_convert_row(&samples, source->data + at + (size_t)y * row_bytes, image,
                               (size_t)y);
        for (int p = 0; p < image->planes; p++) {
            const float *row = image->plane[p] + (size_t)y * width;
            float largest = 0.0F;
            for (size_t x = 0; x < width; x++)
                largest = row[x] > largest ? row[x] : largest;
            if (largest > 1.0F)
                return wp_source_fail(source, "damaged PNM (a sample of row %d exceeds %llu)",
                                      y + 1, maximum);
        }
    }
    return true;
}

struct wp_image *wp_read_pnm(const struct wp_source *source)
{
    const bool plain = source->data[1] < '5';
    const int planes = source->data[1] == '3' || source->data[1] == '6' ? 3 : 1;
    size_t at = 2;
    unsigned long long width, height, maximum;
    if (!wp_source_number(source, &at, UINT32_MAX, &width) ||
        !wp_source_number(source, &at, UINT32_MAX, &height) ||
        !wp_source_number(source, &at, 65535, &maximum) || maximum == 0 || at >= source->size ||
        !isspace(source->data[at])) {
        wp_source_fail(source, "damaged PNM (needs width, height, and a maximum of 1 to 65535)");
        return NULL;
    }
    at++;
    if (!wp_source_check_size(source, width, height))
        return NULL;
    // In text a sample is a digit at least, and a space but for the last one.
    const unsigned long long samples = width * height * (unsigned)planes;
    const unsigned each = plain || maximum > 255 ? 2 : 1;
    if (!wp_source_needs(source, at + samples * each - (plain ? 1 : 0)))
        return NULL;
    struct wp_image *image = wp_image_create((int)width, (int)height, planes, false);
    if (!image)
        return NULL;
    image->source_bits = maximum > 255 ? 16 : 8;
    wp_source_tell(source, &(struct wp_samples){maximum > 255 ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true,
                                                (float)maximum});
    if (!(plain ? read_plain : read_binary)(source, at, maximum, image))
        wp_image_destroy(&image);
    return image;
}
