// Kernels of volumes that take several levels in one launch. As in cuda_internal.h each launches
// work in the levels' stream and returns a cudaError_t.
#ifndef WP_CUDA_MULTILEVEL_H
#define WP_CUDA_MULTILEVEL_H

#include "cuda_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// Haar, up to three levels: so many of the `count` that begin at `levels`, 0 where the first one is
// not for it. LLL between them are neither written nor read.
int wp_cuda_blocks_run(const struct wp_cuda_level *levels, int count);
int wp_cuda_blocks_levels(const struct wp_cuda_level *levels, int count);
bool wp_cuda_blocks_cover(const struct wp_cuda_level *level); // its steps are for it

// All levels of a volume of few slices that has levels along z alone.
enum { WP_CUDA_TEMPORAL_MAX = 32 };
int wp_cuda_temporal_run(const struct wp_cuda_level *levels, int count);
bool wp_cuda_temporal_covers(const struct wp_cuda_level *levels, int count);

// The array of which the bands of `count` levels are the mixed layout, but perhaps for LLL of the
// last one, which is `apart` then. False where they are not, or rows cannot be taken by fours.
bool wp_cuda_find_interleaved(const struct wp_cuda_level *levels, int count, struct wp_cuda_band *array,
                        bool *apart);

// Between such an array and rectangles, where `levels` have their bands from the second one on.
enum { WP_CUDA_INTERLEAVE_MAX = 10 }; // of these levels
int wp_cuda_interleave_run(const struct wp_cuda_level *levels, int count,
                      const struct wp_cuda_band *array);

#ifdef __cplusplus
}
#endif

#endif
