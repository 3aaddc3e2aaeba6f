#include "image_io.h"

#include <string.h>

// Position of the marker byte behind the next 0xff, or the file's size where there is none.
static size_t find_marker(const struct wp_source *source, size_t at)
{
    const unsigned char *data = source->data;
    while (at < source->size) {
        const unsigned char *found = memchr(data + at, 0xff, source->size - at);
        if (!found)
            break;
        at = (size_t)(found - data) + 1;
        while (at < source->size && data[at] == 0xff)
            at++;
        // 0 is a stuffed 0xff of the coded data; RST0 … RST7 stand within it.
        if (at < source->size && data[at] != 0 && (data[at] < 0xd0 || data[at] > 0xd7))
            return at;
    }
    return source->size;
}

// Walks the markers (ITU-T T.81, annex B) to the end of the image, because the decoder takes
// missing data for zeros, and because it allocates what the frame header says: each block of
// 8x8 of the finest component takes at least one bit.
struct wp_image *wp_read_jpeg(const struct wp_source *source)
{
    enum { START_OF_IMAGE = 0xd8, END_OF_IMAGE = 0xd9, TEMPORARY = 0x01 };
    const unsigned char *data = source->data;
    size_t at = 2;
    while ((at = find_marker(source, at)) < source->size) {
        const unsigned marker = data[at++];
        if (marker == END_OF_IMAGE)
            return wp_read_with_stb(source);
        if (marker == TEMPORARY || marker == START_OF_IMAGE)
            continue;
        if (source->size - at < 2)
            break;
        const size_t length = (size_t)data[at] << 8 | data[at + 1];
        const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
                           marker != 0xcc;
        if (frame && source->size - at >= 7) {
            const unsigned long long height = (unsigned long long)data[at + 3] << 8 | data[at + 4];
            const unsigned long long width = (unsigned long long)data[at + 5] << 8 | data[at + 6];
            if (!wp_source_check_size(source, width, height) ||
                !wp_source_needs(source, (width / 8) * (height / 8) / 8))
                return NULL;
        }
        at += length;
    }
    wp_source_fail(source, "truncated (no end of the JPEG in its %zu bytes)", source->size);
    return NULL;
}
