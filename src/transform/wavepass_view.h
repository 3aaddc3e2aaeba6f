/// @file
/// Arrays and pixel types. wavepass.h includes this header.
#ifndef WAVEPASS_VIEW_H
#define WAVEPASS_VIEW_H

#include <stddef.h>

/// An array of floats: sample (x, y, z) of plane p is data[x * step[0] + y * step[1] + z * step[2]
/// + p * plane].
struct wp_view {
    float *data;       ///< sample (0, 0, 0) of plane 0; only read if the array is an input
    ptrdiff_t step[3]; ///< strides along x, y and z, in floats
    ptrdiff_t plane;   ///< distance between planes, in floats
};

/// Types of samples in memory, in the byte order of the host.
enum wp_element {
    WP_ELEMENT_F32, ///< float
    WP_ELEMENT_F16, ///< IEC 60559 binary16
    WP_ELEMENT_U8,  ///< unsigned integer of 8 bits
    WP_ELEMENT_U16, ///< unsigned integer of 16 bits
    WP_ELEMENT_COUNT ///< number of types
};

/// Counts of values that could not be represented.
struct wp_pixels_lost {
    size_t outside;   ///< clamped: more than 0.5 outside of 0..maximum, or outside of the type's
                      ///< range
    size_t no_number; ///< NaN, replaced with 0
};

/// An image of any pixel type. Planes follow one another, or are interleaved: then step[0] is the
/// number of planes, and plane 1. Rows may have a pitch.
///
/// Integers represent sample / maximum, rounded to the nearest float, so 0..1; floats represent
/// themselves. Written integers are value * maximum, clamped to 0..maximum and rounded to nearest,
/// 0.5 upwards; NaN becomes 0. Written f16 are rounded to nearest, ties to even, infinite from
/// 65520 on. For reversible transforms integers represent themselves and are clamped to the range
/// of the type.
struct wp_pixels {
    void *data;           ///< sample (0, 0, 0) of plane 0; a multiple of the size of the type
    enum wp_element type; ///< type of the samples
    float maximum;        ///< of integers: an integer up to the largest of the type, 1023 for 10
                          ///< bits in u16; 0: 255 or 65535
    ptrdiff_t step[3];    ///< strides along x, y and z, in samples
    ptrdiff_t plane;      ///< distance between planes, in samples
    struct wp_pixels_lost *lost; ///< NULL, or counters, incremented for written integers that
                                 ///< were changed
};

#endif
