// Work on rows of floats: all arithmetic of the CPU backend. One set of functions for each
// instruction set that this build has; cpu_rows_impl.h is compiled once for each.
//
// Rows need not be aligned, do not overlap unless that is said, and n may be 0.
#ifndef WP_CPU_ROWS_H
#define WP_CPU_ROWS_H

#include <stdbool.h>

enum { WP_CPU_SLACK = 64, WP_CPU_EDGE = 48 };

// Lifting by pairs of steps of at most two taps each, all steps in one walk with the values
// between them in registers. For each pair in turn
//     b[n] += c[0] a[n] + c[1] a[n + 1], then a[n] += c[2] b[n - 1] + c[3] b[n].
// a and b are the even and the odd samples; mirrored, a[n] is the odd sample n - 1 and b[n] the
// even one n.
enum { WP_CPU_CHAIN_PAIRS = 2, WP_CPU_CHAIN_STATES = 2 * WP_CPU_CHAIN_PAIRS };

struct wp_cpu_chain {
    int pairs; // 1..WP_CPU_CHAIN_PAIRS
    bool mirrored;
    float c[WP_CPU_CHAIN_PAIRS][4];
};

// Part of two rows: in[cy][cx] has the samples of parity cx of the even row (cy = 0) and of the
// odd one, from quad `first` on. Split: in[cy][0] has all samples of the row, from the even one of
// that quad on.
struct wp_cpu_piece {
    int first;
    const float *in[2][2];
};

// Two rows on their way through a chain along x, along y, or both. Along y they are the next ones
// of a walk down the image; what comes out are rows of quads further up.
struct wp_cpu_chain_rows {
    bool x, y;
    bool merged;                  // a mirrored chain along y: what comes out is merged along x
    int quads;                    // to write in each row, rounded up to whole vectors
    struct wp_cpu_piece piece[3]; // for quads below 0, for 0..end-1, for those from `end` on
    int end;                      // the last whole vector's: a multiple of its length
    float scale_in[2][2];         // of what is not split
    // Called before piece[2] is first read, to fill it.
    void (*extend_right)(void *user);
    void *user;
    // Kept from one call to the next (along y only): for every `lanes` quads 2 * pairs vectors of
    // each cx, side by side, so that they are one stream of memory beside those of the image.
    float *state;
    float *out[2][2];      // quad 0 of the results; out[cy][0] has them all where they merge
    float *tail[2][2];     // the same for quad `end`: the vector that may reach beyond the row
    float scale_out[2][2]; // of what is not merged
};

struct wp_cpu_rows {
    const char *name; // of the instruction set: "AVX2"
    int lanes;        // floats in a vector

    // even[i] = in[2i], odd[i] = in[2i + 1]
    void (*split)(float *even, float *odd, const float *in, int n);
    // out[2i] = even[i], out[2i + 1] = odd[i]
    void (*merge)(float *out, const float *even, const float *odd, int n);
    // out[i] = c * in[i]
    void (*scale)(float *out, const float *in, float c, int n);
    // out[i] += the sum of c[t] * in[t][i] over the taps
    void (*lift)(float *out, const float *const *in, const float *c, int taps, int n);
    // out[i] = that sum
    void (*sum)(float *out, const float *const *in, const float *c, int taps, int n);

    // Rows split where a chain that is not mirrored goes along x, merge where a mirrored one goes
    // along y. Pieces 0 and 2 have WP_CPU_EDGE quads, of which those that the chain reaches are read.
    void (*chain)(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain);
};

// Those of this build that this CPU can run, from 0 on, the widest first; NULL beyond the last.
const struct wp_cpu_rows *wp_cpu_rows_get(int i);

#endif
