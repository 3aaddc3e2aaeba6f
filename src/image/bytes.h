// Where the bytes of an image come from: a file, a pipe, a decoder that is started for a video, or
// memory. Internal to this layer.
#ifndef WP_BYTES_H
#define WP_BYTES_H

#include "image_io.h"

struct wp_bytes;

// "-" is stdin; the file of "y4m:PATH" must be a YUV4MPEG2 stream. With `videos`, a video, or
// "video:PATH", is decoded by ffmpeg, and its bytes are those of a YUV4MPEG2 stream. NULL after WP_ERROR_FILE or WP_ERROR_UNAVAILABLE.
struct wp_bytes *wp_bytes_open(const char *path, bool videos);

// Of a source, which must stay.
struct wp_bytes *wp_bytes_of(const struct wp_source *source);

void wp_bytes_close(struct wp_bytes **bytes); // accepts NULL, clears the pointer

const char *wp_bytes_name(const struct wp_bytes *bytes); // for messages

// The file, to be read at any place; -1 where there is none.
int wp_bytes_file(const struct wp_bytes *bytes);

// True where it is known how many there are in all.
bool wp_bytes_size(const struct wp_bytes *bytes, unsigned long long *size);

// The first ones, before any is read: at least so many, or all, and at most 64 KiB. False after
// WP_ERROR_FILE.
enum { WP_BYTES_MAGIC = 12, WP_BYTES_PEEK = 65536 };
bool wp_bytes_peek(struct wp_bytes *bytes, size_t least, const unsigned char **data, size_t *size);

// The next `count`, or as many as are left, which `got` tells. False after WP_ERROR_FILE, also
// where the decoder failed.
bool wp_bytes_read(struct wp_bytes *bytes, void *to, size_t count, size_t *got);
bool wp_bytes_skip(struct wp_bytes *bytes, size_t count, size_t *got);

#endif
