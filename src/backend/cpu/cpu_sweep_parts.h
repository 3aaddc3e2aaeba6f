// Parts of a sweep: its rows in memory (cpu_sweep_rows.c) and chains (cpu_sweep_chain.c).
#ifndef WP_CPU_SWEEP_PARTS_H
#define WP_CPU_SWEEP_PARTS_H

#include "cpu_sweep.h"

// Rows of floats converted from and to elements, for the three rows of quads that are in a chain at
// a time. A row is a row of samples, or of two components.
enum { WP_CPU_CONVERT_ROWS = 3 * 2 };

static inline size_t wp_cpu_convert_pitch(const struct wp_cpu_sweep *sweep)
{
    return wp_cpu_round_up((size_t)sweep->size[WP_X]) + WP_CPU_LINE;
}

// Offset of component cx in such a row; samples begin at 0.
static inline size_t wp_cpu_convert_half(const struct wp_cpu_sweep *sweep, int cx)
{
    return cx ? wp_cpu_round_up((size_t)wp_cpu_extent(sweep->size[WP_X], 0)) : 0;
}

// The row of quads with periodic extension.
static inline int wp_cpu_sweep_wrap(const struct wp_cpu_sweep *sweep, int row)
{
    return row % wp_cpu_extent(sweep->size[WP_Y], 0);
}

// Extent of samples, or of a component.
static inline int wp_cpu_sweep_extent(const struct wp_cpu_sweep *sweep,
                                      const struct wp_cpu_quads *quads, int component, int axis)
{
    return quads->samples ? sweep->size[axis]
                          : wp_cpu_extent(sweep->size[axis], component >> axis & 1);
}

// Row `row` of the input samples or of an input component, converted to floats in `converted` if
// necessary.
const wp_real *wp_cpu_sweep_row_in(const struct wp_cpu_row_sweep *row_sweep, int component,
                                   int row, wp_real *converted);

// Converts and writes columns x... of an output row.
void wp_cpu_sweep_write(const struct wp_cpu_row_sweep *row_sweep, int component, int row, int x,
                        int count, const wp_real *floats);

// Floats of a chain's memory, which it has instead of the ring.
size_t wp_cpu_sweep_chain_floats(const struct wp_cpu_sweep *sweep);
void wp_cpu_sweep_chain_start(struct wp_cpu_row_sweep *row_sweep, wp_real *memory);
void wp_cpu_sweep_chain_step(struct wp_cpu_row_sweep *row_sweep);

#endif
