// Files of one image each, numbered as ffmpeg numbers them: "frame-%04d.png". Internal to this
// layer.
#ifndef WP_FRAMES_H
#define WP_FRAMES_H

#include "image.h"

// True where the file's name has one "%d" or "%04d".
bool wp_frames_named(const char *path);

// The name of a frame; the caller frees it.
char *wp_frames_name(const char *path, int number);

// The number of the first one that is there, from 0 to 1; -1 where none is.
int wp_frames_first(const char *path);

struct wp_frames_output;

// Of `count` frames, or of 0 that are not counted yet. NULL after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_frames_check(const char *path, int planes, int count, const struct wp_write_params *params);
struct wp_frames_output *wp_frames_create(const char *path, int planes, int count,
                                          const struct wp_write_params *params);
bool wp_frames_write(struct wp_frames_output *output, const struct wp_image *frame);
// All appear, from number 1 on, and right before them `*first`, where that is not NULL (output.h).
// Frees the output in any case; false after WP_ERROR_FILE.
bool wp_frames_commit(struct wp_frames_output **output, struct wp_output **first);
void wp_frames_discard(struct wp_frames_output **output); // accepts NULL, clears the pointer

#endif
