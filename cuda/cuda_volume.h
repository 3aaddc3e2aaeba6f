// Kernels of volumes: levels that lift along z.
#ifndef WP_CUDA_VOLUME_H
#define WP_CUDA_VOLUME_H

#include "cuda_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// As in cuda_internal.h: each launches work in the level's stream and returns a cudaError_t. What
// takes a level of axes that it is not for returns cudaErrorInvalidValue.

// x and y of every slice: bands LL to HH get all slices of the level.
int wp_cuda_slices_run(const struct wp_cuda_level *level);

// An array of samples, and the low and high coefficients along z that they become.
struct wp_cuda_column {
    int width, height;
    struct wp_cuda_band samples, band[2];
    float scale[2];
};

// z alone, of each of `count` arrays of the level's depth, at most four.
int wp_cuda_columns_run(const struct wp_cuda_level *level, const struct wp_cuda_column *column,
                        int count);
bool wp_cuda_columns_cover(const struct wp_cuda_level *level);

// z alone, of a level that has no other axis.
int wp_cuda_lines_run(const struct wp_cuda_level *level);

// x, y and z at once.
int wp_cuda_stream_z_run(const struct wp_cuda_level *level);
bool wp_cuda_stream_z_covers(const struct wp_cuda_level *level);

#ifdef __cplusplus
}
#endif

#endif
