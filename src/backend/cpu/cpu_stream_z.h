// A level of a volume in one go: two walks go down a pair of slices side by side, row by row, and the
// second takes what comes out of both on along z. Memory is read once and written once where what a
// strip keeps along z stays in the second cache.
#ifndef WP_CPU_STREAM_Z_H
#define WP_CPU_STREAM_Z_H

#include "cpu_level.h"

// Whether a level can be done so: by chains along all three axes. Rows and slices beyond a border
// are read where they are, at the other end where that is periodic.
bool wp_cpu_level_streams_z(const struct wp_cpu_level *level);

// Rows of quads in a strip where so many threads share a level.
int wp_cpu_stream_z_rows(const struct wp_cpu_level *level, int threads);

// Floats of a strip of so many rows, at an address that is a multiple of 64.
size_t wp_cpu_stream_z_floats(const struct wp_cpu_level *level, int rows);

// Rows of quads first..first+count-1 of all slices. `ring` is that of the sweep.
void wp_cpu_stream_z_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                      const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                      int first, int count, float *memory, float *ring);

#endif
