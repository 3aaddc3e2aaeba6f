// ffmpeg, which turns videos into frames, as a process beside this one. Internal to this layer.
#ifndef WP_DECODER_H
#define WP_DECODER_H

#include <stdbool.h>
#include <stddef.h>

struct wp_decoder;

// Whether such a file is a video, by its first bytes.
bool wp_decoder_matches(const unsigned char *head, size_t size);

// Starts it on a file; what it writes, a YUV4MPEG2 stream, comes out of `*file`, which is the
// caller's. WAVEPASS_FFMPEG, if it is set, names the program that is taken. NULL after
// WP_ERROR_UNAVAILABLE where there is none, or WP_ERROR_FILE.
struct wp_decoder *wp_decoder_start(const char *path, int *file);

// Waits for its end. False after WP_ERROR_FILE where it failed.
bool wp_decoder_finish(struct wp_decoder *decoder);

// Ends it, if it still runs.
void wp_decoder_destroy(struct wp_decoder **decoder);

#endif
