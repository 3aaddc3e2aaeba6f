// Videos in YUV4MPEG2, as `ffmpeg -f yuv4mpegpipe` writes them. Only the luma is read.
#ifndef WP_Y4M_H
#define WP_Y4M_H

#include "image.h"

struct wp_y4m;
struct wp_bytes;

// True for "y4m:PATH" ("y4m:-" is stdin) and for names that end in ".y4m".
bool wp_is_y4m(const char *path);
// The PATH of "y4m:PATH", or `path` if it has no prefix.
const char *wp_y4m_file(const char *path);

// NULL after WP_ERROR_FILE.
struct wp_y4m *wp_y4m_open(const char *path);
struct wp_y4m *wp_y4m_create(struct wp_bytes *bytes); // takes ownership, also if it fails
void wp_y4m_destroy(struct wp_y4m **y4m); // accepts NULL, clears the pointer

// Reads the next frame as an image of one plane, 0 black and 1 white; the caller destroys it. NULL
// at the end, with `*end` set, and after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_image *wp_y4m_next(struct wp_y4m *y4m, bool *end);

// wp_y4m_next() in two steps: skips the header of a frame or finds the end; reads its luma. False
// after an error.

bool wp_y4m_begin(struct wp_y4m *y4m, bool *end);
bool wp_y4m_read(struct wp_y4m *y4m, float *plane);

struct wp_y4m_info {
    int width, height;
    struct wp_origin origin;
    struct wp_geometry geometry;
};
struct wp_y4m_info wp_y4m_info(const struct wp_y4m *y4m);

#endif
