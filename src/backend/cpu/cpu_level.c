#include "cpu_level.h"

#include "memory.h"

#include <stdlib.h>

// The terms of row `row` of a pass's matrix.
static bool set_mask(struct wp_cpu_mask *mask, const struct wp_scheme *scheme, int pass, int row)
{
    const struct wp_poly *entry = scheme->pass[pass].core.at[row];
    const bool first = pass == 0, last = pass == scheme->pass_count - 1;
    int count = 0;
    for (int j = 0; j < WP_COMPONENTS; j++)
        count += entry[j].count;
    mask->term = wp_allocate((size_t)count, sizeof *mask->term, "a mask");
    mask->c = mask->term ? wp_allocate((size_t)count, sizeof *mask->c, "a mask") : NULL;
    if (!mask->c)
        return false;
    for (int j = 0; j < WP_COMPONENTS; j++) {
        for (int t = 0; t < entry[j].count; t++) {
            const struct wp_term *term = &entry[j].term[t];
            mask->term[mask->count] = (struct wp_cpu_term){j, {term->m, term->n}};
            mask->c[mask->count++] = (float)(term->c * (first ? scheme->scale_in[j] : 1.0) *
                                             (last ? scheme->scale_out[row] : 1.0));
        }
    }
    return true;
}

// Passes without constants of their own, so that their matrices are all there is.
static bool set_masks(struct wp_cpu_level *level, const struct wp_description *description,
                      unsigned axes, bool separable)
{
    struct wp_description plain = *description;
    plain.kind = &wp_scheme_kinds[separable ? WP_SCHEME_SEP_CONVOLUTION
                                            : WP_SCHEME_NONSEP_CONVOLUTION];
    plain.form = WP_FORM_PLAIN;
    struct wp_scheme *scheme = wp_description_scheme(&plain, axes);
    if (!scheme)
        return false;
    bool ok = true;
    level->sweeps = scheme->pass_count;
    for (int s = 0; s < level->sweeps; s++) {
        level->sweep[s].masked = true;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            ok = ok && set_mask(&level->sweep[s].mask[b], scheme, s, b);
    }
    wp_scheme_destroy(&scheme);
    return ok;
}

static void set_lifting(struct wp_cpu_level *level, const struct wp_lifting *lifting,
                        unsigned axes, bool rows)
{
    level->sweeps = rows && axes == WP_AXIS_BOTH ? 2 : 1;
    struct wp_cpu_sweep *first = &level->sweep[0], *last = &level->sweep[level->sweeps - 1];
    first->along[WP_X] = axes & WP_AXIS_H;
    last->along[WP_Y] = axes & WP_AXIS_V;
    for (unsigned b = 0; b < WP_BAND_COUNT; b++) {
        const float gain = (float)wp_lifting_gain(lifting, axes, b);
        *(lifting->direction == WP_FORWARD ? &last->scale_out[b] : &first->scale_in[b]) = gain;
    }
}

bool wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_description *d, int l,
                      const struct wp_cpu_method *method, const struct wp_cpu_program *program)
{
    const int size[] = {wp_level_size(d->size[WP_X], l), wp_level_size(d->size[WP_Y], l)};
    const unsigned axes = wp_lifting_axes(size, 2);
    *level = (struct wp_cpu_level){0};
    for (int b = 0; b < 2 * WP_BAND_COUNT; b++)
        level->sweep[b / WP_BAND_COUNT].scale_in[b % WP_BAND_COUNT] =
            level->sweep[b / WP_BAND_COUNT].scale_out[b % WP_BAND_COUNT] = 1;
    if (!method->masks)
        set_lifting(level, &program->lifting, axes, method->rows);
    else if (!set_masks(level, d, axes, method->rows))
        return false;
    level->sweep[0].from.samples = d->direction == WP_FORWARD;
    level->sweep[level->sweeps - 1].to.samples = d->direction == WP_INVERSE;
    for (int s = 0; s < level->sweeps; s++) {
        struct wp_cpu_sweep *sweep = &level->sweep[s];
        sweep->size[WP_X] = size[WP_X];
        sweep->size[WP_Y] = size[WP_Y];
        sweep->program = program;
        wp_cpu_sweep_finish(sweep);
    }
    return true;
}

void wp_cpu_level_bind(struct wp_cpu_level *level, const struct wp_cpu_quads *from,
                       const struct wp_cpu_quads *to, const struct wp_cpu_quads *between)
{
    level->sweep[0].from = *from;
    level->sweep[level->sweeps - 1].to = *to;
    if (level->sweeps > 1)
        level->sweep[0].to = level->sweep[1].from = *between;
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
