#include "cpu_sweep_parts.h"

// Prefetches a row. Conversion alone is too short to hide the latency of a row; the chain's steps
// in between are long enough.
static void fetch_row(const struct wp_cpu_row_sweep *w, int component, int row)
{
    enum { LINE_BYTES = 64, SECOND_CACHE = 2 };
    const struct wp_cpu_quads *from = &w->sweep->from;
    const struct wp_operand *typed = from->typed[component];
    const ptrdiff_t first = row * typed->stride[WP_Y];
    const int width = wp_cpu_sweep_extent(w->sweep, from, component, WP_X);
    if (width == 0 || row >= wp_cpu_sweep_extent(w->sweep, from, component, WP_Y))
        return;
    const char *const end = wp_operand_at(typed, first + (width - 1) * typed->stride[WP_X]);
    for (const char *line = wp_operand_at(typed, first); line <= end; line += LINE_BYTES)
        __builtin_prefetch(line, 0, SECOND_CACHE);
}

const wp_real *wp_cpu_sweep_row_in(const struct wp_cpu_row_sweep *w, int component, int row,
                                   wp_real *converted)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const struct wp_cpu_quads *from = &sweep->from;
    const struct wp_operand *typed = from->typed[component];
    if (!typed)
        return wp_cpu_quads_row(from, component, row);
    wp_operand_read(w->rows->elements, converted, typed, row * typed->stride[WP_Y],
                    sweep->program->lifting.reversible,
                    wp_cpu_sweep_extent(sweep, from, component, WP_X));
    fetch_row(w, component, row + (from->samples ? 2 : 1));
    return converted;
}

void wp_cpu_sweep_write(const struct wp_cpu_row_sweep *w, int component, int row, int x, int count,
                        const wp_real *floats)
{
    const struct wp_operand *typed = w->sweep->to.typed[component];
    wp_operand_write(w->rows->elements, typed, row * typed->stride[WP_Y] + x * typed->stride[WP_X],
                    floats, w->sweep->program->lifting.reversible, count);
}

int wp_cpu_row_sweep_reads(const struct wp_cpu_row_sweep *row_sweep, int cy)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    // Along y chains process the odd samples with the even ones below or above them.
    const bool below = cy && sweep->chain.state && sweep->along[WP_Y] && sweep->chain.below;
    if (row_sweep->newest > row_sweep->last + sweep->high[WP_Y])
        return -1;
    return wp_extend(sweep->program->lifting.extension, 2 * (row_sweep->newest - below) + cy,
                     sweep->size[WP_Y]);
}
