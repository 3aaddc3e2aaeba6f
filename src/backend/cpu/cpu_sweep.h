// One walk over the quads of a level, from top to bottom, in a ring of rows: each quad is read
// once and written once, and in between everything happens in cache.
#ifndef WP_CPU_SWEEP_H
#define WP_CPU_SWEEP_H

#include "bands.h"
#include "cpu_rows.h"
#include "lifting.h"

// The lifting program as it runs along an axis here: with its taps as floats, and as a chain where
// it can be one (pairs > 0).
struct wp_cpu_program {
    struct wp_lifting lifting;
    float c[WP_STEPS_MAX][WP_MAX_TAPS];
    struct wp_cpu_chain chain;
};

// A term of a mask: c times component `from` of the quad at `at` from here, by axis.
struct wp_cpu_term {
    int from, at[2];
};

// What one component becomes.
struct wp_cpu_mask {
    int count;
    struct wp_cpu_term *term;
    float *c;
};

// Which rows of a plane or a component are there while an image goes by: they come one after the
// other, `first` to rows - 1 and then those before it. The first `kept` ones stay, and of the others
// as many as `ring`, the latest.
struct wp_cpu_row_ring {
    int rows, first, kept, ring;
};

// How many come before row `row`.
static inline int wp_cpu_row_ring_index(const struct wp_cpu_row_ring *rows_ring, int row)
{
    return row - rows_ring->first + (row < rows_ring->first ? rows_ring->rows : 0);
}

// Where quads lie, or octets: `data[0]` is a plane of samples, or there is a rectangle a component,
// slices of them one behind the other. Nothing beyond their samples is read or written. A sweep
// takes the quads of one slice.
struct wp_cpu_quads {
    bool samples;
    float *data[WP_OCTET_BANDS];
    ptrdiff_t pitch[WP_OCTET_BANDS]; // floats from row to row
    ptrdiff_t slice[WP_OCTET_BANDS]; // and from slice to slice
    const struct wp_cpu_row_ring *rows_ring[WP_OCTET_BANDS]; // NULL: all rows are there
    // NULL, or of an image elements of any type in place of `data`: samples, or a component's. They
    // become floats as they enter a sweep, and are made of them as they leave, which the sweep has to
    // be `typed` for.
    const struct wp_pixels *typed[WP_BAND_COUNT];
};

static inline float *wp_cpu_quads_row(const struct wp_cpu_quads *quads, int component, int row)
{
    const struct wp_cpu_row_ring *rows_ring = quads->rows_ring[component];
    if (rows_ring) {
        const int before = wp_cpu_row_ring_index(rows_ring, row), kept = rows_ring->kept;
        row = before < kept ? before : kept + (before - kept) % rows_ring->ring;
    }
    return quads->data[component] + row * quads->pitch[component];
}

struct wp_cpu_sweep {
    int size[2]; // in samples, by axis
    const struct wp_cpu_program *program; // must outlive the sweep
    struct wp_cpu_quads from, to;
    float scale_in[WP_BAND_COUNT], scale_out[WP_BAND_COUNT]; // of components; samples have none
    // Lifting along x, along y, or along x and then y; or masks, which hold the scales already.
    bool along[2];
    bool masked;
    bool typed; // it has room for such elements
    struct wp_cpu_mask mask[WP_BAND_COUNT];

    // What wp_cpu_sweep_finish() makes of these.
    struct wp_cpu_chain chain;    // of every axis that has steps, or pairs = 0
    int low[2], high[2]; // quads that are read beyond the domain, by axis
    int lag;                      // quad rows from the newest to the one that is written
    int rows;                     // quad rows in the ring
    int stride;                   // floats from one row of a component to the next in the ring
    int pad;                      // of them before quad 0
};

// Samples that stand in a piece beside a row: `to` in the piece, `from` in the row's half of this
// parity, or below 0 for one that is zero. The same for all rows of a walk.
struct wp_cpu_edge_samples {
    int count;
    struct {
        int to, half, from;
    } sample[2 * WP_CPU_EDGE];
};

// A sweep that takes a row of quads at a time, for who does something in between: another sweep, of
// the rows that have left this one, or of the slice above, which takes every row on along z.
struct wp_cpu_row_sweep {
    const struct wp_cpu_sweep *sweep;
    const struct wp_cpu_rows *rows;
    int first, last; // rows of quads to write
    int newest;      // the next one that enters
    float *room_in, *room_out; // rows of floats between a chain, or the ring, and elements
    // By a chain.
    float *zeros, *nowhere, *piece, *tail;
    struct wp_cpu_edge_samples right, left; // of every row, in the piece between two
    struct wp_cpu_chain_rows chain;
    // Of two walks side by side: where the first leaves its rows to the second, and what the second
    // keeps along z.
    float *between, *state;
    // By single steps.
    int quads;  // in a row
    int origin; // the first row that is read
    float *ring;
    float *behind; // the ring
};

// Even or odd ones among n samples.
static inline int wp_cpu_extent(int n, int parity)
{
    return parity ? n / 2 : n / 2 + n % 2;
}

void wp_cpu_program_set(struct wp_cpu_program *program, const struct wp_lifting *lifting);

void wp_cpu_sweep_finish(struct wp_cpu_sweep *sweep);

// Floats that a walk needs; at an address that is a multiple of 64.
size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep);

// Walks down `count` rows of quads from row `first`. Stripes of rows are independent. Where borders
// are periodic, what is beyond the last row is the first one, and so on.
void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, float *ring);

// The same, row by row; by a chain zeros come from nowhere where `from` has no data.
void wp_cpu_row_sweep_start(struct wp_cpu_row_sweep *row_sweep, const struct wp_cpu_sweep *sweep,
                       const struct wp_cpu_rows *rows, int first, int count, float *ring);
// Lets `second` take along z what `first`, a step ahead of it, leaves in `between`: four rows of
// the chain's length. `to` of the second's sweep has both slices that come out, the odd one or the
// high part from data[WP_BAND_COUNT] on, and nothing for one that nobody wants. `gain` is theirs.
// `state` stays from one pair of slices to the next. Both walks are by chains.
void wp_cpu_row_sweep_join(struct wp_cpu_row_sweep *first, struct wp_cpu_row_sweep *second, const float gain[2],
                      float *between, float *state);
size_t wp_cpu_row_sweep_state(const struct wp_cpu_sweep *sweep, int count); // floats, for so many rows
// Steps that it takes to get all that is wanted out again.
int wp_cpu_row_sweep_steps(const struct wp_cpu_row_sweep *row_sweep);
void wp_cpu_row_sweep_step(struct wp_cpu_row_sweep *row_sweep);

// The row of samples that the next step takes for the even one of its quads (cy = 0) or for the odd
// one, and a chain reads in the step after that again; -1: none.
int wp_cpu_row_sweep_reads(const struct wp_cpu_row_sweep *row_sweep, int cy);

// The last row of quads whose even samples, or odd ones, have left in the steps so far; of the next
// ones some are written already, WP_CPU_AHEAD rows of quads at most and by a chain alone.
int wp_cpu_row_sweep_wrote(const struct wp_cpu_row_sweep *row_sweep, int cy);
enum { WP_CPU_AHEAD = 2 };

#endif
