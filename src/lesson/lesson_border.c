// Lessons with borders of PyWavelets: a level is the periodic transform of extended samples
// (border.h). Its passes are shown with the quads or octets of the level: number k has coefficient k
// of each band.
#include "border.h"
#include "lesson_internal.h"
#include "memory.h"
#include "operand.h"
#include "plan.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

struct border_run {
    const struct wp_description *description;
    wp_lesson_watch watch;
    void *user;
    int level;
    bool first; // of the run
};

int wp_lesson_origin(const struct wp_description *d, int axis, int level)
{
    const struct wp_border_axis border = wp_border_axis(d, axis, level - 1);
    return border.shift + 2 * border.first;
}

// Shows a step of the periodic transform as one of the level.
static bool pass_on(void *user, const struct wp_lesson_state *periodic)
{
    const struct border_run *run = user;
    const struct wp_description *d = run->description;
    struct wp_lesson_state state = *periodic;
    const int dims = state.components == WP_COMPONENTS ? WP_Z : WP_DIMS_MAX;
    state.level = run->level;
    if (state.step == WP_LESSON_INPUT && !run->first)
        state.step = d->direction == WP_FORWARD ? WP_LESSON_GATHER : WP_LESSON_SPREAD;
    for (int a = 0; a < dims; a++) {
        state.low[a] -= wp_border_axis(d, a, run->level - 1).first;
        state.size[a] = wp_description_size(d, a, run->level - 1);
    }
    return run->watch(run->user, &state);
}

// The transform of one level.
static struct wp_description level_of(const struct wp_description *d, int level)
{
    struct wp_description one = *d;
    one.axes = wp_description_transformed(d);
    one.levels = d->levels >= level;
    one.levels_z = d->levels_z >= level;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        one.size[a] = wp_description_size(d, a, level - 1);
    return one;
}

static void extents(const struct wp_description *d, int size[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++)
        size[a] = wp_description_extent(d, a);
}

// Copies a box between two arrays, given by their sizes and the first element of the box.
static void copy_box(float *to, const int to_size[WP_DIMS_MAX], const int to_first[WP_DIMS_MAX],
                     const float *from, const int from_size[WP_DIMS_MAX],
                     const int from_first[WP_DIMS_MAX], const int box[WP_DIMS_MAX])
{
    const size_t width = (size_t)to_size[WP_X], from_width = (size_t)from_size[WP_X];
    for (int z = 0; z < box[WP_Z]; z++) {
        for (int y = 0; y < box[WP_Y]; y++) {
            const size_t row = (size_t)(to_first[WP_Z] + z) * (size_t)to_size[WP_Y] +
                               (size_t)(to_first[WP_Y] + y);
            const size_t from_row = (size_t)(from_first[WP_Z] + z) * (size_t)from_size[WP_Y] +
                                    (size_t)(from_first[WP_Y] + y);
            memcpy(to + row * width + to_first[WP_X],
                   from + from_row * from_width + from_first[WP_X],
                   (size_t)box[WP_X] * sizeof *to);
        }
    }
}

// Forward: the extended samples. NULL after WP_ERROR_TOO_LARGE.
static float *extend(const struct wp_description *one, const struct wp_description *periodic,
                     const float *samples)
{
    float *extended = wp_allocate(wp_description_samples(periodic), sizeof *extended,
                                  "samples with a border");
    struct wp_axis_maps maps = {.planes = 1};
    bool ok = extended;
    for (int a = 0; a < WP_DIMS_MAX && ok; a++)
        ok = wp_border_map(&maps.axis[a], one, a, 0);
    if (ok) {
        const struct wp_operand from = wp_operand_const(one, samples);
        const struct wp_operand to = wp_operand_dense(periodic, extended);
        ok = wp_axis_maps_apply(&maps, &from, &to);
    }
    wp_axis_maps_free(&maps);
    if (ok)
        return extended;
    free(extended);
    return NULL;
}

// Inverse: the coefficients of the level; `low` is NULL at the last one, whose low band is among
// `all`. NULL after WP_ERROR_TOO_LARGE.
static float *assemble(const struct wp_description *d, int level, const struct wp_description *one,
                       const float *all, const float *low)
{
    int size[WP_DIMS_MAX], all_size[WP_DIMS_MAX], zero[WP_DIMS_MAX] = {0};
    float *level_of_all =
        wp_allocate(wp_description_coefficients(one), sizeof *level_of_all, "a level");
    extents(one, size);
    extents(d, all_size);
    for (unsigned b = 0; b < WP_OCTET_BANDS && level_of_all; b++) {
        if (b & ~wp_description_axes(one, 1))
            continue;
        const struct wp_band_grid to = wp_description_band(one, 1, (enum wp_band)b);
        const struct wp_band_grid from = wp_description_band(d, level, (enum wp_band)b);
        if (b == 0 && low)
            copy_box(level_of_all, size, to.first, low, to.size, zero, to.size);
        else
            copy_box(level_of_all, size, to.first, all, all_size, from.first, to.size);
    }
    return level_of_all;
}

// The input of the next level: forward the low band, inverse the samples. NULL after an error.
static float *advance(const struct wp_description *one, const float *from)
{
    const bool forward = one->direction == WP_FORWARD;
    const size_t count = forward ? wp_description_coefficients(one) : wp_description_samples(one);
    const struct wp_execute on = {.backend = &wp_backend_reference};
    float *result = wp_allocate(count, sizeof *result, "a level"), *low = NULL;
    const bool ok = result && wp_execute(&on, one, 1, &from, &result);
    if (ok && !forward)
        return result;
    if (ok) {
        const struct wp_band_grid grid = wp_description_band(one, 1, WP_BAND_LL);
        int size[WP_DIMS_MAX];
        extents(one, size);
        low = wp_allocate((size_t)grid.size[WP_X] * (size_t)grid.size[WP_Y] *
                              (size_t)grid.size[WP_Z], sizeof *low, "a level");
        if (low)
            copy_box(low, grid.size, (const int[WP_DIMS_MAX]){0}, result, size, grid.first,
                     grid.size);
    }
    free(result);
    return low;
}

// Shows a level, and sets `next` to the input of the next one.
static bool run_level(struct border_run *run, const float *all, const float *low,
                      const struct wp_lesson_path *path, bool last, float **next)
{
    const struct wp_description *d = run->description, one = level_of(d, run->level);
    struct wp_description periodic = wp_border_level(&one, 0);
    const bool forward = d->direction == WP_FORWARD;
    float *input = forward ? extend(&one, &periodic, low ? low : all)
                           : assemble(d, run->level, &one, all, low);
    struct wp_lesson_path here = {.levels = 1};
    for (int a = 0; a < WP_DIMS_MAX && path; a++)
        here.at[1][a] =
            path->at[run->level][a] + wp_border_axis(d, a, run->level - 1).first;
    if (d->size[WP_Z] == 0)
        periodic.size[WP_Z] = 0;
    struct wp_image image = {.width = periodic.size[WP_X], .height = periodic.size[WP_Y],
                             .depth = wp_description_depth(&periodic), .planes = 1,
                             .plane = {input}};
    bool ok = input && wp_lesson_run(&periodic, &image, path ? &here : NULL, pass_on, run);
    if (ok && !last) {
        *next = advance(&one, !forward ? input : low ? low : all);
        ok = *next;
    }
    free(input);
    return ok;
}

bool wp_lesson_run_border(const struct wp_description *d, const float *input,
                          const struct wp_lesson_path *path, wp_lesson_watch watch, void *user)
{
    const int levels = wp_description_levels(d);
    const int count = path ? path->levels : levels;
    const bool forward = d->direction == WP_FORWARD;
    float *low = NULL;
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        struct border_run run = {d, watch, user, forward ? i + 1 : levels - i, i == 0};
        float *next = NULL;
        ok = run_level(&run, input, low, path, i == count - 1, &next);
        free(low);
        low = next;
    }
    free(low);
    return ok;
}
