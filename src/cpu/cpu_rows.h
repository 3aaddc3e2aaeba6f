// Work on rows of floats: all arithmetic of the CPU backend. One set of functions for each
// instruction set that this build has; cpu_rows_impl.h is compiled once for each.
//
// Rows need not be aligned, do not overlap unless that is said, and n may be 0.
#ifndef WP_CPU_ROWS_H
#define WP_CPU_ROWS_H

enum { WP_CPU_SLACK = 64 };

// Lifting by pairs of steps of at most two taps each, all steps in one walk with the values
// between them in registers. For each pair in turn
//     b[n] += c[0] a[n] + c[1] a[n + 1], then a[n] += c[2] b[n - 1] + c[3] b[n].
enum { WP_CPU_CHAIN_PAIRS = 2, WP_CPU_CHAIN_ROWS = 2 * WP_CPU_CHAIN_PAIRS - 1 };

struct wp_cpu_chain {
    int pairs; // 1..WP_CPU_CHAIN_PAIRS
    float c[WP_CPU_CHAIN_PAIRS][4];
};

// A chain along y. The new row is row j; what comes out are rows j - pairs.
struct wp_cpu_chain_y {
    const float *a_old, *b_old; // rows j - 1
    const float *a_new;         // row j
    float *state[WP_CPU_CHAIN_ROWS]; // kept from one new row to the next, zero at first
    float *a_out, *b_out;
    float a_scale, b_scale;     // of what comes out
};

struct wp_cpu_rows {
    const char *name; // "AVX2"
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

    // A chain along x: elements 0..n-1 of both, rounded up to whole vectors, from elements that
    // begin `pairs` before and end `pairs` behind them, times a scale. Reads WP_CPU_SLACK floats
    // further at either end.
    void (*chain_x)(float *a_out, float *b_out, const float *a, const float *b, float a_scale,
                    float b_scale, int n, const struct wp_cpu_chain *chain);
    // The same with a[i] = in[2i], b[i] = in[2i + 1], not scaled.
    void (*chain_split)(float *a_out, float *b_out, const float *in, int n,
                        const struct wp_cpu_chain *chain);
    void (*chain_y)(const struct wp_cpu_chain_y *rows, int n, const struct wp_cpu_chain *chain);
};

// Those of this build that this CPU can run, from 0 on, the widest first; NULL beyond the last.
const struct wp_cpu_rows *wp_cpu_rows_get(int i);

#endif
