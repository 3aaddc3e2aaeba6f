// Kernels of volumes: levels that lift along z.
#ifndef WP_CUDA_VOLUME_H
#define WP_CUDA_VOLUME_H

#include "cuda_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each function launches in the level's stream and returns a cudaError_t, cudaErrorInvalidValue for
// a level whose axes it does not support.

// x and y of every slice. The bands LL to HH have all slices of the level.
int wp_cuda_slices_run(const struct wp_cuda_level *level);

// An array of samples, and its low and high coefficients along z.
struct wp_cuda_column {
    int width, height;
    struct wp_cuda_band samples, band[2];
    float scale[2];
};

// Only z, of each of `count` arrays (at most four) with the level's depth.
int wp_cuda_columns_run(const struct wp_cuda_level *level, const struct wp_cuda_column *column,
                        int count);
bool wp_cuda_columns_cover(const struct wp_cuda_level *level);

// Only z, of a level that has no other axis.
int wp_cuda_lines_run(const struct wp_cuda_level *level);

// x, y and z in one pass.
int wp_cuda_stream_z_run(const struct wp_cuda_level *level);
bool wp_cuda_stream_z_covers(const struct wp_cuda_level *level);

#ifdef __cplusplus
}
#endif

#endif
