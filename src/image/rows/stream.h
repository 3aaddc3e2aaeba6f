// Sequential reading of a file, decompressed if it is gzip. Internal to this layer.
#ifndef WP_STREAM_H
#define WP_STREAM_H

#include "bytes.h"

#include <zlib.h>

struct wp_stream {
    const struct wp_source *source;
    struct wp_bytes *bytes;
    bool zipped;
    bool ended;               // gzip only: the last byte was decompressed
    size_t at;                // offset in the file
    unsigned long long given; // bytes read so far, after decompression
    unsigned long long needs; // bytes that the header requires, for messages
    z_stream z;
    unsigned char *packed; // input buffer of gzip data
};

bool wp_stream_is_zipped(const struct wp_source *source);

// True if a file begins with `magic`, after decompression if it is gzip.
bool wp_stream_begins(const struct wp_source *source, const char *magic);

// Decompresses a complete gzip file; free() the result. NULL after an error.
unsigned char *wp_stream_unpack(const struct wp_source *source, size_t *size);

// Opens a stream. Call wp_stream_close() also after an error. False after WP_ERROR_TOO_LARGE.
bool wp_stream_open(struct wp_stream *stream, const struct wp_source *source);

// Like wp_stream_open(), for `bytes`, from which nothing was read. Takes ownership of them. The
// source has their name, first bytes and total size.
bool wp_stream_open_bytes(struct wp_stream *stream, const struct wp_source *source,
                          struct wp_bytes *bytes);
void wp_stream_close(struct wp_stream *stream);

// Sets `needs`. Fails if the file is too short for that many bytes, as far as its size shows. Call
// it before allocating memory for sizes from a header.
bool wp_stream_needs(struct wp_stream *stream, unsigned long long bytes);

// Reads or skips `count` bytes. False after an error, also at the end of the file.
bool wp_stream_read(struct wp_stream *stream, unsigned char *to, size_t count);
bool wp_stream_skip(struct wp_stream *stream, unsigned long long count);

// Fails if more bytes follow, or the gzip is incomplete.
bool wp_stream_end(struct wp_stream *stream);

#endif
