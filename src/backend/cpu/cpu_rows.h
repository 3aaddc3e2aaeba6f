// Work on rows of floats: all arithmetic of the CPU backend. One set of functions for each
// instruction set that this build has; cpu_rows_impl.h is compiled once for each.
//
// Rows need not be aligned, do not overlap unless that is said, and n may be 0.
#ifndef WP_CPU_ROWS_H
#define WP_CPU_ROWS_H

#include "elements.h"

#include <stdbool.h>

enum { WP_CPU_SLACK = 64, WP_CPU_EDGE = 32 };

// Lifting by pairs of steps of at most two taps each, all steps in one walk with the values
// between them in registers. For each pair in turn
//     b[n] += c[0] a[n] + c[1] a[n + 1], then a[n] += c[2] b[n - 1] + c[3] b[n].
// a and b are the even and the odd samples; mirrored, a[n] is the odd sample n - 1 and b[n] the
// even one n.
enum {
    WP_CPU_LANES_MAX = 8,
    WP_CPU_CHAIN_PAIRS = 2,
    WP_CPU_CHAIN_STATES = 2 * WP_CPU_CHAIN_PAIRS,
    WP_CPU_CHAIN_WITHIN = 2 * 5 * WP_CPU_CHAIN_PAIRS * WP_CPU_LANES_MAX,
};

// Of those whose steps round, with integers in place of floats and the taps known when this is
// compiled; d are the odd samples, s the even ones, n as above.
enum wp_cpu_integer_steps {
    WP_CPU_FLOATS,     // none
    WP_CPU_INTEGER_HAAR, // d[n] -= s[n], s[n] += d[n] >> 1
    WP_CPU_INTEGER_53,   // d[n] -= s[n] + s[n + 1] >> 1, s[n] += d[n - 1] + d[n] + 2 >> 2
};

struct wp_cpu_chain {
    int pairs; // 1..WP_CPU_CHAIN_PAIRS
    bool mirrored;
    float c[WP_CPU_CHAIN_PAIRS][4];
    enum wp_cpu_integer_steps whole;
};

// Part of two rows: in[cy][cx] has the samples of parity cx of the even row (cy = 0) and of the
// odd one, from quad 0 on. Split: in[cy][0] has all samples of the row, from the even one of that
// quad on.
struct wp_cpu_piece {
    const float *in[2][2];
};

// Where two rows go as they leave a chain; with z those of two slices, else [0] alone.
struct wp_cpu_target {
    float *out[2][2][2]; // [cz][cy][cx]: quad 0; [0] of cx has them all where they merge
    float *tail;         // the same for quad `end`: vectors that may reach beyond the row
    float *state;        // what is kept along z, until the next pair of slices
};

// A part of what goes through in one call: of which piece, to which target, in its tail or not.
// Quads are counted from quad 0 of the newest rows.
struct wp_cpu_segment {
    int from, until;
    int piece, target;
    int in, out; // quads from those that are counted to those of the piece, and of the target
    bool tail;
};

enum { WP_CPU_SEGMENTS = 7 };

// Two rows on their way through a chain along x, along y, or both, or along x, y and, with those of
// another slice, z. Along y they are the next ones of a walk down the image; what comes out are rows
// of quads further up. Along x rows follow one another without a gap: a call takes the ends of the
// rows before and what stands between these and the newest rows, and then the newest ones, all but
// their ends.
struct wp_cpu_chain_rows {
    bool x, y, z;
    bool merged;                  // mirrored chains along y: what comes out is merged along x
    int enter, stop;              // what goes through now, of what the stages say
    int length;                   // of rows in the chain, whole vectors: wp_cpu_chain_length()
    int end;                      // quads from here on are not read or written where they lie
    struct wp_cpu_segment segment[WP_CPU_SEGMENTS]; // one behind the other
    struct wp_cpu_piece piece[3]; // the rows before, what is between, the newest ones
    float scale_in[2][2];         // of what is not split
    float *within;                // what is kept along x: WP_CPU_CHAIN_WITHIN floats
    // What is kept along y: for every `lanes` quads 2 * pairs vectors of each cx, side by side, so
    // that they are one stream of memory beside those of the image.
    float *state;
    const float *other; // the first slice's quads as they left: four components, `length` apart
    struct wp_cpu_target target[3]; // of the rows before the rows before, of those, of the newest
    int tail_pitch;                 // from one row of a tail to the next
    float scale_out[2][2][2];       // of what is not merged
};

// Quads from those that go in along x to those that come out.
static inline int wp_cpu_chain_lag(int pairs, bool x, int lanes)
{
    return x ? (2 * pairs - 1) * lanes : 0;
}

// Along x neighbours must not meet in a vector: `pairs` quads at both ends of a row. What comes out
// belongs to these rows or to those before.
static inline int wp_cpu_chain_length(int quads, int pairs, bool x, int lanes)
{
    const int needed = x ? quads + 2 * pairs : quads;
    const int whole = (needed + lanes - 1) / lanes * lanes;
    const int least = wp_cpu_chain_lag(pairs, x, lanes) + lanes;
    return whole > least ? whole : least;
}

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
    // out[i] += that sum and `round`, and is rounded down; less than 2^24 in size
    void (*lift_integer)(float *out, const float *const *in, const float *c, int taps, float round,
                       int n);
    // out[i] = that sum
    void (*sum)(float *out, const float *const *in, const float *c, int taps, int n);

    // Rows split where a chain that is not mirrored goes along x, merge where a mirrored one goes
    // along y.
    void (*chain)(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain);

    // Samples that are no floats.
    const struct wp_element_rows *elements;
};

// Those of this build that this CPU can run, from 0 on, the widest first; NULL beyond the last.
const struct wp_cpu_rows *wp_cpu_rows_get(int i);

#endif
