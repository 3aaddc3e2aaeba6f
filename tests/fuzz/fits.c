// FITS with CFITSIO, also in a gzip. FITS headers are mostly spaces, so an input that is not a gzip
// has one card per line; END is followed by two bytes with the size of the data, the data, and the
// next header.
#include "fuzz.h"

#include "fuzz_image.h"

#include <stdlib.h>
#include <string.h>

enum { CARD = 80, BLOCK = 2880, MOST = 12 * BLOCK };

struct file {
    uint8_t data[MOST];
    size_t size;
};

static void fill(struct file *file, int byte)
{
    while (file->size % BLOCK && file->size < MOST)
        file->data[file->size++] = (uint8_t)byte;
}

static const uint8_t *add_data(struct file *file, const uint8_t *at, const uint8_t *end)
{
    fill(file, ' ');
    if (end - at < 2)
        return end;
    size_t count = (size_t)at[0] << 8 | at[1];
    const size_t left = (size_t)(end - at) - 2;
    count = count < left ? count : left;
    count = count < MOST - file->size ? count : MOST - file->size;
    memcpy(file->data + file->size, at + 2, count);
    file->size += count;
    if (count < left) // the last block may be truncated
        fill(file, 0);
    return at + 2 + count;
}

static void expand(struct file *file, const uint8_t *at, const uint8_t *end)
{
    while (at < end && file->size + CARD <= MOST) {
        const uint8_t *line = at;
        while (at < end && *at != '\n')
            at++;
        const size_t length = (size_t)(at - line) < CARD ? (size_t)(at - line) : CARD;
        memset(file->data + file->size, ' ', CARD);
        memcpy(file->data + file->size, line, length);
        file->size += CARD;
        at += at < end;
        if (length == 3 && memcmp(line, "END", 3) == 0)
            at = add_data(file, at, end);
    }
}

void fuzz(const uint8_t *data, size_t size)
{
    struct file *file = calloc(1, sizeof *file);
    FUZZ_CHECK(file);
    const bool zipped = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
    if (!zipped && size > 0)
        expand(file, data, data + size);
    struct wp_image *image = zipped ? fuzz_read_twice(data, size, WP_VOLUME_EITHER)
                                    : fuzz_read_twice(file->data, file->size, WP_VOLUME_EITHER);
    wp_image_destroy(&image);
    free(file);
}
