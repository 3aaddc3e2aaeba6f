// A byte stream of an image file: from a file, a pipe, a video decoder process, or memory.
// Internal to this layer.
#ifndef WP_BYTES_H
#define WP_BYTES_H

#include "image_io.h"

struct wp_bytes;

// Opens a path; "-" is stdin. The file of "y4m:PATH" must be a YUV4MPEG2 stream. With `videos`,
// video files and "video:PATH" are decoded by ffmpeg into a YUV4MPEG2 stream. NULL after
// WP_ERROR_FILE or WP_ERROR_UNAVAILABLE.
struct wp_bytes *wp_bytes_open(const char *path, bool videos);

// Reads from memory. The data of the source must outlive the stream.
struct wp_bytes *wp_bytes_of(const struct wp_source *source);

void wp_bytes_close(struct wp_bytes **bytes); // accepts NULL, clears the pointer

const char *wp_bytes_name(const struct wp_bytes *bytes); // for messages

// The file descriptor; -1 if the bytes are from memory or a decoder.
int wp_bytes_file(const struct wp_bytes *bytes);

// Reads at an offset, from a file or memory, independently of the other functions. Returns the
// number of bytes: fewer than `count` at the end, with errno 0, or after an error, without a
// message.
size_t wp_bytes_read_at(const struct wp_bytes *bytes, void *to, size_t count,
                        unsigned long long at);

// Gets the total number of bytes. False if it is unknown.
bool wp_bytes_size(const struct wp_bytes *bytes, unsigned long long *size);

// False, without a message, if the file was changed since it was opened.
bool wp_bytes_unchanged(const struct wp_bytes *bytes);

// Gets the first bytes without consuming them: at least `least`, or all if there are fewer, and at
// most WP_BYTES_PEEK. Call it before the first read. False after WP_ERROR_FILE.
enum { WP_BYTES_MAGIC = 12, WP_BYTES_PEEK = 65536 };
bool wp_bytes_peek(struct wp_bytes *bytes, size_t least, const unsigned char **data, size_t *size);

// Reads or skips the next `count` bytes; `*got` is less only at the end. False after
// WP_ERROR_FILE, also if the decoder failed.
bool wp_bytes_read(struct wp_bytes *bytes, void *to, size_t count, size_t *got);
bool wp_bytes_skip(struct wp_bytes *bytes, size_t count, size_t *got);

#endif
