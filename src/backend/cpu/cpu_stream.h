// An image that goes by: the sweeps of all levels, each on windows of the rows that it reads and
// writes, one behind the other. Nothing is kept of the image but these windows.
//
// Rows of an image come in order and bring rows of bands (forward), or are wanted in order and want
// rows of bands (inverse). Where borders are periodic, rows that both ends want are kept.
#ifndef WP_CPU_STREAM_H
#define WP_CPU_STREAM_H

#include "description.h"

// Row `row` of a band of a level (1 is the finest): to be taken, or to be filled. False ends it.
typedef bool (*wp_cpu_band_row)(void *user, int level, enum wp_band band, int row, float *samples);

struct wp_cpu_stream;

// A stream of one plane, with the vectors and so the results of the backend, from row 0 on. The
// description is of an image that wp_description_check() takes; without levels the band is LL of
// level 0. NULL after WP_ERROR_TOO_LARGE.
struct wp_cpu_stream *wp_cpu_stream_create(const struct wp_description *description,
                                           wp_cpu_band_row band, void *user);
void wp_cpu_stream_destroy(struct wp_cpu_stream *stream); // accepts NULL

// Bytes that one allocates, all of them when it is created. 0 after WP_ERROR_TOO_LARGE, where not
// even the sweeps by themselves, a few KB each, can be had for a while.
size_t wp_cpu_stream_bytes(const struct wp_description *description);

// From row 0 on, again.
void wp_cpu_stream_begin(struct wp_cpu_stream *stream);

// Where the next row of the image is to be put, and what follows from it once it is there. Not
// beyond the last one, nor after a failure. False where the callback was.
float *wp_cpu_stream_operand(const struct wp_cpu_stream *stream);
bool wp_cpu_stream_push(struct wp_cpu_stream *stream);

// The next row of the image, until the next call; likewise. NULL where the callback was false.
const float *wp_cpu_stream_pull(struct wp_cpu_stream *stream);

#endif
