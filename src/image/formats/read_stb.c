// Reads BMP and TGA: checks them, and decodes them with stb_image.
#include "stb_config.h"

#include <limits.h>
#include <string.h>

// stb_image reads missing bytes as zeros: check the size of the file first. NULL after an error.
static struct wp_image *decode(const struct wp_source *source)
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

// Little endian.
static unsigned long long load(const unsigned char *from, int bytes)
{
    unsigned long long value = 0;
    while (bytes-- > 0)
        value = value << 8 | from[bytes];
    return value;
}

// ---- BMP ----------------------------------------------------------------------------------

bool wp_match_bmp(const struct wp_source *source)
{
    if (source->size < 18 || source->data[0] != 'B' || source->data[1] != 'M')
        return false;
    const unsigned long long header = load(source->data + 14, 4);
    return header == 12 || header == 40 || header == 56 || header == 108 || header == 124;
}

struct indices {
    unsigned long long offset, width, height, bits; // bits per index: 1, 4 or 8
    unsigned long long colours;
    const unsigned char *palette;
    size_t entry; // bytes per color: blue, green, red
};

// Fails if an index exceeds the palette; stb_image would read uninitialized colors.
static bool check_indices(const struct wp_source *source, const struct indices *in)
{
    const unsigned long long stride = (in->width * in->bits + 31) / 32 * 4;
    for (unsigned long long y = 0; y < in->height; y++) {
        const unsigned char *row = source->data + in->offset + y * stride;
        for (unsigned long long x = 0; x < in->width; x++) {
            const unsigned long long bit = x * in->bits;
            const unsigned index =
                row[bit / 8] >> (8 - in->bits - bit % 8) & ((1U << in->bits) - 1);
            if (index >= in->colours)
                return wp_source_fail(source, "damaged BMP (color %u of a palette of %llu)",
                                      index + 1, in->colours);
        }
    }
    return true;
}

// Checks as many colors as stb_image reads: for old headers four fewer than the palette has.
static bool check_palette(const struct wp_source *source, bool old, struct indices *in)
{
    enum { FILE_HEADER = 14, OLD = 24 };
    const unsigned long long header =
        FILE_HEADER + (old ? OLD : load(source->data + FILE_HEADER, 4));
    if (in->bits != 1 && in->bits != 4 && in->bits != 8)
        return true;
    in->entry = old ? 3 : 4;
    in->palette = source->data + (old ? FILE_HEADER + 12 : header);
    in->colours = in->offset > header ? (in->offset - header) / in->entry : 0;
    return check_indices(source, in);
}

// True if all colors of the palette are gray; if the header has a count of colors, of those.
static bool has_gray_palette(const struct wp_source *source, bool old, const struct indices *in)
{
    enum { COUNT_AT = 46 };
    const unsigned long long field = old ? 0 : load(source->data + COUNT_AT, 4);
    const unsigned long long count = field > 0 && field < in->colours ? field : in->colours;
    for (unsigned long long i = 0; i < count; i++) {
        const unsigned char *colour = in->palette + i * in->entry;
        if (colour[0] != colour[1] || colour[0] != colour[2])
            return false;
    }
    return count > 0;
}

// Rows of pixels, each padded to 32 bits, from an offset on. stb_image rejects compressed files.
struct wp_image *wp_read_bmp(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    const bool old = load(data + 14, 4) == 12;
    if (!wp_source_needs(source, old ? 26 : 54))
        return NULL;
    const unsigned long long width = load(data + 18, old ? 2 : 4);
    unsigned long long height = load(data + (old ? 20 : 22), old ? 2 : 4);
    if (!old && height >> 31) // negative: the top row comes first
        height = 0x100000000ULL - height;
    struct indices in = {
        .offset = load(data + 10, 4),
        .width = width,
        .height = height,
        .bits = load(data + (old ? 24 : 28), 2),
    };
    if (!wp_source_check_size(source, width, height) ||
        !wp_source_needs(source, in.offset + (width * in.bits + 31) / 32 * 4 * height) ||
        !check_palette(source, old, &in))
        return NULL;
    struct wp_image *image = decode(source);
    if (image && image->planes == 3 && has_gray_palette(source, old, &in))
        wp_image_shrink(image, 1);
    return image;
}

// ---- TGA ----------------------------------------------------------------------------------

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

static unsigned read16(const unsigned char *from)
{
    return (unsigned)load(from, 2);
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
static bool has_gray_map(const unsigned char *data)
{
    const unsigned count = data[MAP_TYPE] ? read16(data + MAP_LENGTH) : 0;
    const unsigned char *color = data + HEADER + data[ID_LENGTH];
    for (unsigned i = 0; i < count; i++, color += 3)
        if (data[MAP_BITS] != 24 || color[0] != color[1] || color[0] != color[2])
            return false;
    return count > 0;
}

struct wp_image *wp_read_tga(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    const unsigned long long width = read16(data + WIDTH), height = read16(data + HEIGHT);
    if (!wp_source_check_size(source, width, height))
        return NULL;
    if (data[MAP_TYPE] && read16(data + MAP_START) != 0) { // stb_image misreads it as bytes
        wp_source_fail(source, "not supported (a TGA color map that starts at %u)",
                       read16(data + MAP_START));
        return NULL;
    }
    const unsigned bytes = (data[PIXEL_BITS] + 7U) / 8;
    const size_t map = data[MAP_TYPE] ? read16(data + MAP_LENGTH) * ((data[MAP_BITS] + 7U) / 8) : 0;
    const size_t start = HEADER + data[ID_LENGTH] + map;
    const bool ok = data[IMAGE_TYPE] > 8
                        ? check_packets(source, start, width * height, bytes)
                        : wp_source_needs(source, start + width * height * bytes);
    struct wp_image *image = ok ? decode(source) : NULL;
    if (image && image->planes == 3 && has_gray_map(data))
        wp_image_shrink(image, 1);
    return image;
}
