// Arguments of the kernels of redundant banks (cuda_bank.cuh), which are compiled at run time.
#ifndef WP_CUDA_BANK_H
#define WP_CUDA_BANK_H

#include "cuda_batch.h"

enum {
    WP_BANK_ROWS = 4,    // rows between two barriers
    WP_BANK_PHASES = 8,  // the most neighboring columns of a block whose taps are apart: a sector
                         // of memory
    WP_BANK_ARRAYS = 32  // the most arrays of a sum
};

// What a kernel computes; F are filters along its axes, for a band low or high ones.
enum wp_bank_kind {
    WP_BANK_SPLIT,      // out[b] = F_b in[0]
    WP_BANK_JOIN,       // out[0] = sum of F_b in[b]
    WP_BANK_SMOOTH,     // out[0] = F in[0]
    WP_BANK_DIFFERENCE, // out[0] = F in[0], out[1] = other - out[0]
    WP_BANK_MERGE,      // out[0] = F in[0] + other
    WP_BANK_SUM         // every out[i] = the sum of all in[i]
};

// Arrays of width x height x depth samples. Filters run along x and y; `step_y` and `step_z` of all
// arrays, and what follows, may be exchanged, to filter along z.
struct wp_bank_args {
    int width, height, depth;
    int dilation;
    int rows; // of a block, a multiple of WP_BANK_ROWS
    bool difference; // in[0] is in[0] - other
    // Weights (redundant.h): the axes that have some, of the arrays; bit i of `divided` is set if
    // in[i] is divided by them, bit i of `weighted` if out[i] is multiplied. Bit 4 of `divided`:
    // `other`.
    unsigned axes, divided, weighted;
    struct wp_batch_array in[4], out[4], other;
};

struct wp_bank_sum {
    int width, height, depth;
    int inputs, outputs;
    struct wp_batch_array in[WP_BANK_ARRAYS], out[WP_BANK_ARRAYS];
};

#endif
