// Image sequences: numbered files of one image each, named as in ffmpeg: "frame-%04d.png".
// Internal to this layer.
#ifndef WP_FRAMES_H
#define WP_FRAMES_H

#include "image.h"

// True if the file's name has one "%d" or "%04d".
bool wp_frames_is_sequence(const char *path);

// The name of a frame; the caller frees it.
char *wp_frames_name(const char *path, int number);

// The number of the first existing frame, 0 or 1; -1 if neither exists.
int wp_frames_first(const char *path);

struct wp_frames_output;

// Checks or opens an output of `count` frames; 0: unknown. False or NULL after WP_ERROR_FILE or
// WP_ERROR_USAGE.
bool wp_frames_check(const char *path, int planes, int count, const struct wp_write_params *params);
struct wp_frames_output *wp_frames_create(const char *path, int planes, int count,
                                          const struct wp_write_params *params);
bool wp_frames_write(struct wp_frames_output *output, const struct wp_image *frame);
// Moves all frames to their names, from number 1 on, after committing `*first` unless `first` is
// NULL (output.h). Frees the output in any case. False after WP_ERROR_FILE.
bool wp_frames_commit(struct wp_frames_output **output, struct wp_output **first);
void wp_frames_discard(struct wp_frames_output **output); // accepts NULL, clears the pointer

#endif
