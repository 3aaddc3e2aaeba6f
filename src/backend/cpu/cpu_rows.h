// Functions on rows of floats: all arithmetic of the CPU backend. There is one set of functions per
// instruction set of the build; cpu_rows_impl.h is compiled once for each.
//
// Rows need not be aligned and must not overlap unless stated otherwise. n may be 0.
#ifndef WP_CPU_ROWS_H
#define WP_CPU_ROWS_H

#include "cpu_real.h"

#include <stdbool.h>
#include <stddef.h>

enum { WP_CPU_SLACK = 64 };

// A chain: lifting by steps of at most two taps each. All steps run in one pass over the rows with
// intermediate values in registers. A chain of pairs has one or two pairs of steps, each of which
// computes
//     b[n] += c[0] a[n] + c[1] a[n + 1], then a[n] += c[2] b[n - 1] + c[3] b[n].
// a and b are the even and the odd samples. In a mirrored chain a[n] is the odd sample n - 1 and
// b[n] the even sample n.
//
// A chain of steps begins with either parity, and has odd numbers of steps, too. Steps alternate:
//     odd[n] += c[0] even[n] + c[1] even[n + 1], and even[n] += c[0] odd[n - 1] + c[1] odd[n].
enum {
    WP_CPU_LANES_MAX = 8,
    WP_CPU_CHAIN_PAIRS = 2,
    WP_CPU_CHAIN_STEPS_MIN = 4,
#ifdef WP_CPU_SMALL // images of floats, one by one: chains of pairs only
    WP_CPU_CHAIN_STEPS = 0,
    WP_CPU_CHAIN_INTEGERS = 0,
    WP_CPU_CHAIN_VOLUMES = 0,
    WP_CPU_BATCHES = 0,
#else
    WP_CPU_CHAIN_STEPS = 6,
    WP_CPU_CHAIN_INTEGERS = 1, // reversible chains
    WP_CPU_CHAIN_VOLUMES = 1,  // chains along x, y and z
    WP_CPU_BATCHES = 1,
#endif
    WP_CPU_CHAIN_REACH = 3,                          // most quads of `before` and `lag`
    WP_CPU_CHAIN_LINES = 7,                          // most vectors of wp_cpu_chain_lines()
    WP_CPU_CHAIN_STATE_X = 2 * 14 * WP_CPU_LANES_MAX, // of two rows
    WP_CPU_EDGE = 4 * WP_CPU_LANES_MAX,              // quads of a piece on one side
};

// Reversible chains compute with integers and with taps that are constants. d are the odd samples,
// s the even ones, n as above.
enum wp_cpu_integer_steps {
    WP_CPU_FLOATS,     // not reversible
    WP_CPU_INTEGER_HAAR, // d[n] -= s[n], s[n] += d[n] >> 1
    WP_CPU_INTEGER_53,   // d[n] -= s[n] + s[n + 1] >> 1, s[n] += d[n - 1] + d[n] + 2 >> 2
};

struct wp_cpu_chain {
    int state; // vectors of the state along y, for a vector of columns; 0: no chain
    int before, lag; // quads that are read before the first one and after the last one
    // Along y: rows of quads by which odd samples are read after even ones (0 or 1), and by which
    // even samples are written before odd ones (0 or 1).
    int below, above;
    int pairs; // 1..WP_CPU_CHAIN_PAIRS; 0: `steps`
    bool mirrored;
    wp_real c[WP_CPU_CHAIN_PAIRS][4];
    enum wp_cpu_integer_steps integer;
    int steps; // WP_CPU_CHAIN_STEPS_MIN..WP_CPU_CHAIN_STEPS; 0: `pairs`
    bool odd;  // the target of the first step
    wp_real step[WP_CPU_CHAIN_STEPS + 1][2]; // taps; the last entry is unused
};

// The input rows of an even and an odd row: in[cy][cx] has the samples of parity cx of the even row
// (cy = 0) or the odd one, from quad 0 on. Split: in[cy][0] has all samples of the row, from the
// even one of quad 0 on.
struct wp_cpu_piece {
    const wp_real *in[2][2];
};

// The output rows of a chain; with z those of two slices, else only [0].
struct wp_cpu_target {
    wp_real *out[2][2][2]; // [cz][cy][cx]: quad 0; merged: [0] of cx has all samples
    wp_real *tail;         // the same for quad `end`: vectors that may exceed the row
    wp_real *state;        // state along z, until the next pair of slices
};

// A range of quads in one call: its input piece, its target, and whether it is in the target's
// tail. Quads are counted from quad 0 of the newest rows.
struct wp_cpu_segment {
    int from, until;
    int piece, target;
    int in, out; // offsets in quads to the piece and to the target
    bool tail;
};

enum { WP_CPU_SEGMENTS = 7 };

// Two rows that pass through a chain along x, along y, along both, or along x, y and, with those of
// another slice, z. Along y they are the next rows of a sweep down the image; the output is rows of
// quads further up. Along x rows are concatenated: a call processes the end of the previous rows,
// the piece between these and the newest rows, and the newest rows except for their end.
struct wp_cpu_chain_rows {
    bool x, y, z;
    bool split, merged;           // along x: input and output are rows of samples
    int enter, stop;              // range of quads to process
    int length;                   // of rows, in complete vectors: wp_cpu_chain_length()
    int end;                      // quads from here on are read from a piece and written to a tail
    struct wp_cpu_segment segment[WP_CPU_SEGMENTS]; // consecutive
    struct wp_cpu_piece piece[3]; // previous rows, the piece in between, newest rows
    wp_real scale_in[2][2];         // of input that is not split
    wp_real *state_x;               // state along x: WP_CPU_CHAIN_STATE_X floats
    // State along y: for every `lanes` quads `state` vectors of each cx, contiguous, so that they
    // are one memory stream in addition to those of the image.
    wp_real *state;
    const wp_real *other; // output quads of the first slice: four components, `length` apart
    struct wp_cpu_target target[3]; // of the rows two before, of the previous and the newest rows
    int tail_pitch;                 // distance of rows of a tail
    wp_real scale_out[2][2][2];       // of output that is not merged
};

static inline bool wp_cpu_chain_has_steps(const struct wp_cpu_chain *chain)
{
    return WP_CPU_CHAIN_STEPS > 0 && chain->pairs == 0;
}

// Distance in quads between input and output along x in vectors of neighbors: each pair, or stage
// of two steps, processes the latest but one vector.
static inline int wp_cpu_chain_delay(const struct wp_cpu_chain *chain, int lanes)
{
    return wp_cpu_chain_has_steps(chain) ? chain->lag + (chain->steps - 1) / 2 * lanes
                                         : (2 * chain->pairs - 1) * lanes;
}

// The same in rows, in complete vectors; the rest is the number of quads by which input is read
// ahead.
static inline int wp_cpu_chain_ahead(const struct wp_cpu_chain *chain, bool x, int lanes)
{
    return x && wp_cpu_chain_has_steps(chain) ? wp_cpu_chain_delay(chain, lanes) % lanes : 0;
}

static inline int wp_cpu_chain_lag(const struct wp_cpu_chain *chain, bool x, int lanes)
{
    return x ? wp_cpu_chain_delay(chain, lanes) - wp_cpu_chain_ahead(chain, x, lanes) : 0;
}

// Length of rows in a chain. Along x, neighboring rows must not share a vector. Output belongs to
// these rows or to the previous ones.
static inline int wp_cpu_chain_length(int quads, const struct wp_cpu_chain *chain, bool x,
                                      int lanes)
{
    const int needed = x ? quads + chain->before + chain->lag : quads;
    const int rounded = (needed + lanes - 1) / lanes * lanes;
    const int min_length = wp_cpu_chain_lag(chain, x, lanes) + lanes;
    return rounded > min_length ? rounded : min_length;
}

// Vectors of the state of chain_row() and the functions after it.
static inline int wp_cpu_chain_lines(const struct wp_cpu_chain *chain)
{
    return wp_cpu_chain_has_steps(chain) ? chain->steps + 1 : 3 * chain->pairs;
}

// Larger results are written past the caches, by functions that can do so.
enum { WP_CPU_STREAMED_BYTES = 1 << 21 };

struct wp_cpu_rows {
    const char *name; // instruction set: "AVX2"
    int lanes;        // floats per vector

    // even[i] = in[2i], odd[i] = in[2i + 1]
    void (*split)(wp_real *even, wp_real *odd, const wp_real *in, int n);
    // out[2i] = even[i], out[2i + 1] = odd[i]
    void (*merge)(wp_real *out, const wp_real *even, const wp_real *odd, int n);
    // out[i] = c * in[i]
    void (*scale)(wp_real *out, const wp_real *in, wp_real c, int n);
    // out[i] += sum of c[t] * in[t][i] over the taps
    void (*lift)(wp_real *out, const wp_real *const *in, const wp_real *c, int taps, int n);
    // out[i] = floor(out[i] + that sum + round); absolute values less than 2^24, of doubles 2^53
    void (*lift_integer)(wp_real *out, const wp_real *const *in, const wp_real *c, int taps,
                         wp_real round, int n);
    // out[i] = that sum. With `stream` these functions write past the caches, if they can, for
    // output that is not read soon; other threads may read it after finish_stream().
    void (*sum)(wp_real *out, const wp_real *const *in, const wp_real *c, int taps, int n,
                bool stream);
    // low[i] = that sum, high[i] = sum of d[t] * in[t][i]; `stream`: bit 0 for `low`, 1 for `high`.
    void (*sums)(wp_real *low, wp_real *high, const wp_real *const *in, const wp_real *c,
                 const wp_real *d, int taps, int n, unsigned stream);
    // low[i] = that sum, band[i] = x[i] - low[i]; `stream` likewise.
    void (*smooth)(wp_real *low, wp_real *band, const wp_real *x, const wp_real *const *in,
                   const wp_real *c, int taps, int n, unsigned stream);
    // out[0][i] = that sum plus the sum of c[1][t] * rest[t][i], where rest = in + taps[0]. Of two
    // results rest = in + taps[0] + 1, and out[1][i] is the same of in[t + 1] and rest[t + 1].
    void (*join)(wp_real *const *out, int results, const wp_real *const *in,
                 const wp_real *const c[2], const int taps[2], int n, bool stream);
    void (*finish_stream)(void);

    // scale() and merge() past the caches.
    void (*scale_stream)(wp_real *out, const wp_real *in, wp_real c, int n);
    void (*merge_stream)(wp_real *out, const wp_real *even, const wp_real *odd, int n);

    // Transposition between `lanes` rows, of which sample i is at row[r][first + i * gap], and
    // vectors, in which it is at v[i % 2] + i / 2 * step + r. Samples are multiplied with c. Only
    // the first `rows` rows are written.
    void (*interleave)(wp_real *const v[2], ptrdiff_t step, const wp_real *const *row,
                       ptrdiff_t first, ptrdiff_t gap, wp_real c, int n);
    void (*separate)(wp_real *const *row, int rows, ptrdiff_t first, ptrdiff_t gap,
                     const wp_real *const v[2], ptrdiff_t step, wp_real c, int n);

    // Chains of images in lanes, in place. Along x for n quads, given by vectors of even and odd
    // samples. The first `before` and the last `lag` quads are not complete.
    void (*chain_row)(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n);
    // Along y for n floats of the next rows, even and odd ones in turn. Rows that are `lag` quads
    // before them are completed. The state has wp_cpu_chain_lines() * n floats, which are 0 before
    // the first row.
    void (*chain_columns)(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                          int quads, int n);
    // Likewise, with the bits of a chain along x: row y has sample y of n signals.
    void (*chain_neighbors)(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                            int quads, int n);
    // Along n even and odd samples of a signal. The first `before` and the last `lag` ones are not
    // complete; reads and writes up to WP_CPU_SLACK more, and WP_CPU_LANES_MAX before the first.
    void (*chain_signal)(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n);

    // Runs a chain. If it has pairs, rows are split if it is not mirrored and runs along x, merged
    // if it is mirrored and runs along y.
    void (*chain)(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain);

    // Conversion of other element types.
    const struct wp_element_rows *elements;
};

// The sets that this CPU supports, from 0 on, the widest vectors first; NULL after the last.
const struct wp_cpu_rows *wp_cpu_rows_get(int i);

#endif
