/// @file
/// Operands: the arrays, textures and buffers that a transform reads and writes. wavepass.h
/// includes this header.
#ifndef WAVEPASS_OPERAND_H
#define WAVEPASS_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

/// Types of samples in memory, in the byte order of the host.
enum wp_element {
    WP_ELEMENT_F32, ///< float
    WP_ELEMENT_F16, ///< IEC 60559 binary16
    WP_ELEMENT_U8,  ///< unsigned integer of 8 bits
    WP_ELEMENT_U16, ///< unsigned integer of 16 bits
    WP_ELEMENT_F64, ///< double
    WP_ELEMENT_BF16, ///< bfloat16: the upper 16 bits of a float
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

/// Dimensions of an operand: the indices of the last ones in wp_operand.stride, and their numbers.
enum {
    WP_PLANE = 3,            ///< planes: color channels, frames or other images
    WP_BATCH = 4,            ///< the first dimension of wp_transform_params.batch
    WP_BATCH_DIMENSIONS = 6, ///< their number
    WP_DIMENSIONS = WP_BATCH + WP_BATCH_DIMENSIONS ///< x, y, z, planes, batch
};

/// Counts of values that could not be represented.
struct wp_lost {
    size_t outside;   ///< clamped: more than 0.5 outside of 0..maximum, or outside of the type's
                      ///< range
    size_t no_number; ///< NaN, replaced with 0
};

/// The input or the output of a transform: samples, or coefficients in the layout of the parameters
/// or with one operand per subband. The extents are those of the transform; arrays of coefficients
/// are larger for the borders of PyWavelets (wp_transform_params). Members that are 0 have
/// defaults: an operand with only `data` is an array of floats without gaps in the host's memory.
///
/// Sample (x, y, z) of plane p is at data[x * stride[0] + y * stride[1] + z * stride[2] + p *
/// stride[WP_PLANE]]; each index of a batch dimension b adds its stride[WP_BATCH + b] to that.
/// Interleaved planes have stride[0] = number of planes and stride[WP_PLANE] = 1.
///
/// **Strides** may be negative; `data` is then not the lowest address. If they nest (sorted by
/// size, each is larger than the distance from the first to the last sample of the smaller ones),
/// an operand is accepted. An input may also have strides of 0, see `strided`: it is then read
/// repeatedly, as if it had been broadcast.
///
/// **Arithmetic** is in double precision if the type of either operand is f64, else in single
/// precision. Backends that do not support that convert f64 from and to f32 and compute in single
/// precision; wp_transform_describe() shows which. The backends "cpu" and "reference" support it,
/// and "cuda" except for volumes in the memory of the host.
///
/// **Types.** An image has any type, coefficients have f32, f64, f16 or bf16, all subbands the same;
/// those of reversible transforms f32 or f64. Integers represent sample / maximum, rounded to the
/// nearest number of the arithmetic, so 0..1; floats represent themselves. Written integers are
/// value * maximum, clamped to 0..maximum and rounded to nearest, 0.5 upwards; NaN becomes 0. Written floats are rounded to
/// nearest, ties to even, f16 to infinity from 65520 on; NaN stays NaN. For reversible transforms
/// integers represent themselves and are clamped to the range of the type.
struct wp_operand {
    void *data;           ///< sample (0, 0, 0) of plane 0; a multiple of the size of the type; only
                          ///< read if the operand is an input; NULL for textures and buffers
    enum wp_element type; ///< type of the samples
    float maximum;        ///< of integers: an integer up to the largest of the type, 1023 for 10
                          ///< bits in u16; 0: 255 or 65535
    ptrdiff_t stride[WP_DIMENSIONS]; ///< in samples; 0: as without gaps, so 1, the width, the size
                                     ///< of a slice, of a plane, of all planes, ...
    struct wp_lost *lost; ///< NULL, or counters, incremented for written integers that were changed
    /// NULL, or one operand per subband, in their order, instead of `data`; only for the layout
    /// "mallat". Entries for bands without samples are ignored. Not for slices in groups or the
    /// decomposition "spatial-temporal".
    const struct wp_operand *band;
    int bands;                 ///< number of entries of `band`: wp_transform_band_count()
    enum wp_location location; ///< where the samples are, also those of all bands
    unsigned name;             ///< GL name of the texture or the buffer
    bool strided;              ///< strides of 0 have no defaults: along a dimension with that
                               ///< stride all samples are at one address; only for inputs
};

/// The address of an array of floats without gaps as an operand, for one call:
/// wp_transform_forward( t, WP_ARRAY(image), WP_ARRAY(coefficients)). In C; the operand lives until
/// the end of the block.
#define WP_ARRAY(address) (&(struct wp_operand){.data = (void *)(address)})

#endif
