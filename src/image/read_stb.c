#include "stb_config.h"

#include <limits.h>
#include <string.h>

struct wp_image *wp_read_with_stb(const struct wp_source *source)
{
    if (source->size > INT_MAX) {
        wp_source_fail(source, "file too large (%zu bytes; the limit for this format is %d)",
                       source->size, INT_MAX);
        return NULL;
    }
    int width, height, planes;
    stbi_uc *pixels =
        stbi_load_from_memory(source->data, (int)source->size, &width, &height, &planes, 0);
    if (!pixels) {
        if (strcmp(stbi_failure_reason(), "outofmem") == 0)
            wp_fail(WP_ERROR_TOO_LARGE, "%s: not enough memory", source->name);
        else
            wp_source_fail(source, "cannot be decoded (%s)", stbi_failure_reason());
        return NULL;
    }
    struct wp_image *image = wp_image_create(width, height, planes, planes % 2 == 0);
    if (image) {
        const struct wp_samples samples = wp_samples_of(source, WP_SAMPLE_U8, false, true, 0);
        wp_image_set_samples(image, source, &samples);
        const size_t row_bytes = (size_t)width * (size_t)planes;
        for (size_t y = 0; y < (size_t)height; y++)
            wp_samples_convert_row(&samples, pixels + y * row_bytes, image, y);
    }
    stbi_image_free(pixels);
    return image;
}
