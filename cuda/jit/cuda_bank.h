// Arguments of the kernels of redundant banks (cuda_bank.cuh), which are compiled at run time.
#ifndef WP_CUDA_BANK_H
#define WP_CUDA_BANK_H

#include "cuda_batch.h"

enum {
    WP_BANK_ROWS_MOST = 128, // of a block
    WP_BANK_GROUPS = 2,      // of four columns that a thread copies, at most
    WP_BANK_SUM_ROWS = 4,    // of a thread of a sum
    WP_BANK_ARRAYS = 32      // the most arrays of a sum
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

// What a kernel is compiled for, apart from its filters and types.
struct wp_bank_shape {
    int columns;     // neighbors of a thread
    int apart;       // the distance of taps in shared memory, at most `columns` unless `strided`
    bool strided;    // the results of a thread are as far apart as taps, not neighbors
    int rows;        // of an iteration
    int stages;      // rows in shared memory, a power of two
    int threads;     // of a block, at most
    int bytes;       // of shared memory per block
    bool centered;   // `other` is in[0]
    bool difference; // in[0] is in[0] - other
};

// Arrays of width x height x depth samples. Filters run along x and y; `step_y` and `step_z` of all
// arrays, and what follows, may be exchanged, to filter along z.
struct wp_bank_args {
    int width, height, depth;
    int dilation;
    int rows; // of a block, at most WP_BANK_ROWS_MOST
    // The columns of a block, its tile: groups of four with those around, of which `lead` are before
    // the first tap; its results. A tile has `phases` neighbors, then those `dilation` from them, and
    // so on; `chunks` tiles are needed for all neighbors.
    int groups, lead, outputs, phases, chunks;
    int blocks; // along x; blocks are numbered along x, then along y
    bool vector; // neighbors of all arrays are next to each other and aligned to four elements
    // Weights (redundant.h): the axes that have some, of the arrays; bit i of `divided` is set if
    // in[i] is divided by them, bit i of `weighted` if out[i] is multiplied. Bit 4 of `divided`:
    // `other`.
    unsigned axes, divided, weighted;
    struct wp_batch_array in[4], out[4], other;
    ptrdiff_t in_step[4], out_step[4], other_step; // bytes from row to row of a block
};

struct wp_bank_sum {
    int width, height, depth;
    int inputs, outputs;
    struct wp_batch_array in[WP_BANK_ARRAYS], out[WP_BANK_ARRAYS];
};

#endif
