// Streaming transforms of an image: the sweeps of all levels run in a pipeline, each with buffers
// of the few rows that it reads and writes.
//
// Forward, the caller pushes rows of the image and receives rows of bands in a callback; inverse,
// it pulls rows of the image, and the callback requests rows of bands. With periodic extension,
// rows that are needed at both ends are buffered.
#ifndef WP_CPU_STREAM_H
#define WP_CPU_STREAM_H

#include "description.h"

// Row `row` of a band of a level (1 is the finest), to be read (forward) or filled (inverse) by the
// callback. False aborts.
typedef bool (*wp_cpu_band_row)(void *user, int level, enum wp_band band, int row, float *samples);

struct wp_cpu_stream;

// Creates a stream of one plane, at row 0. Results are bit-identical to those of the backend. The
// description is of an image and accepted by wp_description_check(); without levels the band is LL
// of level 0. NULL after WP_ERROR_TOO_LARGE.
struct wp_cpu_stream *wp_cpu_stream_create(const struct wp_description *description,
                                           wp_cpu_band_row band, void *user);
void wp_cpu_stream_destroy(struct wp_cpu_stream *stream); // accepts NULL

// Bytes that a stream allocates, all of them in wp_cpu_stream_create(). 0 after WP_ERROR_TOO_LARGE:
// a few KB per sweep are temporarily allocated.
size_t wp_cpu_stream_bytes(const struct wp_description *description);

// Restarts at row 0.
void wp_cpu_stream_begin(struct wp_cpu_stream *stream);

// The buffer for the next row of the image, and the call that processes it once it is filled. Must
// not be called after the last row, nor after a failure. False if the callback returned false.
float *wp_cpu_stream_operand(const struct wp_cpu_stream *stream);
bool wp_cpu_stream_push(struct wp_cpu_stream *stream);

// The next row of the image, valid until the next call. NULL if the callback returned false.
const float *wp_cpu_stream_pull(struct wp_cpu_stream *stream);

#endif
