// Reads text from PNG files: chunks of type tEXt.
#include "image.h"

#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURE = 8, HEADER = 8, CHECKSUM = 4, MAX_NOTE = 1 << 20 };

static unsigned long load32(const unsigned char *from)
{
    return (unsigned long)from[0] << 24 | (unsigned long)from[1] << 16 |
           (unsigned long)from[2] << 8 | from[3];
}

// Reads a chunk of `size` bytes and returns its text if its keyword is `key`, else NULL.
static char *read_text(FILE *stream, size_t size, const char *key)
{
    char *chunk = wp_xcalloc(size + 1, 1);
    char *text = NULL;
    if (fread(chunk, 1, size, stream) == size && strlen(key) < size && strcmp(chunk, key) == 0)
        text = wp_xstrdup(chunk + strlen(key) + 1);
    free(chunk);
    return text;
}

static char *find_text(FILE *stream, const char *key)
{
    static const unsigned char signature[SIGNATURE] = "\x89PNG\r\n\x1a\n";
    unsigned char bytes[HEADER];
    if (fread(bytes, 1, SIGNATURE, stream) != SIGNATURE ||
        memcmp(bytes, signature, SIGNATURE) != 0)
        return NULL;
    char *text = NULL;
    while (!text && fread(bytes, 1, HEADER, stream) == HEADER) {
        const unsigned long size = load32(bytes);
        const bool is_text = memcmp(bytes + 4, "tEXt", 4) == 0 && size <= MAX_NOTE;
        if (is_text)
            text = read_text(stream, size, key);
        if (fseek(stream, (long)(is_text ? 0 : size) + CHECKSUM, SEEK_CUR) != 0)
            break;
    }
    return text;
}

char *wp_image_read_note(const char *path, const char *key)
{
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOMEM)
        wp_xmemory_end(); // other errors count as a missing file
    char *text = stream ? find_text(stream, key) : NULL;
    if (stream)
        fclose(stream);
    return text;
}
