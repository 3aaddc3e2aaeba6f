// Samples as a browser's canvas has them, and the other way: RGBA, 4 bytes a pixel, 0 black and 255
// white. A picture is of one plane of samples, in grey, or of three, as red, green and blue.
#ifndef WP_PAINT_H
#define WP_PAINT_H

#include <stddef.h>

enum { PAINT_COLOURS = 3, PAINT_BYTES = 4 };

// What is seen of samples: `black` is, and what is below, `white` likewise; NaN is black.
struct paint_range {
    float black, white;
};

// A rectangle of planes of `width` samples a row, `step` floats from one sample to the next and
// `plane` from one plane to the next, into a picture as wide.
struct paint {
    const float *samples;
    int planes; // 1 or PAINT_COLOURS
    ptrdiff_t step, plane;
    int width;
    unsigned char *picture;
};

void paint(const struct paint *paint, int x, int y, int width, int height,
           struct paint_range range);

// Whether a picture has no colour.
int paint_is_gray(const unsigned char *picture, size_t pixels);

// The first colours of a picture as planes of 0..1, one behind the other; alpha is passed over.
void paint_read(const unsigned char *picture, size_t pixels, int planes, float *samples);

#endif
