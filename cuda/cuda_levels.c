// Levels as kernels take them, from the lifting program, and the memory they lie in.
#include "cuda_exec.h"
#include "log.h"
#include "memory.h"

_Static_assert((int)WP_CUDA_LEVELS_MAX == (int)WP_MAX_LEVELS, "the most levels");

void wp_cuda_set_steps(struct wp_cuda_level *level, const struct wp_lifting *lifting)
{
    level->inverse = lifting->direction == WP_INVERSE;
    level->extension = lifting->extension;
    level->reach_low = lifting->before;
    level->reach_high = lifting->after;
    level->steps = lifting->steps;
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_filter *filter = &lifting->step[s].filter;
        level->step[s].count = filter->count;
        for (int t = 0; t < filter->count; t++) {
            level->step[s].k[t] = filter->tap[t].k;
            level->step[s].c[t] = (float)filter->tap[t].c;
        }
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
    const struct wp_description *d = &exec->description;
    for (int l = 0; l < d->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        level->plane = exec->plane;
        level->pitch = exec->pitch;
        if (l > 0) {
            level->plane = level[-1].band[WP_BAND_LL].data;
            level->pitch = (int)level[-1].band[WP_BAND_LL].step_y;
        }
        level->scratch = exec->scratch;
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            const bool inner = b == WP_BAND_LL && l + 1 < d->levels;
            struct wp_band_view view = wp_band_view(exec->pitch, d->size[WP_Y], l + 1,
                                                    (enum wp_band)b, WP_LAYOUT_MIXED);
            if (inner || d->layout == WP_LAYOUT_MALLAT) {
                view = wp_band_view(d->size[WP_X], d->size[WP_Y], l + 1, (enum wp_band)b,
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
    if (d->layout == WP_LAYOUT_MIXED)
        coefficients->used = (size_t)exec->pitch * (size_t)d->size[WP_Y];
}

bool wp_cuda_make_levels(struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    const struct wp_lifting lifting = wp_description_lifting(d);
    exec->levels = d->levels;
    exec->level = wp_allocate((size_t)d->levels, sizeof *exec->level, "the levels");
    if (!exec->level)
        return false;
    for (int l = 0; l < d->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        const int size[] = {wp_level_size(d->size[WP_X], l), wp_level_size(d->size[WP_Y], l)};
        level->width = size[WP_X];
        level->height = size[WP_Y];
        wp_cuda_set_steps(level, &lifting);
        for (int b = 0; b < WP_BAND_COUNT; b++)
            level->scale[b] =
                (float)wp_lifting_gain(&lifting, wp_lifting_axes(size, 2), (unsigned)b);
    }
    return true;
}

void wp_cuda_set_levels(struct wp_exec *exec)
{
    struct arena coefficients = {.base = exec->coefficients}, between = {.base = exec->between};
    set_bands(exec, &coefficients, &between);
}

bool wp_cuda_make_memory(struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    const size_t pixels = (size_t)exec->pitch * (size_t)d->size[WP_Y];
    struct arena coefficients = {0}, between = {0};
    set_bands(exec, &coefficients, &between);
    if (!wp_cuda_allocate(exec, &exec->plane, pixels, "the image") ||
        !wp_cuda_allocate(exec, &exec->coefficients, d->levels ? coefficients.used : 0,
                          "the coefficients") ||
        !wp_cuda_allocate(exec, &exec->between, between.used, "the levels between") ||
        !wp_cuda_allocate(exec, &exec->scratch, exec->method->scratch ? pixels : 0,
                          "intermediate results"))
        return false;
    wp_cuda_set_levels(exec);
    return true;
}
