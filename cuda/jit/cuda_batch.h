// Arguments and blocks of the kernels of batches (cuda_batch.cuh), which are compiled at run time.
#ifndef WP_CUDA_BATCH_H
#define WP_CUDA_BATCH_H

#include "cuda_level.h"
#include "wavepass_operand.h"

enum {
    WP_BATCH_LEVELS_MAX = 8, // of images that fit a block
    // Maximum samples of a line in the registers of a thread; longer lines are split. Signals have
    // shorter segments, so that a block has more threads for the same shared memory.
    WP_BATCH_SEGMENT = 128,
    WP_BATCH_SIGNAL_SEGMENT = 64,
    // The samples of a tile that a block computes.
    WP_BATCH_TILE_WIDTH = 128,
    WP_BATCH_TILE_HEIGHT = 32,
    WP_BATCH_TILE_SEGMENT = 32,
    // Long signals: samples of a lane, of the part of a warp and around it; warps of a block; levels
    // of a launch.
    WP_BATCH_LANE = 32,
    WP_BATCH_PART_WARPS = 4,
    WP_BATCH_PART_LEVELS = 4
};

// Samples or a band of all images: element (x, y) of image z is x * step_x + y * step_y + z * step_z
// elements after `data`.
struct wp_batch_array {
    void *data;
    ptrdiff_t step_x, step_y, step_z;
};

struct wp_batch_args {
    int planes;
    int width, height; // of the first level
    struct wp_batch_array samples;
    struct wp_batch_array band[WP_BATCH_LEVELS_MAX][WP_BAND_COUNT]; // LL only of the last level
    double scale[WP_BATCH_LEVELS_MAX][WP_BAND_COUNT];
    float scale_f32[WP_BATCH_LEVELS_MAX][WP_BAND_COUNT]; // kernels convert doubles slowly
};

// Element types in memory: of the samples that a kernel reads or writes, of LL of its last level,
// and of the other bands. Arithmetic is in doubles if one of them is f64.
struct wp_batch_types {
    enum wp_element samples, low, high;
};

#ifdef __cplusplus
#define WP_BATCH_FUNCTION constexpr
#else
#define WP_BATCH_FUNCTION static inline
#endif

WP_BATCH_FUNCTION bool wp_batch_is_wide(const struct wp_batch_types *types)
{
    return types->samples == WP_ELEMENT_F64 || types->low == WP_ELEMENT_F64 ||
           types->high == WP_ELEMENT_F64;
}

// Segments of a line of an image or a signal.
WP_BATCH_FUNCTION int wp_batch_segments(int length, bool signal)
{
    const int segment = signal ? WP_BATCH_SIGNAL_SEGMENT : WP_BATCH_SEGMENT;
    return (length + segment - 1) / segment;
}

// Threads of an image: one for each segment of its columns, then of its rows.
WP_BATCH_FUNCTION int wp_batch_share(int width, int height)
{
    const int columns = height > 1 ? width * wp_batch_segments(height, false) : 0;
    const int rows = width > 1 ? height * wp_batch_segments(width, height == 1) : 0;
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

// Threads of a tile: one for each column, and for each segment of its rows with the rows around it;
// and samples in its shared memory. `around`: samples around a tile along an axis.
WP_BATCH_FUNCTION int wp_batch_tile_threads(int around)
{
    const int rows = (WP_BATCH_TILE_HEIGHT + around) * WP_BATCH_TILE_WIDTH / WP_BATCH_TILE_SEGMENT;
    return ((WP_BATCH_TILE_WIDTH > rows ? WP_BATCH_TILE_WIDTH : rows) + 31) / 32 * 32;
}

WP_BATCH_FUNCTION int wp_batch_tile_samples(int around)
{
    return wp_batch_pitch(WP_BATCH_TILE_WIDTH + around) * (WP_BATCH_TILE_HEIGHT + around);
}

// The samples around a part of a signal, at each end, for some levels: as many as steps of `low` and
// `high` pairs reach in both directions, and a multiple of 4 at all levels.
WP_BATCH_FUNCTION int wp_batch_part_margin(int low, int high, int levels)
{
    const int reach = low > high ? low : high, multiple = 4 << levels;
    int least = reach * ((2 << levels) - 2), forward = 0;
    for (int l = 1; l <= levels; l++) {
        forward = (forward + 1) / 2 + reach;
        least = forward << l > least ? forward << l : least;
    }
    return (least + multiple - 1) / multiple * multiple;
}

// Elements of `size` bytes from lane to lane in shared memory, for `count` elements per lane: an odd
// number of 16 bytes, so that lanes access different banks.
WP_BATCH_FUNCTION int wp_batch_lane_pitch(int count, int size)
{
    const int vectors = count * size / 16;
    return vectors > 0 ? (vectors | 1) * 16 / size : count;
}

// Elements in the shared memory of a warp, which has the samples or all bands.
WP_BATCH_FUNCTION int wp_batch_part_samples(int levels, int size)
{
    const int samples = wp_batch_lane_pitch(WP_BATCH_LANE, size);
    int bands = wp_batch_lane_pitch(WP_BATCH_LANE >> levels, size);
    for (int l = 1; l <= levels; l++)
        bands += wp_batch_lane_pitch(WP_BATCH_LANE >> l, size);
    return 32 * (samples > bands ? samples : bands);
}

#endif
