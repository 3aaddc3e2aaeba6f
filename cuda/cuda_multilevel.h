// Kernels that compute several levels of a volume in one launch. Functions launch in the stream of
// the levels and return a cudaError_t (cuda_internal.h).
#ifndef WP_CUDA_MULTILEVEL_H
#define WP_CUDA_MULTILEVEL_H

#include "cuda_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// Haar, up to three levels; LLL bands between them are neither written nor read.
// wp_cuda_blocks_levels() returns how many of the `count` levels one launch computes, or 0.
int wp_cuda_blocks_run(const struct wp_cuda_level *levels, int count);
int wp_cuda_blocks_levels(const struct wp_cuda_level *levels, int count);
bool wp_cuda_blocks_cover(const struct wp_cuda_level *level); // true if its steps are Haar's

// All levels of a volume of few slices whose levels are only along z.
enum { WP_CUDA_TEMPORAL_MAX = 32 };
int wp_cuda_temporal_run(const struct wp_cuda_level *levels, int count);
bool wp_cuda_temporal_covers(const struct wp_cuda_level *levels, int count);

// Finds the array that has the bands of `count` levels in the mixed layout, except LLL of the last
// one if `apart` is set. Returns false if there is none, or rows are not aligned to four elements.
bool wp_cuda_find_interleaved(const struct wp_cuda_level *levels, int count,
                              struct wp_cuda_band *array, bool *apart);

// Copies between such an array and rectangles, which are the bands of `levels` from the second on.
enum { WP_CUDA_INTERLEAVE_MAX = 10 }; // maximum number of these levels
int wp_cuda_interleave_run(const struct wp_cuda_level *levels, int count,
                      const struct wp_cuda_band *array);

#ifdef __cplusplus
}
#endif

#endif
