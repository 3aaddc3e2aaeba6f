// Where samples lie in memory. wavepass.h includes it.
#ifndef WAVEPASS_VIEW_H
#define WAVEPASS_VIEW_H

#include <stddef.h>

// Floats with a distance between neighbours along each axis: element (x, y) of plane p is
// data[x * step[0] + y * step[1] + p * plane]. Distances are in elements.
struct wp_view {
    float *data;
    ptrdiff_t step[3]; // along x, y, z
    ptrdiff_t plane;
};

// Types of samples in a caller's memory, in the computer's byte order.
enum wp_element {
    WP_ELEMENT_F32,
    WP_ELEMENT_F16, // IEC 60559 binary16
    WP_ELEMENT_U8,
    WP_ELEMENT_U16,
    WP_ELEMENT_COUNT
};

// How many integers are not what they were to be.
struct wp_pixels_lost {
    size_t outside; // of 0..maximum by more than half of one, or of what else the type has, and clamped
    size_t no_number;
};

// An image's samples as decoders, cameras and graphics libraries have them: one plane behind the
// other, or the planes of a pixel side by side, which is a `step` of as many along x and a `plane`
// of 1; with a pitch where rows have gaps. Distances are in samples of the type, not in bytes, and
// `data` is a multiple of its size.
//
// Integers stand for sample / maximum, a float rounded to nearest, so that they are 0..1; floats
// stand for themselves. To write, a value times maximum is rounded to the nearest integer, half of
// one upwards, after it was clamped to 0..maximum, and what is not a number becomes 0; binary16
// gets the nearest of its numbers, ties to even, infinity from 65520 on. Where a transform is
// reversible integers stand for themselves, clamped to the type.
struct wp_pixels {
    void *data;
    enum wp_element type;
    float maximum;     // of integers: a whole number up to the largest of the type, 1023 where u16
                       // hold 10 bits; 0: that largest one, 255 or 65535
    ptrdiff_t step[3]; // along x, y, z
    ptrdiff_t plane;
    struct wp_pixels_lost *lost; // NULL, or to what integers that are written and were not what was
                                 // to be written are added
};

#endif
