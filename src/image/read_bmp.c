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

// Pixels in rows of whole 32-bit words from an offset on. Compressed files are left to the
// decoder, which refuses them.
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
    const unsigned long long bits = load(data + (old ? 24 : 28), 2);
    if (!wp_source_check_size(source, width, height) ||
        !wp_source_needs(source, load(data + 10, 4) + (width * bits + 31) / 32 * 4 * height))
        return NULL;
    return wp_read_with_stb(source);
}
