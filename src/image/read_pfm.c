// Portable float map: "Pf" gray or "PF" colour, width, height, and a number whose sign is
// minus for little endian; then rows of floats, the bottom row first. The number's magnitude,
// a unit of brightness, is ignored, so that values stay what they are.
#include "image_io.h"

#include <ctype.h>
#include <string.h>

#include "text.h"

// Reads the number behind the size and the one white space that ends the header.
static bool read_scale(const struct wp_source *source, size_t *at, double *scale)
{
    size_t i = *at;
    while (i < source->size && isspace(source->data[i]))
        i++;
    char word[32];
    size_t length = 0;
    while (i < source->size && !isspace(source->data[i]) && length + 1 < sizeof word)
        word[length++] = (char)source->data[i++];
    word[length] = '\0';
    *at = i + 1;
    return i < source->size && isspace(source->data[i]) && wp_parse_double(word, scale) &&
           *scale != 0.0;
}

struct wp_image *wp_read_pfm(const struct wp_source *source)
{
    const int planes = source->data[1] == 'F' ? 3 : 1;
    size_t at = 2;
    unsigned long long width, height;
    double scale;
    if (!wp_source_number(source, &at, UINT32_MAX, &width) ||
        !wp_source_number(source, &at, UINT32_MAX, &height) || !read_scale(source, &at, &scale)) {
        wp_source_fail(source, "damaged PFM (needs width, height, and a scale other than 0)");
        return NULL;
    }
    if (!wp_source_check_size(source, width, height) ||
        !wp_source_needs(source, at + width * height * (unsigned)planes * 4))
        return NULL;
    struct wp_image *image = wp_image_create((int)width, (int)height, planes, false);
    if (!image)
        return NULL;
    const struct wp_samples samples = {.type = WP_SAMPLE_F32, .big_endian = scale > 0.0};
    wp_source_tell(source, &samples);
    const size_t row_bytes = (size_t)width * (size_t)planes * 4;
    for (size_t y = 0; y < height; y++)
        wp_samples_convert_row(&samples, source->data + at + y * row_bytes, image, height - 1 - y);
    return image;
}
