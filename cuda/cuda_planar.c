// Levels of volumes in two passes: x and y of all slices, then z; levels of fewer axes in one pass.
#include "cuda_exec.h"

enum { PLANE = 1 << WP_X | 1 << WP_Y, ALONG_Z = 1 << WP_Z };

// Sets up the results of x and y, before z is transformed: four arrays from `base` on. Returns
// their size in floats.
static size_t make_quarters(const struct wp_cuda_level *level, float *base,
                            struct wp_cuda_column column[WP_BAND_COUNT])
{
    size_t used = 0;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const int width = (level->width + 1 - (b & 1)) / 2;
        const int height = (level->height + 1 - (b >> 1)) / 2;
        const ptrdiff_t pitch = wp_cuda_pitch(width);
        column[b] = (struct wp_cuda_column){
            .width = width,
            .height = height,
            .samples = {base ? base + used : NULL, 1, pitch, pitch * height},
            .band = {level->band[b], level->band[b + WP_BAND_COUNT]},
            .scale = {level->scale[b], level->scale[b + WP_BAND_COUNT]},
        };
        used += (size_t)(pitch * height) * (size_t)level->depth;
    }
    return used;
}

static int run_both(const struct wp_cuda_level *level)
{
    struct wp_cuda_column column[WP_BAND_COUNT];
    struct wp_cuda_level slices = *level;
    make_quarters(level, level->scratch, column);
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        slices.band[b] = column[b].samples;
        slices.scale[b] = 1;
    }
    int error = level->inverse ? wp_cuda_columns_run(level, column, WP_BAND_COUNT)
                               : wp_cuda_slices_run(&slices);
    if (error == cudaSuccess)
        error = level->inverse ? wp_cuda_slices_run(&slices)
                               : wp_cuda_columns_run(level, column, WP_BAND_COUNT);
    return error;
}

int wp_cuda_lines_run(const struct wp_cuda_level *level)
{
    const struct wp_cuda_column column = {
        .width = level->width,
        .height = level->height,
        .samples = {level->plane, 1, level->pitch, level->slice},
        .band = {level->band[0], level->band[WP_BAND_COUNT]},
        .scale = {level->scale[0], level->scale[WP_BAND_COUNT]},
    };
    return wp_cuda_columns_run(level, &column, 1);
}

// True if x or y, but not both, has one sample: the level is one of an image or a line.
static bool is_thin(const struct wp_cuda_level *level)
{
    return level->axes != PLANE && level->axes != ALONG_Z && level->axes != (PLANE | ALONG_Z);
}

int wp_cuda_planar_run(const struct wp_cuda_level *level)
{
    if (is_thin(level))
        return wp_cuda_steps_run(level);
    return level->axes == PLANE     ? wp_cuda_slices_run(level)
           : level->axes == ALONG_Z ? wp_cuda_lines_run(level)
                                    : run_both(level);
}

// Floats that wp_cuda_steps_run() needs.
static size_t thin_scratch(const struct wp_cuda_level *level)
{
    return (size_t)wp_cuda_pitch(level->width) * (size_t)level->height * (size_t)level->depth;
}

static size_t scratch_of(const struct wp_exec *exec, bool streams_z)
{
    size_t most = 0;
    for (int l = 0; l < exec->levels && wp_description_depth(&exec->description) > 1; l++) {
        const struct wp_cuda_level *level = &exec->level[l];
        struct wp_cuda_column column[WP_BAND_COUNT];
        size_t floats = 0;
        if (level->axes == (PLANE | ALONG_Z) && !(streams_z && wp_cuda_stream_z_covers(level)))
            floats = make_quarters(level, NULL, column);
        else if (is_thin(level) && !level->inverse)
            floats = thin_scratch(level);
        most = floats > most ? floats : most;
    }
    return most;
}

size_t wp_cuda_planar_scratch(const struct wp_exec *exec)
{
    return scratch_of(exec, false);
}

size_t wp_cuda_stream_z_scratch(const struct wp_exec *exec)
{
    return scratch_of(exec, true);
}
