// Arguments of the kernels of wavelet packets (cuda_packets.cuh), which are compiled at run time.
#ifndef WP_CUDA_PACKETS_H
#define WP_CUDA_PACKETS_H

#include "cuda_batch.h"

enum {
    WP_PACKETS_LEVELS = 5, // of a launch, at most
    WP_PACKETS_LEAVES = 1 << WP_PACKETS_LEVELS,
    WP_PACKETS_LINES = 32, // of a block, one per lane
    // Samples of a line in the registers of a thread, at most, in floats and in doubles.
    WP_PACKETS_LINE = 128,
    WP_PACKETS_LINE_WIDE = 64
};

// Levels along one axis, or in a block along x and y.
//
// Of one axis: the axis has `nodes` nodes of `node` samples, one after the other, that are split;
// their children take their places. Element i of line j of plane k is i * step_x + j * step_y +
// k * step_z elements after the first one.
// In a block: images, as in cuda_batch.h.
struct wp_packets_args {
    struct wp_batch_args batch; // of blocks: its `planes` and sizes
    int nodes, node, lines, planes;
    // Bit 0: the input can be read four neighbors at a time: these are in one leaf, and aligned to their
    // size, at most 16 bytes. Bit 1: the output can be written like that.
    unsigned vector;
    struct wp_batch_array in, out;
    // The gains of the leaves of a node, along x and y or the axis.
    double scale[2][WP_PACKETS_LEAVES];
    float scale_f32[2][WP_PACKETS_LEAVES];
};

// Elements from line to line in shared memory, for `count` elements per line: an odd number of groups
// of four.
WP_BATCH_FUNCTION int wp_packets_pitch(int count)
{
    return 4 * ((count + 3) / 4 | 1);
}

#endif
