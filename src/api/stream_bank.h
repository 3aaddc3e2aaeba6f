// Streams of redundant banks: the backend "cpu" transforms windows of rows. Of each window, only
// the rows that depend on no row outside of it are results. Internal to this layer.
#ifndef WP_STREAM_BANK_H
#define WP_STREAM_BANK_H

#include "description.h"
#include "wavepass.h"

struct wp_bank_stream;

// Reads (forward) or fills (inverse) a row of a band of a plane. False aborts.
typedef bool (*wp_bank_stream_row)(void *user, int band, int plane, int row, float *samples);

// Bytes that a stream allocates, with the low bands of the transform of a window.
double wp_bank_stream_bytes(const struct wp_description *description, int planes);

// Creates a stream at row 0. The description must be one of an image with a redundant bank, checked
// by wp_description_check(). `params` are those of the image. NULL after WP_ERROR_TOO_LARGE or
// another error of wp_transform_create().
struct wp_bank_stream *wp_bank_stream_create(const struct wp_description *description,
                                             const struct wp_transform_params *params, int planes,
                                             wp_bank_stream_row row, void *user);
void wp_bank_stream_destroy(struct wp_bank_stream *stream); // accepts NULL

// Restarts at row 0.
void wp_bank_stream_begin(struct wp_bank_stream *stream);

// wp_bank_stream_operand() is the buffer for the next row of a plane of the image;
// wp_bank_stream_push() processes it once it is filled in all planes. Not to be called after the
// last row or after a failure. False after an error, or if the callback returned false.
float *wp_bank_stream_operand(const struct wp_bank_stream *stream, int plane);
bool wp_bank_stream_push(struct wp_bank_stream *stream);

// Computes the next row of the image. wp_bank_stream_result() is that row of a plane, valid until
// the next wp_bank_stream_pull().
bool wp_bank_stream_pull(struct wp_bank_stream *stream);
const float *wp_bank_stream_result(const struct wp_bank_stream *stream, int plane);

#endif
