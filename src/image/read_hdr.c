// Radiance pictures: a text header, then rows of red, green, blue, and a common exponent.
// Format: G. Ward, "Real Pixels", Graphics Gems II, 1991. Not left to stb_image, of which
// some releases never end on damaged rows.
#include "image_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// A line without its end in `line`, cut where it is too long. False at the end of the file.
static bool read_line(const struct wp_source *source, size_t *at, char *line, size_t capacity)
{
    size_t length = 0;
    for (; *at < source->size && source->data[*at] != '\n'; ++*at)
        if (length + 1 < capacity)
            line[length++] = (char)source->data[*at];
    line[length] = '\0';
    return (*at)++ < source->size;
}

// Leaves `*at` behind the header.
static bool read_header(const struct wp_source *source, size_t *at, unsigned long long *width,
                        unsigned long long *height)
{
    char line[128];
    bool known = false;
    while (read_line(source, at, line, sizeof line) && line[0])
        if (strncmp(line, "FORMAT=", 7) == 0)
            known = strcmp(line + 7, "32-bit_rle_rgbe") == 0;
    if (!known)
        return wp_source_fail(source, "not supported (HDR without FORMAT=32-bit_rle_rgbe)");
    if (!read_line(source, at, line, sizeof line) ||
        sscanf(line, "-Y %12llu +X %12llu", height, width) != 2)
        return wp_source_fail(source, "damaged HDR (needs a size as -Y HEIGHT +X WIDTH)");
    return wp_source_check_size(source, *width, *height);
}

// A row's four components one after another, each in packets: a count up to 128 of bytes that
// follow, or 128 more than the count of a byte to repeat.
static bool unpack_row(const struct wp_source *source, size_t *at, size_t width,
                       unsigned char *pixels)
{
    for (size_t component = 0; component < 4; component++) {
        for (size_t x = 0; x < width;) {
            if (!wp_source_needs(source, (unsigned long long)*at + 2))
                return false;
            const unsigned code = source->data[(*at)++];
            const bool repeat = code > 128;
            const size_t count = repeat ? code - 128 : code;
            if (count == 0 || count > width - x)
                return wp_source_fail(source, "damaged HDR (bad run at byte %zu)", *at - 1);
            if (!wp_source_needs(source, (unsigned long long)*at + (repeat ? 1 : count)))
                return false;
            for (size_t i = 0; i < count; i++, x++)
                pixels[x * 4 + component] = source->data[repeat ? *at : *at + i];
            *at += repeat ? 1 : count;
        }
    }
    return true;
}

// Packed rows start with 2, 2 and their width.
static bool is_packed(const struct wp_source *source, size_t at, size_t width)
{
    const unsigned char *data = source->data + at;
    return source->size - at >= 4 && width >= 8 && width < 32768 && data[0] == 2 && data[1] == 2 &&
           ((size_t)data[2] << 8 | data[3]) == width;
}

static bool read_rows(const struct wp_source *source, size_t at, struct wp_image *image,
                      unsigned char *pixels)
{
    const size_t width = (size_t)image->width;
    for (int y = 0; y < image->height; y++) {
        if (at < source->size && is_packed(source, at, width)) {
            at += 4;
            if (!unpack_row(source, &at, width, pixels))
                return false;
        } else {
            if (!wp_source_needs(source, (unsigned long long)at + width * 4))
                return false;
            memcpy(pixels, source->data + at, width * 4);
            at += width * 4;
        }
        for (size_t x = 0; x < width; x++) {
            const unsigned char *pixel = pixels + x * 4;
            // Mantissas are fractions of 256, exponents have a bias of 128; 0 is black.
            const float unit = pixel[3] ? ldexpf(1.0F, pixel[3] - (128 + 8)) : 0.0F;
            for (int p = 0; p < 3; p++)
                image->plane[p][(size_t)y * width + x] = (float)pixel[p] * unit;
        }
    }
    return true;
}

struct wp_image *wp_read_hdr(const struct wp_source *source)
{
    size_t at = 0;
    unsigned long long width, height;
    // The longest run makes 127 bytes of 2.
    if (!read_header(source, &at, &width, &height) ||
        !wp_source_needs(source, at + width * height * 4 / 64))
        return NULL;
    if (source->facts)
        strcpy(source->facts->type, "u8 with a common exponent");
    struct wp_image *image = wp_image_create((int)width, (int)height, 3, false);
    unsigned char *pixels = image ? wp_allocate((size_t)width, 4, "a row of an HDR file") : NULL;
    if (!pixels || !read_rows(source, at, image, pixels))
        wp_image_destroy(&image);
    free(pixels);
    return image;
}
