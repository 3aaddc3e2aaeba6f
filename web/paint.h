// Converts between samples and pictures of a browser's canvas: RGBA, 4 bytes per pixel, 0 black and
// 255 white. A picture shows one plane in gray, or three as red, green and blue.
#ifndef WP_PAINT_H
#define WP_PAINT_H

#include <stddef.h>

enum { PAINT_COLOURS = 3, PAINT_BYTES = 4 };

// Displayed range: samples up to `black` are black, from `white` on white; NaN is black.
struct paint_range {
    float black, white;
};

// Planes of `width` samples per row, with `step` floats between samples and `plane` floats between
// planes, and a picture of the same width. paint() draws a rectangle of it.
struct paint {
    const float *samples;
    int planes; // 1 or PAINT_COLOURS
    ptrdiff_t step, plane;
    int width;
    unsigned char *picture;
};

void paint(const struct paint *paint, int x, int y, int width, int height,
           struct paint_range range);

// True if a picture has no colors.
int paint_is_gray(const unsigned char *picture, size_t pixels);

// Reads the first `planes` colors of a picture as planes of 0..1, one after the other. Alpha is
// ignored.
void paint_read(const unsigned char *picture, size_t pixels, int planes, float *samples);

#endif
