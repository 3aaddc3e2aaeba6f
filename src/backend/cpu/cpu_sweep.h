// A sweep over the quads of a level from top to bottom, with a ring of rows: each quad is read once
// and written once, and intermediate values stay in the cache.
#ifndef WP_CPU_SWEEP_H
#define WP_CPU_SWEEP_H

#include "bands.h"
#include "cpu_rows.h"
#include "lifting.h"

// The lifting program along an axis: with taps as floats, and as a chain if possible.
struct wp_cpu_program {
    struct wp_lifting lifting;
    wp_real c[WP_STEPS_MAX][WP_MAX_TAPS];
    struct wp_cpu_chain chain;
};

// A term of a mask: c times component `from` of the quad at offset at[axis].
struct wp_cpu_term {
    int from, at[2];
};

// The mask of one output component.
struct wp_cpu_mask {
    int count;
    struct wp_cpu_term *term;
    wp_real *c;
};

// The rows of a plane or component that are buffered in a stream. Rows arrive in sequence, `first`
// to rows - 1 and then those before `first`. The first `fixed` rows of the sequence stay in the
// buffer, of the others the latest `ring`.
struct wp_cpu_row_ring {
    int rows, first, fixed, ring;
};

// The index of a row in that sequence.
static inline int wp_cpu_row_ring_index(const struct wp_cpu_row_ring *rows_ring, int row)
{
    return row - rows_ring->first + (row < rows_ring->first ? rows_ring->rows : 0);
}

// The memory of quads or octets: `data[0]` is a plane of samples, or there is one rectangle per
// component, with consecutive slices. Nothing outside of the samples is read or written. A sweep
// processes the quads of one slice.
struct wp_cpu_quads {
    bool samples;
    wp_real *data[WP_OCTET_BANDS];
    ptrdiff_t pitch[WP_OCTET_BANDS]; // distance of rows in floats
    ptrdiff_t slice[WP_OCTET_BANDS]; // distance of slices in floats
    const struct wp_cpu_row_ring *rows_ring[WP_OCTET_BANDS]; // NULL: all rows are in memory
    // For images, elements of another type instead of `data`: samples, or those of a component.
    // NULL: floats. A sweep that is `typed` converts them when they are read and written.
    const struct wp_operand *typed[WP_BAND_COUNT];
};

static inline wp_real *wp_cpu_quads_row(const struct wp_cpu_quads *quads, int component, int row)
{
    const struct wp_cpu_row_ring *rows_ring = quads->rows_ring[component];
    if (rows_ring) {
        const int before = wp_cpu_row_ring_index(rows_ring, row), fixed = rows_ring->fixed;
        row = before < fixed ? before : fixed + (before - fixed) % rows_ring->ring;
    }
    return quads->data[component] + row * quads->pitch[component];
}

struct wp_cpu_sweep {
    int size[2]; // in samples, by axis
    const struct wp_cpu_program *program; // must outlive the sweep
    struct wp_cpu_quads from, to;
    wp_real scale_in[WP_BAND_COUNT], scale_out[WP_BAND_COUNT]; // of components; not for samples
    // Lifting along x, along y, or along x and then y; or masks, which include the scales.
    bool along[2];
    bool masked;
    bool typed; // has buffers for conversion
    struct wp_cpu_mask mask[WP_BAND_COUNT];

    // Set by wp_cpu_sweep_finish():
    struct wp_cpu_chain chain;    // for every axis that has steps, or state = 0
    int low[2], high[2]; // quads that are read beyond the domain, by axis
    int lag;                      // distance in quad rows between the newest and the output row
    int rows;                     // quad rows in the ring
    int stride;                   // distance in floats of rows of a component in the ring
    int pad;                      // floats before quad 0
};

// Extended samples at the ends of a row: index `to` in the piece, index `from` in the row's half
// `half`, negative for zero. The same for all rows of a sweep.
struct wp_cpu_edge_samples {
    int count;
    struct {
        int to, half, from;
    } sample[2 * WP_CPU_EDGE];
};

// A sweep that processes one row of quads per step, so that the caller can interleave it with other
// sweeps: the next one, on rows that this one has written, or that of the other slice along z.
struct wp_cpu_row_sweep {
    const struct wp_cpu_sweep *sweep;
    const struct wp_cpu_rows *rows;
    int first, last; // rows of quads to write
    int newest;      // the next row to be read
    wp_real *convert_in, *convert_out; // rows of floats converted from and to elements
    // Chains:
    wp_real *zeros, *discard, *piece, *tail;
    struct wp_cpu_edge_samples right, left; // extended samples in the piece between two rows
    struct wp_cpu_chain_rows chain;
    // Two joined sweeps: the output rows of the first one, and the state along z of the second one.
    wp_real *between, *state;
    // Single steps:
    int quads;  // in a row
    int origin; // the first row to be read
    wp_real *ring;
    wp_real *mask_rows; // scratch for pointers, after the ring
};

// Number of even (0) or odd (1) samples of n.
static inline int wp_cpu_extent(int n, int parity)
{
    return parity ? n / 2 : n / 2 + n % 2;
}

void wp_cpu_program_set(struct wp_cpu_program *program, const struct wp_lifting *lifting);

void wp_cpu_sweep_finish(struct wp_cpu_sweep *sweep);

// Floats of a sweep's ring; its address must be a multiple of 64.
size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep);

// Processes `count` rows of quads from row `first` on. Stripes of rows are independent. With
// periodic extension, the row after the last one is the first one.
void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, wp_real *ring);

// The same row by row. Chains read zeros if `from` has no data.
void wp_cpu_row_sweep_start(struct wp_cpu_row_sweep *row_sweep, const struct wp_cpu_sweep *sweep,
                            const struct wp_cpu_rows *rows, int first, int count, wp_real *ring);
// Joins two sweeps by chains: `second` transforms along z what `first`, one step ahead, writes to
// `between`, four rows of the chain's length. `to` of the second sweep has both output slices, the
// odd or high one from data[WP_BAND_COUNT] on, and NULL for a slice that is discarded. `gain` is
// that of these slices. `state` has to be preserved until the next pair of slices.
void wp_cpu_row_sweep_join(struct wp_cpu_row_sweep *first, struct wp_cpu_row_sweep *second,
                           const wp_real gain[2], wp_real *between, wp_real *state);
// Floats of `state` for `count` rows of quads.
size_t wp_cpu_row_sweep_state(const struct wp_cpu_sweep *sweep, int count);
// Number of steps until all rows are written.
int wp_cpu_row_sweep_steps(const struct wp_cpu_row_sweep *row_sweep);
void wp_cpu_row_sweep_step(struct wp_cpu_row_sweep *row_sweep);

// The row of samples that the next step reads for the even (cy = 0) or odd row of its quads; a
// chain reads it again in the step after that. -1: none.
int wp_cpu_row_sweep_reads(const struct wp_cpu_row_sweep *row_sweep, int cy);

// The last row of quads whose even (cy = 0) or odd samples have been written so far. Chains may
// have written parts of up to WP_CPU_AHEAD more rows of quads.
int wp_cpu_row_sweep_wrote(const struct wp_cpu_row_sweep *row_sweep, int cy);
enum { WP_CPU_AHEAD = 2 };

#endif
