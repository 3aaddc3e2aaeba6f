// Levels as kernels take them, from a plan's parameters; the plan's passes are those of fragment
// shaders. And the memory they lie in.
#include "cuda_exec.h"
#include "log.h"
#include "memory.h"

#include <math.h>

_Static_assert((int)WP_CUDA_EXTEND_MIRROR == (int)WP_EXTEND_MIRROR &&
                   (int)WP_CUDA_EXTEND_WRAP == (int)WP_EXTEND_WRAP &&
                   (int)WP_CUDA_EXTEND_CLAMP == (int)WP_EXTEND_CLAMP &&
                   (int)WP_CUDA_EXTEND_ZERO == (int)WP_EXTEND_ZERO,
               "cuda_level.h repeats enum wp_extension");
_Static_assert((int)WP_CUDA_LEVELS_MAX == (int)WP_MAX_LEVELS, "and the most levels");

static void set_step(struct wp_cuda_step *step, const struct wp_filter *filter, double sign)
{
    step->count = filter->count;
    for (int t = 0; t < filter->count; t++) {
        step->k[t] = filter->tap[t].k;
        step->c[t] = (float)(sign * filter->tap[t].c);
    }
}

// Pairs that the steps reach together, to either side.
static void set_reach(struct wp_cuda_level *level)
{
    for (int s = 0; s < level->steps; s++) {
        int low = 0, high = 0;
        for (int t = 0; t < level->step[s].count; t++) {
            const int k = level->step[s].k[t];
            low = k < -low ? -k : low;
            high = k > high ? k : high;
        }
        level->reach_low += low;
        level->reach_high += high;
    }
}

void wp_cuda_set_steps(struct wp_cuda_level *level, const struct wp_plan_params *params)
{
    const struct wp_wavelet *wavelet = params->wavelet;
    level->inverse = params->direction == WP_INVERSE;
    level->steps = 2 * wavelet->pairs;
    for (int p = 0; p < wavelet->pairs; p++) {
        if (!level->inverse) {
            set_step(&level->step[2 * p], &wavelet->pair[p].predict, 1);
            set_step(&level->step[2 * p + 1], &wavelet->pair[p].update, 1);
        } else {
            const int q = wavelet->pairs - 1 - p;
            set_step(&level->step[2 * p], &wavelet->pair[q].update, -1);
            set_step(&level->step[2 * p + 1], &wavelet->pair[q].predict, -1);
        }
    }
    set_reach(level);
    if (params->border == WP_BORDER_PERIODIC)
        level->extension = WP_CUDA_EXTEND_WRAP;
    else if (wavelet->symmetry == WP_SYMMETRY_WHOLE)
        level->extension = WP_CUDA_EXTEND_MIRROR;
    else
        level->extension = level->inverse ? WP_CUDA_EXTEND_ZERO : WP_CUDA_EXTEND_CLAMP;
}

// A component's gain: of each axis that is longer than one sample.
static void set_scale(struct wp_cuda_level *level, const struct wp_plan_params *params)
{
    const double zeta = params->norm == WP_NORM_NONE ? 1.0 : params->wavelet->zeta;
    const double root = params->norm == WP_NORM_ORTHONORMAL ? sqrt(2.0) : 1.0;
    const double gain[2] = {root / zeta, zeta / root};
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const double scale = (level->width > 1 ? gain[b & 1] : 1.0) *
                             (level->height > 1 ? gain[b >> 1] : 1.0);
        level->scale[b] = (float)(level->inverse ? 1.0 / scale : scale);
    }
}

// Offsets of bands in memory that is not there yet: counted by a first walk with base NULL.
struct arena {
    float *base;
    size_t used;
};

static struct wp_cuda_band take_band(struct arena *arena, int width, int height)
{
    const struct wp_cuda_band band = {
        .data = arena->base ? arena->base + arena->used : NULL,
        .step_x = 1,
        .step_y = wp_cuda_pitch(width),
    };
    // Textures want their memory aligned to 512 bytes.
    arena->used += ((size_t)wp_cuda_pitch(width) * (size_t)height + 127) / 128 * 128;
    return band;
}

static void set_bands(struct wp_exec *exec, struct arena *coefficients, struct arena *between)
{
    const struct wp_plan_params *params = &exec->plan->params;
    for (int l = 0; l < params->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        level->plane = exec->plane;
        level->pitch = exec->pitch;
        if (l > 0) {
            level->plane = level[-1].band[WP_BAND_LL].data;
            level->pitch = (int)level[-1].band[WP_BAND_LL].step_y;
        }
        level->scratch = exec->scratch;
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            const bool inner = b == WP_BAND_LL && l + 1 < params->levels;
            struct wp_band_view view = wp_band_view(exec->pitch, params->height, l + 1,
                                                    (enum wp_band)b, WP_LAYOUT_MIXED);
            if (inner || params->layout == WP_LAYOUT_MALLAT) {
                view = wp_band_view(params->width, params->height, l + 1, (enum wp_band)b,
                                    WP_LAYOUT_MALLAT);
                level->band[b] = take_band(inner ? between : coefficients, view.width,
                                           view.height);
            } else {
                level->band[b] = (struct wp_cuda_band){
                    .data = coefficients->base ? coefficients->base + view.offset : NULL,
                    .step_x = view.step_x,
                    .step_y = view.step_y,
                };
            }
        }
    }
    if (params->layout == WP_LAYOUT_MIXED)
        coefficients->used = (size_t)exec->pitch * (size_t)params->height;
}

void wp_cuda_make_levels(struct wp_exec *exec)
{
    const struct wp_plan_params *params = &exec->plan->params;
    exec->levels = params->levels;
    exec->level = wp_xcalloc((size_t)params->levels, sizeof *exec->level);
    for (int l = 0; l < params->levels; l++) {
        exec->level[l].width = wp_level_size(params->width, l);
        exec->level[l].height = wp_level_size(params->height, l);
        wp_cuda_set_steps(&exec->level[l], params);
        set_scale(&exec->level[l], params);
    }
}

bool wp_cuda_make_memory(struct wp_exec *exec)
{
    const struct wp_plan_params *params = &exec->plan->params;
    const size_t pixels = (size_t)exec->pitch * (size_t)params->height;
    struct arena coefficients = {0}, between = {0};
    set_bands(exec, &coefficients, &between);
    if (!wp_cuda_allocate(exec, &exec->plane, pixels, "the image") ||
        !wp_cuda_allocate(exec, &exec->coefficients, params->levels ? coefficients.used : 0,
                          "the coefficients") ||
        !wp_cuda_allocate(exec, &exec->between, between.used, "the levels between") ||
        !wp_cuda_allocate(exec, &exec->scratch, exec->method->scratch ? pixels : 0,
                          "intermediate results"))
        return false;
    coefficients = (struct arena){.base = exec->coefficients};
    between = (struct arena){.base = exec->between};
    set_bands(exec, &coefficients, &between);
    return true;
}
