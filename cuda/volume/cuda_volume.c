// Levels of volumes in two passes: x and y of all slices, then z; levels of fewer axes in one pass;
// levels in the mixed layout.
#include "cuda_exec.h"

#include <stdint.h>

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

int wp_cuda_level_size(const struct wp_cuda_level *level, int axis)
{
    return axis == WP_X ? level->width : axis == WP_Y ? level->height : level->depth;
}

bool wp_cuda_level_splits_all(const struct wp_cuda_level *level)
{
    bool complete = true;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        complete = complete && ((level->axes >> a & 1) || wp_cuda_level_size(level, a) == 1);
    return complete;
}

bool wp_cuda_level_has_band(const struct wp_cuda_level *level, int b)
{
    bool has = true;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        has = has && (!(b >> a & 1) || wp_cuda_level_size(level, a) > 1);
    return has;
}

// In the mixed layout, deeper levels write every 4th, 8th, ... column. Writing these element by
// element takes longer than the first level, so they are written to rectangles and interleaved at
// the end.

// The position of a band of level l (from 0) in the mixed layout of an array.
static struct wp_cuda_band band_in(const struct wp_cuda_band *array, int l, int b)
{
    const ptrdiff_t step = (ptrdiff_t)1 << l;
    return (struct wp_cuda_band){
        .data = array->data + (b & 1) * step + (b >> 1 & 1) * step * array->step_y +
                (b >> 2) * step * array->step_z,
        .step_x = 2 * step,
        .step_y = 2 * step * array->step_y,
        .step_z = 2 * step * array->step_z,
    };
}

static bool bands_equal(const struct wp_cuda_band *band, struct wp_cuda_band other)
{
    return band->data == other.data && band->step_x == other.step_x &&
           band->step_y == other.step_y && band->step_z == other.step_z;
}

bool wp_cuda_find_interleaved(const struct wp_cuda_level *levels, int count,
                              struct wp_cuda_band *array, bool *apart)
{
    if (!wp_cuda_level_has_band(levels, 1))
        return false;
    const struct wp_cuda_band *high = &levels->band[1];
    *array = (struct wp_cuda_band){high->data - 1, 1, high->step_y / 2, high->step_z / 2};
    bool interleaved = (uintptr_t)array->data % 16 == 0 && array->step_y % 4 == 0 &&
                 array->step_z % 4 == 0;
    for (int l = 0; l < count; l++)
        for (int b = 1; b < WP_OCTET_BANDS; b++)
            interleaved = interleaved && (!wp_cuda_level_has_band(&levels[l], b) ||
                              bands_equal(&levels[l].band[b], band_in(array, l, b)));
    *apart = !bands_equal(&levels[count - 1].band[0], band_in(array, count - 1, 0));
    return interleaved;
}

// Copies the levels of an exec, with rectangles from `base` on for the resulting bands of the
// second and later levels. Returns the size of all rectangles in floats.
static size_t make_levels(const struct wp_exec *exec, float *base,
                          struct wp_cuda_level level[WP_CUDA_INTERLEAVE_MAX + 1])
{
    struct wp_cuda_arena arena = {.base = base};
    for (int l = 0; l < exec->levels; l++) {
        level[l] = exec->level[l];
        for (int b = l + 1 < exec->levels ? 1 : 0; b < WP_OCTET_BANDS && l > 0; b++) {
            const struct wp_band_grid grid =
                wp_description_band(&exec->description, l + 1, (enum wp_band)b);
            level[l].band[b] = wp_cuda_arena_band(&arena, grid.size);
        }
    }
    return arena.used;
}

size_t wp_cuda_packed_lowpass_scratch(const struct wp_exec *exec)
{
    struct wp_cuda_level level[WP_CUDA_INTERLEAVE_MAX + 1];
    bool complete = true;
    if (exec->description.layout != WP_LAYOUT_MIXED || exec->levels < 2 ||
        exec->levels > WP_CUDA_INTERLEAVE_MAX + 1)
        return 0;
    for (int l = 0; l < exec->levels; l++)
        complete = complete && wp_cuda_level_splits_all(&exec->level[l]);
    return complete ? make_levels(exec, NULL, level) : 0;
}

int wp_cuda_packed_lowpass_run(const struct wp_exec *exec, float *scratch,
                        int (*run)(const struct wp_cuda_level *level, int count))
{
    struct wp_cuda_level level[WP_CUDA_INTERLEAVE_MAX + 1];
    struct wp_cuda_band array;
    bool apart = false;
    const bool inverse = exec->level->inverse;
    const int count = exec->levels;
    const bool interleaved = wp_cuda_find_interleaved(exec->level, count, &array, &apart) && !apart;
    make_levels(exec, scratch, level);
    int error = interleaved && inverse ? wp_cuda_interleave_run(level, count, &array) : cudaSuccess;
    for (int i = 0; i < count && error == cudaSuccess; i++) {
        const int l = inverse ? count - 1 - i : i;
        error = run(interleaved ? &level[l] : &exec->level[l], 1);
    }
    return interleaved && !inverse && error == cudaSuccess
               ? wp_cuda_interleave_run(level, count, &array)
               : error;
}
