#include "stream.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "xmemory.h"

// The compression ratio of deflate is at most 1032.
enum { DEFLATE_MOST = 1032, CHUNK = 65536 };

bool wp_stream_is_zipped(const struct wp_source *source)
{
    return wp_source_begins(source, "\x1f\x8b\x08");
}

bool wp_stream_open_bytes(struct wp_stream *stream, const struct wp_source *source,
                          struct wp_bytes *bytes)
{
    enum { GZIP = 16 };
    *stream = (struct wp_stream){
        .source = source, .bytes = bytes, .zipped = wp_stream_is_zipped(source)};
    if (!stream->zipped)
        return true;
    stream->packed = wp_xcalloc(CHUNK, 1);
    return inflateInit2(&stream->z, GZIP + MAX_WBITS) == Z_OK ||
           wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to decompress %s", source->name);
}

bool wp_stream_open(struct wp_stream *stream, const struct wp_source *source)
{
    return wp_stream_open_bytes(stream, source, wp_bytes_of(source));
}

void wp_stream_close(struct wp_stream *stream)
{
    if (stream->zipped)
        inflateEnd(&stream->z);
    free(stream->packed);
    wp_bytes_close(&stream->bytes);
}

bool wp_stream_needs(struct wp_stream *stream, unsigned long long bytes)
{
    stream->needs = bytes;
    return wp_source_needs(stream->source, stream->zipped ? bytes / DEFLATE_MOST : bytes);
}

static bool fail_truncated(const struct wp_stream *stream)
{
    return wp_source_fail(stream->source, "truncated (needs %llu bytes%s, has %llu)", stream->needs,
                          stream->zipped ? " decompressed" : "", stream->given);
}

// Ensures that at least one compressed byte is available, except at the end of the file.
static bool fetch(struct wp_stream *stream)
{
    size_t got;
    if (stream->z.avail_in > 0)
        return true;
    if (!wp_bytes_read(stream->bytes, stream->packed, CHUNK, &got))
        return false;
    stream->z.next_in = stream->packed;
    stream->z.avail_in = (uInt)got;
    return true;
}

// Skips zeros after the last member: padding of tapes, and of programs that write complete blocks.
static bool skip_zeros(struct wp_stream *stream)
{
    do {
        while (stream->z.avail_in > 0 && stream->z.next_in[0] == 0) {
            stream->z.next_in++;
            stream->z.avail_in--;
            stream->at++;
        }
        if (!fetch(stream))
            return false;
    } while (stream->z.avail_in > 0 && stream->z.next_in[0] == 0);
    return true;
}

// Begins the next member of a gzip file, which may have several.
static bool next_member(struct wp_stream *stream)
{
    const struct wp_source *source = stream->source;
    if (!fetch(stream))
        return false;
    const bool padded = stream->z.avail_in > 0 && stream->z.next_in[0] == 0;
    if (padded && !skip_zeros(stream))
        return false;
    stream->ended = stream->z.avail_in == 0;
    if (stream->ended)
        return true;
    if (padded || stream->z.next_in[0] != 0x1f)
        return wp_source_fail(source, "damaged gzip (unexpected data at byte %zu)", stream->at);
    inflateReset(&stream->z);
    return true;
}

// Decompresses up to `count` bytes; `*got` is less only at the end of the file, also if it is
// truncated. False after an error.
static bool unpack(struct wp_stream *stream, unsigned char *to, size_t count, size_t *got)
{
    for (*got = 0; *got < count && !stream->ended;) {
        if (!fetch(stream))
            return false;
        if (stream->z.avail_in == 0)
            break;
        const size_t out = count - *got;
        const uInt in_part = stream->z.avail_in;
        const uInt out_part = out < INT_MAX ? (uInt)out : INT_MAX;
        stream->z.next_out = to + *got;
        stream->z.avail_out = out_part;
        const int result = inflate(&stream->z, Z_NO_FLUSH);
        stream->at += in_part - stream->z.avail_in;
        *got += out_part - stream->z.avail_out;
        if (result == Z_STREAM_END) {
            if (!next_member(stream))
                return false;
        } else if (result == Z_MEM_ERROR) {
            return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to decompress %s",
                           stream->source->name);
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return wp_source_fail(stream->source, "damaged gzip (%s)",
                                  stream->z.msg ? stream->z.msg : "cannot be decompressed");
        }
    }
    stream->given += *got;
    return true;
}

bool wp_stream_read(struct wp_stream *stream, unsigned char *to, size_t count)
{
    size_t got;
    if (stream->zipped) {
        if (!unpack(stream, to, count, &got))
            return false;
    } else {
        if (!wp_bytes_read(stream->bytes, to, count, &got))
            return false;
        stream->at += got;
        stream->given += got;
    }
    return got == count || fail_truncated(stream);
}

bool wp_stream_skip(struct wp_stream *stream, unsigned long long count)
{
    unsigned char buffer[4096];
    while (count > 0) {
        const size_t part = count < sizeof buffer ? (size_t)count : sizeof buffer;
        if (!wp_stream_read(stream, buffer, part))
            return false;
        count -= part;
    }
    return true;
}

bool wp_stream_end(struct wp_stream *stream)
{
    const struct wp_source *source = stream->source;
    if (!stream->zipped)
        return stream->at == source->size ||
               wp_source_fail(source, "too long (the header requires %llu bytes, the file has %zu)",
                              stream->needs, source->size);
    unsigned char more;
    size_t got = 0;
    if (!stream->ended && !unpack(stream, &more, 1, &got))
        return false;
    if (got > 0)
        return wp_source_fail(source, "too long (the header requires %llu bytes, and more follow "
                                      "after decompression)",
                              stream->needs);
    return stream->ended || wp_source_fail(source, "truncated (the gzip is incomplete)");
}

bool wp_stream_begins(const struct wp_source *source, const char *magic)
{
    enum { GZIP = 16 };
    unsigned char first[16] = {0};
    const size_t length = strlen(magic);
    if (!wp_stream_is_zipped(source))
        return wp_source_begins(source, magic);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)source->data, // read only
                  .avail_in = source->size < CHUNK ? (uInt)source->size : CHUNK,
                  .next_out = first,
                  .avail_out = sizeof first};
    if (inflateInit2(&z, GZIP + MAX_WBITS) != Z_OK)
        return false;
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return length <= sizeof first && memcmp(first, magic, length) == 0;
}

// Doubles the capacity. False after an error, with `*data` unchanged.
static bool enlarge(unsigned char **data, size_t *capacity)
{
    unsigned char *larger = wp_allocate(*capacity, 2, "an unpacked file");
    if (!larger)
        return false;
    memcpy(larger, *data, *capacity);
    free(*data);
    *data = larger;
    *capacity *= 2;
    return true;
}

unsigned char *wp_stream_unpack(const struct wp_source *source, size_t *size)
{
    struct wp_stream stream;
    size_t capacity = CHUNK, got = 0;
    unsigned char *data = wp_allocate(capacity, 1, "an unpacked file");
    bool ok = wp_stream_open(&stream, source) && data;
    *size = 0;
    while (ok && !stream.ended) {
        ok = (*size < capacity || enlarge(&data, &capacity)) &&
             unpack(&stream, data + *size, capacity - *size, &got);
        *size += ok ? got : 0;
        if (ok && got == 0 && !stream.ended)
            ok = wp_source_fail(source, "truncated (the gzip is incomplete)");
    }
    wp_stream_close(&stream);
    if (!ok) {
        free(data);
        data = NULL;
    }
    return data;
}
