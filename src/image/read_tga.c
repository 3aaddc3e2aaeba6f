#include "image_io.h"

enum { HEADER = 18 };
// Byte offsets in the header.
enum {
    ID_LENGTH = 0,
    MAP_TYPE = 1,
    IMAGE_TYPE = 2,
    MAP_START = 3,
    MAP_LENGTH = 5,
    MAP_BITS = 7,
    WIDTH = 12,
    HEIGHT = 14,
    PIXEL_BITS = 16
};

static unsigned load16(const unsigned char *from)
{
    return (unsigned)(from[0] | from[1] << 8);
}

static bool has_bits(unsigned bits, bool indices)
{
    return bits == 8 || bits == 16 || (!indices && (bits == 15 || bits == 24 || bits == 32));
}

// TGA has no magic number: all fields must be plausible.
bool wp_match_tga(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    if (source->size < HEADER || data[MAP_TYPE] > 1)
        return false;
    const unsigned type = data[IMAGE_TYPE];
    const bool indices = type == 1 || type == 9;
    const bool known = indices || type == 2 || type == 3 || type == 10 || type == 11;
    return known && has_bits(data[PIXEL_BITS], indices) &&
           (data[MAP_TYPE] == 1) == indices && (!indices || has_bits(data[MAP_BITS], false));
}

// Checks run-length packets from `at` on: each begins with a count and a flag that says whether one
// pixel is repeated.
static bool check_packets(const struct wp_source *source, size_t at, unsigned long long pixels,
                          unsigned bytes)
{
    while (pixels > 0) {
        if (!wp_source_needs(source, (unsigned long long)at + 1))
            return false;
        const unsigned packet = source->data[at];
        const unsigned count = (packet & 127) + 1;
        at += 1 + (size_t)bytes * (packet & 128 ? 1 : count);
        if (!wp_source_needs(source, at))
            return false;
        pixels -= count < pixels ? count : pixels;
    }
    return true;
}

// True if the file has a color map of only grays.
static bool is_gray(const unsigned char *data)
{
    const unsigned count = data[MAP_TYPE] ? load16(data + MAP_LENGTH) : 0;
    const unsigned char *color = data + HEADER + data[ID_LENGTH];
    for (unsigned i = 0; i < count; i++, color += 3)
        if (data[MAP_BITS] != 24 || color[0] != color[1] || color[0] != color[2])
            return false;
    return count > 0;
}

struct wp_image *wp_read_tga(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    const unsigned long long width = load16(data + WIDTH), height = load16(data + HEIGHT);
    if (!wp_source_check_size(source, width, height))
        return NULL;
    if (data[MAP_TYPE] && load16(data + MAP_START) != 0) { // stb_image misreads it as bytes
        wp_source_fail(source, "not supported (a TGA color map that starts at %u)",
                       load16(data + MAP_START));
        return NULL;
    }
    const unsigned bytes = (data[PIXEL_BITS] + 7U) / 8;
    const size_t map = data[MAP_TYPE] ? load16(data + MAP_LENGTH) * ((data[MAP_BITS] + 7U) / 8) : 0;
    const size_t start = HEADER + data[ID_LENGTH] + map;
    const bool ok = data[IMAGE_TYPE] > 8
                        ? check_packets(source, start, width * height, bytes)
                        : wp_source_needs(source, start + width * height * bytes);
    struct wp_image *image = ok ? wp_read_with_stb(source) : NULL;
    if (image && image->planes == 3 && is_gray(data))
        wp_image_shrink(image, 1);
    return image;
}
