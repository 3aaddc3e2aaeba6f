// A level of a volume in one go: slices pass through the sweep along x and y into a buffer and from
// there, in pairs, through the chain along z; an inverse the other way round. Memory is read once
// and written once where a strip's buffer and the states of its chains stay in the second cache.
#ifndef WP_CPU_MARCH_H
#define WP_CPU_MARCH_H

#include "cpu_level.h"

// Whether a level can be done so: one sweep a slice, a chain along z, and no periodic borders,
// whose strips would need rows of the other end.
bool wp_cpu_level_marches(const struct wp_cpu_level *level);

// Rows of quads in a strip where so many threads share a level.
int wp_cpu_march_rows(const struct wp_cpu_level *level, int threads);

// Floats of a strip of so many rows, at an address that is a multiple of 64.
size_t wp_cpu_march_floats(const struct wp_cpu_level *level, int rows);

// Rows of quads first..first+count-1 of all slices. `ring` is that of the sweep.
void wp_cpu_march_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                      const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                      int first, int count, float *memory, float *ring);

#endif
