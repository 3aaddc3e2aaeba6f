#include "image_io.h"

static unsigned long long load(const unsigned char *from, int bytes)
{
    unsigned long long value = 0;
    while (bytes-- > 0)
        value = value << 8 | from[bytes];
    return value;
}

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
static bool is_gray(const struct wp_source *source, bool old, const struct indices *in)
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
    struct wp_image *image = wp_read_with_stb(source);
    if (image && image->planes == 3 && is_gray(source, old, &in))
        wp_image_shrink(image, 1);
    return image;
}
