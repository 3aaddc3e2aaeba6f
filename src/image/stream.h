// The bytes of a file one after another, unpacked where they are a gzip. Internal to this layer.
#ifndef WP_STREAM_H
#define WP_STREAM_H

#include "bytes.h"

#include <zlib.h>

struct wp_stream {
    const struct wp_source *source;
    struct wp_bytes *bytes;
    bool zipped;
    bool ended;               // of a gzip: its last byte was read
    size_t at;                // in the file
    unsigned long long given; // bytes so far
    unsigned long long needs; // how many there have to be, for messages
    z_stream z;
    unsigned char *packed; // what was read of a gzip and is not unpacked yet
};

bool wp_stream_is_zipped(const struct wp_source *source);

// Whether a file begins with `magic`, unpacked where it is a gzip.
bool wp_stream_begins(const struct wp_source *source, const char *magic);

// All of a gzip, to be freed. NULL after an error.
unsigned char *wp_stream_unpack(const struct wp_source *source, size_t *size);

// The stream is closed by wp_stream_close(), also after an error. False after WP_ERROR_TOO_LARGE.
bool wp_stream_open(struct wp_stream *stream, const struct wp_source *source);

// The same of bytes of which none was read, and which it takes over; the source has their name,
// first bytes and whole size.
bool wp_stream_open_bytes(struct wp_stream *stream, const struct wp_source *source,
                          struct wp_bytes *bytes);
void wp_stream_close(struct wp_stream *stream);

// Sets `needs`. Fails where the file is too short for so many bytes, as far as its size tells:
// before memory is allocated for what a header says.
bool wp_stream_needs(struct wp_stream *stream, unsigned long long bytes);

// All of `count` bytes, or false after an error.
bool wp_stream_read(struct wp_stream *stream, unsigned char *to, size_t count);
bool wp_stream_skip(struct wp_stream *stream, unsigned long long count);

// Fails where there is more, or where a gzip does not end here as it should.
bool wp_stream_end(struct wp_stream *stream);

#endif
