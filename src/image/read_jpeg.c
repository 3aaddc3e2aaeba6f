#include "image_io.h"
#include "orientation.h"

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

// Some releases of stb_image leave their tables where a code has more than 256 words, and take
// the last of 256 for a mark of their own. No image needs more than 255.
// `at`, `end`: the segment behind its length. In it, tables of an identifier, the number of
// words of each of 16 lengths, and the words.
static bool check_huffman_tables(const struct wp_source *source, size_t at, size_t end)
{
    enum { LENGTHS = 16, MOST_WORDS = 255 };
    while (at < end) {
        size_t words = 0;
        for (size_t i = 1; i <= LENGTHS && i < end - at; i++)
            words += source->data[at + i];
        if (words > MOST_WORDS || 1 + LENGTHS + words > end - at)
            return wp_source_fail(source, "damaged JPEG (bad Huffman table)");
        at += 1 + LENGTHS + words;
    }
    return true;
}

// A block of 8x8 of the finest component takes at least one bit. `at`: behind the length.
static bool check_frame(const struct wp_source *source, size_t at)
{
    const unsigned char *data = source->data + at;
    const unsigned long long height = (unsigned long long)data[1] << 8 | data[2];
    const unsigned long long width = (unsigned long long)data[3] << 8 | data[4];
    return wp_source_check_size(source, width, height) &&
           wp_source_needs(source, (width / 8) * (height / 8) / 8);
}

// Walks the markers (ITU-T T.81, annex B) to the end of the image, because the decoder takes
// missing data for zeros, and allocates what the frame header says.
struct wp_image *wp_read_jpeg(const struct wp_source *source)
{
    enum {
        HUFFMAN = 0xc4,
        JPG = 0xc8,
        ARITHMETIC = 0xcc,
        END_OF_IMAGE = 0xd9,
        APP1 = 0xe1,
        LENGTH = 2
    };
    const unsigned char *data = source->data;
    int orientation = 1;
    size_t at = 2;
    while ((at = find_marker(source, at)) < source->size) {
        const unsigned marker = data[at++];
        if (marker == END_OF_IMAGE)
            return wp_image_turn(wp_read_with_stb(source), orientation);
        if (source->size - at < LENGTH)
            break;
        const size_t length = (size_t)data[at] << 8 | data[at + 1];
        if (length < LENGTH) {
            wp_source_fail(source, "damaged JPEG (a segment of length %zu)", length);
            return NULL;
        }
        if (length > source->size - at)
            break;
        const bool frame = (marker & 0xf0) == 0xc0 && marker != HUFFMAN && marker != JPG &&
                           marker != ARITHMETIC;
        if ((frame && length >= LENGTH + 5 && !check_frame(source, at + LENGTH)) ||
            (marker == HUFFMAN && !check_huffman_tables(source, at + LENGTH, at + length)))
            return NULL;
        if (marker == APP1 && orientation == 1)
            orientation = wp_orientation_of_segment(data + at + LENGTH, length - LENGTH);
        at += length;
    }
    wp_source_fail(source, "truncated (no end of the JPEG in its %zu bytes)", source->size);
    return NULL;
}
