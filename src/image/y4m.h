// Sequences of frames: YUV4MPEG2, as `ffmpeg -f yuv4mpegpipe` writes it. Of each frame the luma
// is read.
#ifndef WP_Y4M_H
#define WP_Y4M_H

#include "image.h"

struct wp_y4m;
struct wp_bytes;

// True for "y4m:PATH" ("y4m:-" is stdin) and for names that end in ".y4m".
bool wp_is_y4m(const char *path);
// PATH of "y4m:PATH", or the path as it is.
const char *wp_y4m_file(const char *path);

// NULL after WP_ERROR_FILE. The result is the caller's.
struct wp_y4m *wp_y4m_open(const char *path);
struct wp_y4m *wp_y4m_create(struct wp_bytes *bytes); // which it takes over, in any case
void wp_y4m_destroy(struct wp_y4m **y4m); // accepts NULL, clears the pointer

// The next frame as an image of one plane, 0 black and 1 white, which is the caller's. NULL at
// the end, with `end` set, and after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_image *wp_y4m_next(struct wp_y4m *y4m, bool *end);

// The same in two steps: passes over the line that begins a frame, or finds the end; and its luma.
// False after an error.
bool wp_y4m_begin(struct wp_y4m *y4m, bool *end);
bool wp_y4m_read(struct wp_y4m *y4m, float *plane);

struct wp_y4m_info {
    int width, height;
    struct wp_origin origin;
    struct wp_geometry geometry;
};
struct wp_y4m_info wp_y4m_info(const struct wp_y4m *y4m);

#endif
