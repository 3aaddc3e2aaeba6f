#include "cpu_level.h"

#include "memory.h"

#include <stdlib.h>

// The terms of row `row` of a pass's matrix.
static void set_mask(struct wp_cpu_mask *mask, const struct wp_scheme *scheme, int pass, int row)
{
    const struct wp_poly *entry = scheme->pass[pass].core.at[row];
    const bool first = pass == 0, last = pass == scheme->pass_count - 1;
    int count = 0;
    for (int j = 0; j < WP_COMPONENTS; j++)
        count += entry[j].count;
    mask->term = wp_xcalloc((size_t)count, sizeof *mask->term);
    mask->c = wp_xcalloc((size_t)count, sizeof *mask->c);
    for (int j = 0; j < WP_COMPONENTS; j++) {
        for (int t = 0; t < entry[j].count; t++) {
            const struct wp_term *term = &entry[j].term[t];
            mask->term[mask->count] = (struct wp_cpu_term){j, term->m, term->n};
            mask->c[mask->count++] = (float)(term->c * (first ? scheme->scale_in[j] : 1.0) *
                                             (last ? scheme->scale_out[row] : 1.0));
        }
    }
}

// Passes without constants of their own, so that their matrices are all there is.
static struct wp_scheme *convolution(const struct wp_plan *plan, enum wp_axis axes, bool separable)
{
    return wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = &plan->wavelet,
        .kind = &wp_scheme_kinds[separable ? WP_SCHEME_SEP_CONVOLUTION
                                           : WP_SCHEME_NONSEP_CONVOLUTION],
        .form = WP_FORM_PLAIN,
        .direction = plan->params.direction,
        .norm = plan->params.norm,
        .axes = axes,
    });
}

static void set_masks(struct wp_cpu_level *level, const struct wp_plan *plan, enum wp_axis axes,
                      bool separable)
{
    struct wp_scheme *scheme = convolution(plan, axes, separable);
    level->sweeps = scheme->pass_count;
    for (int s = 0; s < level->sweeps; s++) {
        level->sweep[s].masked = true;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            set_mask(&level->sweep[s].mask[b], scheme, s, b);
    }
    wp_scheme_destroy(&scheme);
}

static void set_lifting(struct wp_cpu_level *level, const struct wp_plan *plan, enum wp_axis axes,
                        bool fused)
{
    const struct wp_scheme *scheme = plan->scheme[axes]; // any has these gains
    level->sweeps = fused || axes != WP_AXIS_BOTH ? 1 : 2;
    struct wp_cpu_sweep *first = &level->sweep[0], *last = &level->sweep[level->sweeps - 1];
    if (axes & WP_AXIS_H)
        wp_cpu_axis_set(&first->x, &plan->wavelet, plan->params.direction);
    if (axes & WP_AXIS_V)
        wp_cpu_axis_set(&last->y, &plan->wavelet, plan->params.direction);
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        first->scale_in[b] = (float)scheme->scale_in[b];
        last->scale_out[b] = (float)scheme->scale_out[b];
    }
}

void wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_plan *plan, int l,
                      enum wp_cpu_method method, const struct wp_cpu_quads *from,
                      const struct wp_cpu_quads *to, const struct wp_cpu_quads *between)
{
    const int width = wp_level_size(plan->params.width, l);
    const int height = wp_level_size(plan->params.height, l);
    const enum wp_axis axes = (enum wp_axis)((width > 1 ? WP_AXIS_H : 0u) |
                                             (height > 1 ? WP_AXIS_V : 0u));
    *level = (struct wp_cpu_level){0};
    for (int b = 0; b < 2 * WP_BAND_COUNT; b++)
        level->sweep[b / WP_BAND_COUNT].scale_in[b % WP_BAND_COUNT] =
            level->sweep[b / WP_BAND_COUNT].scale_out[b % WP_BAND_COUNT] = 1;
    if (method == WP_CPU_ROWS_MASKS || method == WP_CPU_MASKS)
        set_masks(level, plan, axes, method == WP_CPU_ROWS_MASKS);
    else
        set_lifting(level, plan, axes, method == WP_CPU_FUSED);
    for (int s = 0; s < level->sweeps; s++) {
        struct wp_cpu_sweep *sweep = &level->sweep[s];
        sweep->width = width;
        sweep->height = height;
        sweep->extension = plan->load[0].extension;
        sweep->from = s == 0 ? *from : *between;
        sweep->to = s == level->sweeps - 1 ? *to : *between;
        wp_cpu_sweep_finish(sweep);
    }
}

void wp_cpu_level_free(struct wp_cpu_level *level)
{
    for (int s = 0; s < level->sweeps; s++) {
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            free(level->sweep[s].mask[b].term);
            free(level->sweep[s].mask[b].c);
        }
    }
    *level = (struct wp_cpu_level){0};
}
