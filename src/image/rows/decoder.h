// A child process of ffmpeg that decodes a video to frames. Internal to this layer.
#ifndef WP_DECODER_H
#define WP_DECODER_H

#include <stdbool.h>
#include <stddef.h>

struct wp_decoder;

// True if the first bytes of a file are those of a video format.
bool wp_decoder_matches(const unsigned char *head, size_t size);

// Starts ffmpeg (the program in WAVEPASS_FFMPEG if set) on a file. Its YUV4MPEG2 stream is read
// from `*file`, which the caller closes. NULL after WP_ERROR_UNAVAILABLE if ffmpeg cannot be
// started, or WP_ERROR_FILE.
struct wp_decoder *wp_decoder_start(const char *path, int *file);

// Waits until ffmpeg ends. False after WP_ERROR_FILE if it failed.
bool wp_decoder_finish(struct wp_decoder *decoder);

// Kills the process if it still runs. Accepts NULL, clears the pointer.
void wp_decoder_destroy(struct wp_decoder **decoder);

#endif
