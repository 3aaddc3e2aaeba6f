// Levels in the form of kernel arguments, computed from the lifting program, and their memory; the
// filters that are equivalent to the steps of a level.
#include "cuda_exec.h"
#include "elements.h"
#include "log.h"
#include "memory.h"

#include <string.h>

_Static_assert((int)WP_CUDA_LEVELS_MAX == (int)WP_MAX_LEVELS, "the most levels");

void wp_cuda_set_steps(struct wp_cuda_level *level, const struct wp_lifting *lifting)
{
    level->inverse = lifting->direction == WP_INVERSE;
    level->reversible = lifting->reversible;
    level->extension = lifting->extension;
    level->reach_low = lifting->before;
    level->reach_high = lifting->after;
    level->steps = lifting->steps;
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_filter *filter = &lifting->step[s].filter;
        level->step[s].count = filter->count;
        level->step[s].round = (float)lifting->step[s].round;
        for (int t = 0; t < filter->count; t++) {
            level->step[s].k[t] = (short)filter->tap[t].k;
            level->step[s].c[t] = (float)filter->tap[t].c;
        }
    }
}

struct wp_cuda_band wp_cuda_arena_band(struct wp_cuda_arena *arena, const int size[WP_DIMS_MAX])
{
    const int pitch = wp_cuda_pitch(size[WP_X]);
    const struct wp_cuda_band band = {
        .data = arena->base ? arena->base + arena->used : NULL,
        .step_x = 1,
        .step_y = pitch,
        .step_z = (ptrdiff_t)pitch * size[WP_Y],
    };
    // Textures require an alignment of 512 bytes.
    arena->used += ((size_t)band.step_z * (size_t)size[WP_Z] + 127) / 128 * 128;
    return band;
}

// The array of all coefficients. It has the rows and slices of the samples, unless it is an array
// without gaps, which may be larger.
static struct wp_cuda_band coefficients_of(const struct wp_exec *exec)
{
    struct wp_cuda_band all = {exec->coefficients, 1, exec->pitch, exec->slice};
    if (exec->dense) {
        all.step_y = wp_cuda_extent(exec, false, WP_X);
        all.step_z = all.step_y * wp_cuda_extent(exec, false, WP_Y);
    }
    return all;
}

// A band in an array of all coefficients.
static struct wp_cuda_band band_in_place(const struct wp_exec *exec, float *base,
                                         const struct wp_band_grid *grid)
{
    const struct wp_cuda_band all = coefficients_of(exec);
    const ptrdiff_t step[] = {1, all.step_y, all.step_z};
    ptrdiff_t offset = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        offset += grid->first[a] * step[a];
    return (struct wp_cuda_band){
        .data = base ? base + offset : NULL,
        .step_x = grid->every[WP_X] * step[WP_X],
        .step_y = grid->every[WP_Y] * step[WP_Y],
        .step_z = grid->every[WP_Z] * step[WP_Z],
    };
}

static void set_bands(struct wp_exec *exec, struct wp_cuda_arena *coefficients,
                      struct wp_cuda_arena *between)
{
    const struct wp_description *d = &exec->description;
    for (int l = 0; l < exec->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        level->plane = exec->plane;
        level->column = 1;
        level->pitch = exec->pitch;
        level->slice = exec->slice;
        if (l > 0) {
            level->plane = level[-1].band[WP_BAND_LL].data;
            level->pitch = (int)level[-1].band[WP_BAND_LL].step_y;
            level->slice = level[-1].band[WP_BAND_LL].step_z;
        }
        level->scratch = exec->scratch;
        for (unsigned b = 0; b < WP_OCTET_BANDS; b++) {
            if (b & ~wp_description_axes(d, l + 1))
                continue;
            const bool inner = b == WP_BAND_LL && l + 1 < exec->levels;
            const struct wp_band_grid grid = wp_description_band(d, l + 1, (enum wp_band)b);
            if (inner && exec->method && exec->method->keeps && !exec->method->keeps(exec, l))
                level->band[b] = (struct wp_cuda_band){0};
            else if (inner || (d->layout == WP_LAYOUT_MALLAT && !exec->dense))
                level->band[b] = wp_cuda_arena_band(inner ? between : coefficients, grid.size);
            else
                level->band[b] = band_in_place(exec, coefficients->base, &grid);
        }
    }
    if (d->layout == WP_LAYOUT_MIXED || exec->dense)
        coefficients->used =
            (size_t)coefficients_of(exec).step_z * (size_t)wp_cuda_extent(exec, false, WP_Z);
}

int wp_cuda_extent(const struct wp_exec *exec, bool samples, int axis)
{
    const struct wp_description *d = &exec->description;
    return samples || exec->levels == 0 ? wp_description_size(d, axis, 0)
                                        : wp_description_extent(d, axis);
}

size_t wp_cuda_samples(const struct wp_exec *exec)
{
    return (size_t)exec->slice * (size_t)wp_description_depth(&exec->description);
}

bool wp_cuda_make_levels(struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    const struct wp_lifting lifting = wp_description_lifting(d);
    exec->levels = wp_description_levels(d);
    exec->level = wp_allocate((size_t)exec->levels, sizeof *exec->level, "the levels");
    if (!exec->level)
        return false;
    for (int l = 0; l < exec->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        const int size[] = {wp_description_size(d, WP_X, l), wp_description_size(d, WP_Y, l),
                            wp_description_size(d, WP_Z, l)};
        level->width = size[WP_X];
        level->height = size[WP_Y];
        level->depth = size[WP_Z];
        level->axes = wp_description_axes(d, l + 1) &
                      (wp_description_taps(d) > 0 ? wp_description_transformed(d)
                                                  : wp_lifting_axes(size, WP_DIMS_MAX));
        wp_cuda_set_steps(level, &lifting);
        for (unsigned b = 0; b < WP_OCTET_BANDS; b++)
            level->scale[b] = (float)wp_lifting_gain(&lifting, level->axes, b);
    }
    return true;
}

void wp_cuda_set_levels(struct wp_exec *exec)
{
    struct wp_cuda_arena coefficients = {.base = exec->coefficients};
    struct wp_cuda_arena between = {.base = exec->between};
    set_bands(exec, &coefficients, &between);
}

void wp_cuda_set_stream(const struct wp_exec *exec, void *stream)
{
    for (int l = 0; l < exec->levels; l++)
        exec->level[l].stream = stream;
}

bool wp_cuda_is_native(const struct wp_exec *exec, bool samples)
{
    const struct wp_description *d = &exec->description;
    const enum wp_element type = samples ? d->samples : d->coefficients;
    // Integers are read in doubles: floats do not represent their fractions exactly enough.
    const bool integers = samples && d->direction == WP_FORWARD && wp_elements[type].largest > 0 &&
                          wp_description_arithmetic(d) == WP_ELEMENT_F64;
    return exec->method && exec->method->run_operands &&
           (integers || type == WP_ELEMENT_F16 || type == WP_ELEMENT_BF16 ||
            type == WP_ELEMENT_F64);
}

enum wp_element wp_cuda_operand_type(const struct wp_exec *exec, bool samples)
{
    const struct wp_description *d = &exec->description;
    return !wp_cuda_is_native(exec, samples) ? WP_ELEMENT_F32
           : samples                         ? d->samples
                                             : d->coefficients;
}

struct wp_operand wp_cuda_own_operand(const struct wp_exec *exec, bool samples)
{
    const struct wp_cuda_elements *elements = &exec->typed[samples].elements;
    if (wp_cuda_is_native(exec, samples))
        return (struct wp_operand){.data = elements->data, .type = elements->type,
                                   .maximum = elements->scale.one,
                                   .stride = {1, elements->pitch, elements->slice}};
    struct wp_cuda_band all = {exec->plane, 1, exec->pitch, exec->slice};
    if (!samples)
        all = coefficients_of(exec);
    return (struct wp_operand){.data = all.data, .stride = {1, all.step_y, all.step_z}};
}

bool wp_cuda_require_operands(struct wp_exec *exec)
{
    struct wp_cuda_arena coefficients = {0}, between = {0};
    set_bands(exec, &coefficients, &between);
    const char *label = wp_description_depth(&exec->description) > 1 ? "the volume" : "the image";
    if ((exec->plane || wp_cuda_is_native(exec, true) ||
         wp_cuda_allocate(exec, &exec->plane, wp_cuda_samples(exec), label)) &&
        (exec->coefficients || wp_cuda_is_native(exec, false) ||
         wp_cuda_allocate(exec, &exec->coefficients, exec->levels ? coefficients.used : 0,
                          "the coefficients"))) {
        wp_cuda_set_levels(exec);
        return true;
    }
    return false;
}

bool wp_cuda_make_memory(struct wp_exec *exec)
{
    struct wp_cuda_arena coefficients = {0}, between = {0};
    set_bands(exec, &coefficients, &between);
    const bool wide = exec->description.samples == WP_ELEMENT_F64 ||
                      exec->description.coefficients == WP_ELEMENT_F64;
    if ((!exec->method->run_operands && !wp_cuda_require_operands(exec)) ||
        !wp_cuda_allocate(exec, &exec->between, between.used * (wide ? 2 : 1),
                          "the levels between") ||
        !wp_cuda_allocate(exec, &exec->scratch,
                          exec->method->scratch ? exec->method->scratch(exec) : 0,
                          "intermediate results"))
        return false;
    wp_cuda_set_levels(exec);
    return true;
}

enum {
    REACH = 256,                // maximum reach in samples while steps are multiplied
    SIZE = 2 * REACH + 1
};

bool wp_cuda_make_filters(const struct wp_cuda_level *level, int length,
                          struct wp_cuda_filter filter[2])
{
    // sum[p][REACH + i]: the weight of x[2n + i] in result 2n + p.
    double sum[2][SIZE] = {{0}};
    sum[0][REACH] = 1;
    sum[1][REACH + 1] = 1;
    for (int s = 0; s < level->steps && length > 1; s++) {
        const int target = (s % 2 == 0) != level->inverse;
        double added[SIZE] = {0};
        for (int t = 0; t < level->step[s].count; t++) {
            const int shift = 2 * level->step[s].k[t];
            for (int i = 0; i < SIZE; i++) {
                if (sum[1 - target][i] == 0)
                    continue;
                if (i + shift < 0 || i + shift >= SIZE)
                    return false;
                added[i + shift] += (double)level->step[s].c[t] * sum[1 - target][i];
            }
        }
        for (int i = 0; i < SIZE; i++)
            sum[target][i] += added[i];
    }
    for (int p = 0; p < 2; p++) {
        int first = 0, last = SIZE - 1;
        while (sum[p][first] == 0)
            first++;
        while (sum[p][last] == 0)
            last--;
        if (last - first >= WP_CUDA_FILTER_MAX)
            return false;
        memset(&filter[p], 0, sizeof filter[p]);
        filter[p].first = first - REACH;
        filter[p].count = last - first + 1;
        for (int i = first; i <= last; i++)
            filter[p].c[i - first] = (float)sum[p][i];
    }
    return true;
}
