// A level of a volume in one sweep: two row sweeps step down a pair of slices row by row, and the
// second one transforms the output of both along z. Memory is read and written once if the state
// along z of a strip stays in the second-level cache.
#ifndef WP_CPU_STREAM_Z_H
#define WP_CPU_STREAM_Z_H

#include "cpu_level.h"

// Is this possible for a level? It requires chains along all three axes. Rows and slices beyond a
// border are read in place, with periodic extension at the other end.
bool wp_cpu_level_streams_z(const struct wp_cpu_level *level);

// Rows of quads per strip if `threads` threads share a level.
int wp_cpu_stream_z_rows(const struct wp_cpu_level *level, int threads);

// Scratch memory of a strip in floats; its address must be a multiple of 64.
size_t wp_cpu_stream_z_floats(const struct wp_cpu_level *level, int rows);

// Processes rows of quads first..first+count-1 of all slices. `ring` is the sweep's ring.
void wp_cpu_stream_z_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                         const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                         int first, int count, float *memory, float *ring);

#endif
