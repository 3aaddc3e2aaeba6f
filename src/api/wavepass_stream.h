// Transforms of images that need not fit into memory: rows of samples go in and rows of bands come
// out as soon as they are known, or the other way round, all levels at once. A stream keeps a few
// rows of every level.
//
//     const struct wp_transform_params params =
//         WP_TRANSFORM_PARAMS(.width = 60000, .height = 40000);
//     struct wp_stream *s = wp_stream_create_forward(&params, take, user);
//     while (s && ...)
//         if (!wp_stream_push(s, &rows, count))
//             break;
//     wp_stream_destroy(&s);
//
// What comes out is that of wp_transform_forward() and wp_transform_inverse() with the backend
// "cpu" and its own choice of a variant, bit for bit. Errors and threads are as wavepass.h tells; a
// stream works in the thread that calls it, and so do its callbacks.
//
// Of the parameters, width, height, planes, the wavelet, border, norm, levels and reversible say
// what is computed. There is no array of coefficients: a layout other than "mallat" is refused, and
// so are a volume, a backend other than "cpu", a variant, a device, 16 bits and a context.
// `threads` and the scheme change nothing.
#ifndef WAVEPASS_STREAM_H
#define WAVEPASS_STREAM_H

#include "wavepass.h"

#ifdef __cplusplus
extern "C" {
#endif

// Row `row` of a band of a plane: as many floats as the band is wide. Bands have the numbers of
// wp_stream_get_band(); those without samples have no rows. A callback that returns false, after
// wp_fail() for one that wants to say why, ends the call, which returns false as well. It must not
// call functions of the same stream but get_info() and get_band().
//
// What comes out of a forward stream. Each row of each band comes once; those of one band and plane
// from the first to the last. With periodic borders they begin further down, and the first ones
// come at the end.
typedef bool (*wp_stream_take)(void *user, int band, int plane, int row, const float *samples);
// Has to fill what goes into an inverse one. Each row of each band is asked for once; those of one
// band and plane from the first to the last, with periodic borders beginning with some of the last
// ones.
typedef bool (*wp_stream_give)(void *user, int band, int plane, int row, float *samples);

struct wp_stream;

// Bytes that a stream takes, all of them when it is created, in proportion to width, planes and the
// wavelet's reach: for 32768 columns and five levels of cdf97 a few MB. Asking for it takes some
// KB a level for a while, and what reading a wavelet file takes. False where such a stream cannot
// be created.
WP_API bool wp_stream_memory(const struct wp_transform_params *params, bool inverse, size_t *bytes);

// `user` is handed to the callback. NULL where parameters are wrong, a wavelet file cannot be read,
// or memory is short.
WP_API struct wp_stream *wp_stream_create_forward(const struct wp_transform_params *params,
                                                  wp_stream_take take, void *user);
WP_API struct wp_stream *wp_stream_create_inverse(const struct wp_transform_params *params,
                                                  wp_stream_give give, void *user);
// Accepts NULL, clears the pointer. At any time but from a callback.
WP_API void wp_stream_destroy(struct wp_stream **stream);

struct wp_stream_info {
    size_t memory;  // bytes, as wp_stream_memory() says
    int levels;
    int rows;       // of the image, that have been pushed or pulled since it began
    double largest; // of a reversible one; as in wp_transform_info
};

// Valid until the next call for this stream.
WP_API const struct wp_stream_info *wp_stream_get_info(struct wp_stream *stream);

// As wp_transform_band_count() and wp_transform_get_band(): the order of bands is the same.
WP_API int wp_stream_band_count(const struct wp_stream *stream);
WP_API bool wp_stream_get_band(const struct wp_stream *stream, int index,
                               struct wp_band_info *info);

// The next `count` rows of the image, from row 0 on. Sample x of plane p of the first of them is
// rows->data[x * step[0] + p * plane], and rows are step[1] apart. Distances that are zero are
// those of an array without gaps, in which the planes of a row stand one behind the other: 1,
// planes * width, and width. The rows may go when the call returns. The last one brings all that is
// left of the bands.
//
// False after WP_ERROR_USAGE where there are not so many rows left, and where a call before failed.
// After any other failure the stream has stopped: it begins again with wp_stream_rewind().
WP_API bool wp_stream_push(struct wp_stream *stream, const struct wp_view *rows, int count);

// The next `count` rows of the image, from row 0 on, whatever the borders; of an inverse stream.
WP_API bool wp_stream_pull(struct wp_stream *stream, const struct wp_view *rows, int count);

// To row 0 of another image, or of the same one. What has not come out is lost.
WP_API void wp_stream_rewind(struct wp_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
