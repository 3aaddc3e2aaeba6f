// Arguments and blocks of the kernels of batches (cuda_batch.cuh), which are compiled at run time.
#ifndef WP_CUDA_BATCH_H
#define WP_CUDA_BATCH_H

#include "cuda_level.h"

// Limits of the images of a batch: samples along an axis, levels, and bytes of shared memory per
// block. Longer lines than a segment are split into segments.
#ifndef WP_BATCH_SEGMENT
#define WP_BATCH_SEGMENT 64
#endif
enum {
    WP_BATCH_LINE_MAX = 8192,
    WP_BATCH_LEVELS_MAX = 8,
    WP_BATCH_BYTES_MAX = 100 << 10
};

struct wp_batch_args {
    int planes;
    struct wp_cuda_band samples;
    struct wp_cuda_band band[WP_BATCH_LEVELS_MAX][WP_BAND_COUNT]; // LL only of the last level
    float scale[WP_BATCH_LEVELS_MAX][WP_BAND_COUNT];
};

#ifdef __cplusplus
#define WP_BATCH_FUNCTION constexpr
#else
#define WP_BATCH_FUNCTION static inline
#endif

WP_BATCH_FUNCTION int wp_batch_segments(int length)
{
    return (length + WP_BATCH_SEGMENT - 1) / WP_BATCH_SEGMENT;
}

// Threads of an image: one for each segment of its columns, then of its rows.
WP_BATCH_FUNCTION int wp_batch_share(int width, int height)
{
    const int columns = height > 1 ? width * wp_batch_segments(height) : 0;
    const int rows = width > 1 ? height * wp_batch_segments(width) : 0;
    return columns > rows ? columns : rows;
}

// Threads of a block, full warps.
WP_BATCH_FUNCTION int wp_batch_threads(int width, int height, int planes)
{
    return (wp_batch_share(width, height) * planes + 31) / 32 * 32;
}

// Floats from row to row in shared memory: odd, so that rows are in different banks.
WP_BATCH_FUNCTION int wp_batch_pitch(int width)
{
    return width | 1;
}

#endif
