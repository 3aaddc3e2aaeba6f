/// @file
/// Operands: the arrays, textures and buffers that a transform reads and writes. wavepass.h
/// includes this header.
#ifndef WAVEPASS_OPERAND_H
#define WAVEPASS_OPERAND_H

#include <stddef.h>

/// Types of samples in memory, in the byte order of the host.
enum wp_element {
    WP_ELEMENT_F32, ///< float
    WP_ELEMENT_F16, ///< IEC 60559 binary16
    WP_ELEMENT_U8,  ///< unsigned integer of 8 bits
    WP_ELEMENT_U16, ///< unsigned integer of 16 bits
    WP_ELEMENT_COUNT ///< number of types
};

/// Locations of operands.
enum wp_location {
    WP_LOCATION_HOST,    ///< memory of the host
    WP_LOCATION_CUDA,    ///< memory of the CUDA device that the transform runs on
    WP_LOCATION_TEXTURE, ///< a 2-D texture of the current OpenGL context
    WP_LOCATION_BUFFER,  ///< a buffer object of the current OpenGL context
    WP_LOCATION_COUNT    ///< number of locations
};

/// Dimensions of an operand, and the index of the last one in wp_operand.stride.
enum {
    WP_PLANE = 3,     ///< planes: color channels, frames or other images
    WP_DIMENSIONS = 4 ///< x, y, z, planes
};

/// Counts of values that could not be represented.
struct wp_lost {
    size_t outside;   ///< clamped: more than 0.5 outside of 0..maximum, or outside of the type's
                      ///< range
    size_t no_number; ///< NaN, replaced with 0
};

/// The input or the output of a transform: samples, or coefficients in the layout of the parameters
/// or with one operand per subband. The extents are those of the transform; arrays of coefficients
/// are larger for the borders of PyWavelets (wp_transform_params). Members that are 0 have defaults:
/// an operand with only `data` is an array of floats without gaps in the host's memory.
///
/// Sample (x, y, z) of plane p is at data[x * stride[0] + y * stride[1] + z * stride[2] + p *
/// stride[WP_PLANE]]. Interleaved planes have stride[0] = number of planes and stride[WP_PLANE] =
/// 1.
///
/// **Integers** represent sample / maximum, rounded to the nearest float, so 0..1; floats represent
/// themselves. Written integers are value * maximum, clamped to 0..maximum and rounded to nearest,
/// 0.5 upwards; NaN becomes 0. Written f16 are rounded to nearest, ties to even, infinite from
/// 65520 on. For reversible transforms integers represent themselves and are clamped to the range
/// of the type.
struct wp_operand {
    void *data;           ///< sample (0, 0, 0) of plane 0; a multiple of the size of the type; only
                          ///< read if the operand is an input; NULL for textures and buffers
    enum wp_element type; ///< type of the samples
    float maximum;        ///< of integers: an integer up to the largest of the type, 1023 for 10
                          ///< bits in u16; 0: 255 or 65535
    ptrdiff_t stride[WP_DIMENSIONS]; ///< in samples; 0: as without gaps, so 1, the width, the size
                                     ///< of a slice and the size of a plane
    struct wp_lost *lost; ///< NULL, or counters, incremented for written integers that were changed
    /// NULL, or one operand per subband, in their order, instead of `data`; only for the layout
    /// "mallat". Entries for bands without samples are ignored. Not for slices in groups or the
    /// decomposition "spatial-temporal".
    const struct wp_operand *band;
    int bands;                 ///< number of entries of `band`: wp_transform_band_count()
    enum wp_location location; ///< where the samples are, also those of all bands
    unsigned name;             ///< GL name of the texture or the buffer
};

/// The address of an array of floats without gaps as an operand, for one call:
/// wp_transform_forward( t, WP_ARRAY(image), WP_ARRAY(coefficients)). In C; the operand lives until
/// the end of the block.
#define WP_ARRAY(address) (&(struct wp_operand){.data = (void *)(address)})

#endif
