/// @file
/// Transforms of images that do not fit into memory. The caller pushes rows of the image and gets
/// rows of all subbands as soon as they are computed, or supplies rows of subbands and pulls rows
/// of the image. A stream keeps a few rows of each level.
///
///     const struct wp_transform_params params =
///         WP_TRANSFORM_PARAMS(.width = 60000, .height = 40000);
///     struct wp_stream *s = wp_stream_create_forward(&params, take, user);
///     while (s && ...)
///         if (!wp_stream_push(s, &rows, count))
///             break;
///     wp_stream_destroy(&s);
///
/// Results are bit-identical to those of wp_transform_forward() and wp_transform_inverse() with the
/// backend "cpu" and its default variant. Errors are reported as in wavepass.h. A stream, with its
/// callbacks, runs in the thread that calls it.
///
/// The parameters width, height, planes, the wavelet, border, norm, bank (not "packets"), levels
/// and reversible define the transform. The layout must be "mallat" and the backend "cpu"; a
/// volume, a variant, a device, f16 and a context are rejected. `threads` and the scheme have no
/// effect.
#ifndef WAVEPASS_STREAM_H
#define WAVEPASS_STREAM_H

#include "wavepass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Receives a row of a subband from a forward stream; the number of floats is the width of the
/// subband. Bands are numbered as in wp_stream_get_band(). Each row of each subband is delivered
/// once, in increasing order; with periodic borders the order begins at a later row and ends with
/// the first rows. A callback that returns false ends the call, which then returns false; call
/// wp_fail() before to report a reason. A callback may call wp_stream_get_info() and
/// wp_stream_get_band() for its stream, but no other function.
typedef bool (*wp_stream_on_row)(void *user, int band, int plane, int row, const float *samples);
/// Fills a row of a subband for an inverse stream. Each row of each subband is requested once, in
/// increasing order; with periodic borders the order begins with some of the last rows.
typedef bool (*wp_stream_fill_row)(void *user, int band, int plane, int row, float *samples);

struct wp_stream; ///< opaque

/// The memory of a stream in bytes, which is allocated when the stream is created. It is
/// proportional to the width, the planes and the support of the wavelet: a few MB for 32768 columns
/// and five levels of cdf97. A redundant bank needs a window of rows of all subbands: at least 64
/// rows, and at each end four times the rows that a result depends on, which are 2^levels - 1 times
/// the support of a filter to one side. This call itself needs some KB per level. False if the
/// stream cannot be created.
WP_API bool wp_stream_memory(const struct wp_transform_params *params, bool inverse, size_t *bytes);

/// Creates a forward stream; `user` is passed to the callback. NULL if a parameter is invalid, a
/// wavelet file cannot be read, or memory is exhausted.
WP_API struct wp_stream *wp_stream_create_forward(const struct wp_transform_params *params,
                                                  wp_stream_on_row on_row, void *user);
/// Creates an inverse stream; parameters and errors as for wp_stream_create_forward().
WP_API struct wp_stream *wp_stream_create_inverse(const struct wp_transform_params *params,
                                                  wp_stream_fill_row fill_row, void *user);
/// Destroys a stream and sets the pointer to NULL; accepts NULL. Not to be called from a callback.
WP_API void wp_stream_destroy(struct wp_stream **stream);

/// Facts about a stream.
struct wp_stream_info {
    size_t memory;  ///< in bytes, as from wp_stream_memory()
    int levels;     ///< number of levels
    int rows;       ///< rows of the image that were pushed or pulled since the start
    double largest; ///< as wp_transform_info.largest
};

/// Facts about a stream, valid until the next call for it.
WP_API const struct wp_stream_info *wp_stream_get_info(struct wp_stream *stream);

/// The number of subbands, as wp_transform_band_count().
WP_API int wp_stream_band_count(const struct wp_stream *stream);
/// Describes a subband, as wp_transform_get_band(); the order is the same.
WP_API bool wp_stream_get_band(const struct wp_stream *stream, int index,
                               struct wp_band_info *info);

/// Pushes the next `count` rows of the image, from row 0 on. The operand is in the host's memory,
/// of any element type (f64 is rounded to f32, in which a stream computes): sample x of plane p of
/// row y is number x * stride[0] + y * stride[1] + p * stride[WP_PLANE] of rows->data. Strides that
/// are 0 are those of rows without gaps whose planes follow one another: 1, planes * width, and
/// width. The rows may be freed afterwards. The last row of the image delivers all remaining rows
/// of the subbands.
///
/// False after WP_ERROR_USAGE if `count` exceeds the remaining rows, or if an earlier call failed.
/// After any other error the stream is stopped; wp_stream_rewind() restarts it.
WP_API bool wp_stream_push(struct wp_stream *stream, const struct wp_operand *rows, int count);

/// Pulls the next `count` rows of the image from an inverse stream, from row 0 on for every border.
WP_API bool wp_stream_pull(struct wp_stream *stream, const struct wp_operand *rows, int count);

/// Starts again at row 0, for another image or the same one. Rows that were not delivered are
/// dropped.
WP_API void wp_stream_rewind(struct wp_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
