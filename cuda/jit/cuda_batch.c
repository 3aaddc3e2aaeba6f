// The variant `batch`: many images in few launches, by kernels that are compiled for their wavelet
// and the types of the operands, which they access directly.
// Images that fit the shared memory of a block are transformed with all levels in one launch;
// larger ones in tiles, one level per launch, until the rest fits; long signals in parts, several
// levels per launch. The images are slices without levels along z.
#include "cuda_batch.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "elements.h"
#include "log.h"
#include "min_max.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Kernels for operands with gaps and without: bit 0 of the index is set if the samples have none,
// bit 1 for the coefficients.
enum { DENSE_SAMPLES = 1, DENSE_COEFFICIENTS = 2, KERNELS = 4 };

// Measured on an H200: threads and shared memory of a block, and threads per multiprocessor that
// limit the registers of a thread.
enum {
    THREADS = 128,
    THREADS_MOST = 512,
    BYTES_MOST = 68 << 10,
    IMAGE_THREADS = 384,
    SIGNAL_THREADS = 512,
    PART_THREADS = 1024,
    TILE_THREADS = 960,
    TILE_THREADS_WIDE = 720
};

// Kernels of tiles differ if types do: bit 0 of the index is set for the first level, bit 1 for the
// last. Those of parts of signals also if their numbers of levels do.
enum { FIRST_LEVEL = 1, LAST_LEVEL = 2, TILE_KERNELS = 4 };

struct batch_state {
    struct wp_batch_border border; // of borders of PyWavelets
    int tiles;          // the first levels, in tiles or parts
    int planes;         // per block of images that fit a block
    int threads, bytes; // of that block
    struct wp_cuda_kernel kernel[KERNELS], tile[TILE_KERNELS];
};

// True if an operand has a type of 16 bits, which other variants convert in a pass of their own.
static bool is_narrow(const struct wp_description *d)
{
    return d->samples == WP_ELEMENT_F16 || d->samples == WP_ELEMENT_BF16 ||
           d->coefficients == WP_ELEMENT_F16 || d->coefficients == WP_ELEMENT_BF16;
}

// The size in bytes of a sample in registers, and in the memory between levels.
static int bytes_of(const struct wp_description *d)
{
    return (int)wp_elements[wp_description_arithmetic(d)].bytes;
}

static int around_of(const struct wp_cuda_level *level)
{
    return 2 * (level->reach_low + level->reach_high);
}

// True if a level can be computed in tiles. Without samples around them `made` is faster for f32.
static bool fits_tiles(const struct wp_cuda_level *level, const struct wp_description *d)
{
    enum { AROUND_MOST = 64, GRID_MOST = 65535 };
    const bool wide = wp_description_arithmetic(d) == WP_ELEMENT_F64;
    return level->width > 1 && level->height > 1 &&
           (around_of(level) > 0 || wide || is_narrow(d)) && around_of(level) <= AROUND_MOST &&
           level->depth <= GRID_MOST;
}

static bool is_signal(const struct wp_description *d)
{
    return d->size[WP_Y] == 1;
}

static int part_margin(const struct wp_cuda_level *level, int levels)
{
    return wp_batch_part_margin(level->reach_low, level->reach_high, levels);
}

// The number of levels of long signals that a launch computes, at most `rest`; 0: not supported.
static int levels_of_part(const struct wp_cuda_level *level, int rest)
{
    enum { MARGIN_MOST = 32 * WP_BATCH_LANE / 8 };
    int levels = rest < WP_BATCH_PART_LEVELS ? rest : WP_BATCH_PART_LEVELS;
    while (levels > 0 && part_margin(level, levels) > MARGIN_MOST)
        levels--;
    return levels;
}

// True if images of the size of a level fit a block, and are not so few that tiles of large ones
// use more multiprocessors.
static bool fits_block(const struct wp_cuda_level *level, const struct wp_description *d)
{
    enum { AROUND_MOST = 32, FEW = 128, SMALL = 64 * 64, SIGNAL_MOST = 2047 };
    const int width = level->width, height = level->height;
    const bool split = wp_batch_segments(width, height == 1) > 1 ||
                       wp_batch_segments(height, false) > 1;
    const int samples_most = BYTES_MOST / bytes_of(d);
    // Parts of a signal use more lanes than one signal in a block.
    if (is_signal(d) && width > SIGNAL_MOST && levels_of_part(level, 1) > 0)
        return false;
    return width > 1 && wp_batch_pitch(width) * height <= samples_most &&
           wp_batch_share(width, height) <= THREADS_MOST &&
           (level->depth >= FEW || width * height <= SMALL || !fits_tiles(level, d)) &&
           !(split && around_of(level) > AROUND_MOST);
}

// The levels that the launch of level l computes in tiles or parts; 0: not supported.
static int levels_of_launch(const struct wp_cuda_level *level, const struct wp_description *d,
                            int l)
{
    return is_signal(d) ? levels_of_part(level, d->levels - l) : fits_tiles(level, d);
}

// The number of levels in tiles or parts; -1: not supported. `level` has the steps.
static int count_tiles(const struct wp_cuda_level *level, const struct wp_description *d)
{
    struct wp_cuda_level of = *level;
    struct wp_batch_border border;
    int l = 0, levels = 0;
    if (d->border >= WP_BORDER_NATIVE)
        return wp_cuda_batch_find_border(level, d, &border) ? 0 : -1;
    of.depth = wp_description_depth(d);
    for (;; l += levels) {
        of.width = wp_description_size(d, WP_X, l);
        of.height = wp_description_size(d, WP_Y, l);
        if (l == d->levels || fits_block(&of, d))
            return d->levels - l > WP_BATCH_LEVELS_MAX ? -1 : l;
        levels = levels_of_launch(&of, d, l);
        if (levels == 0)
            return -1;
    }
}

bool wp_cuda_batch_covers(const struct wp_cuda_level *level, const struct wp_description *d,
                          char *why, size_t why_size)
{
    if (d->levels < 1 || d->levels_z)
        snprintf(why, why_size, "it supports only levels along x and y");
    else if (d->size[WP_X] == 1)
        snprintf(why, why_size, "it supports signals along x, not along y");
    else if (count_tiles(level, d) < 0)
        snprintf(why, why_size, "%d levels of %dx%d with %s exceed the shared memory of a block",
                 d->levels, d->size[WP_X], d->size[WP_Y], d->wavelet->name);
    else
        return true;
    return false;
}

static void set_block(const struct wp_exec *exec, struct batch_state *state)
{
    state->tiles = count_tiles(exec->level, &exec->description);
    if (state->tiles == exec->levels)
        return;
    if (exec->description.border >= WP_BORDER_NATIVE) {
        wp_cuda_batch_find_border(exec->level, &exec->description, &state->border);
        state->planes = state->border.planes;
        state->threads = state->border.threads;
        state->bytes = state->border.bytes;
        return;
    }
    const int width = exec->level[state->tiles].width, height = exec->level[state->tiles].height;
    const int share = wp_batch_share(width, height);
    state->planes = THREADS / share > 1 ? THREADS / share : 1;
    state->threads = wp_batch_threads(width, height, state->planes);
    state->bytes =
        state->planes * wp_batch_pitch(width) * height * bytes_of(&exec->description);
}

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

void wp_cuda_batch_add_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                               int first, int planes, int dense, struct wp_text *text)
{
    const struct wp_cuda_level *level = &exec->level[first];
    const int threads = wp_batch_threads(level->width, level->height, planes);
    wp_cuda_batch_add_head(exec, types, "cuda_batch.cuh", "wp_batch_args", threads,
             (level->height > 1 ? IMAGE_THREADS : SIGNAL_THREADS) /
                 (wp_batch_is_wide(types) ? 2 : 1) / threads,
             text);
    wp_text_add(text,
                "{\n"
                "    using batch = wp_batch_case<elements, %d, %d, %d, %d, %d, %s, %s>;\n"
                "    wp_run_batch<wp_batch<wp_jit_shape<steps_here>, batch>>(args);\n"
                "}\n",
                level->width, level->height, exec->levels - first, planes, (int)level->extension,
                word_of(dense & DENSE_SAMPLES), word_of(dense & DENSE_COEFFICIENTS));
}

void wp_cuda_batch_add_tile_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                    struct wp_text *text)
{
    const struct wp_cuda_level *level = exec->level;
    const int threads = wp_batch_tile_threads(around_of(level));
    wp_cuda_batch_add_head(exec, types, "cuda_batch_tile.cuh", "wp_batch_args", threads,
             (wp_batch_is_wide(types) ? TILE_THREADS_WIDE : TILE_THREADS) / threads, text);
    wp_text_add(text, "{\n    wp_lift_tile<wp_jit_shape<steps_here>, elements, %d>(args);\n}\n",
                (int)level->extension);
}

void wp_cuda_batch_add_part_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                    int levels, struct wp_text *text)
{
    wp_cuda_batch_add_head(exec, types, "cuda_batch_signal.cuh", "wp_batch_args", 32 * WP_BATCH_PART_WARPS,
             PART_THREADS / (wp_batch_is_wide(types) ? 2 : 1) / (32 * WP_BATCH_PART_WARPS), text);
    wp_text_add(text,
                "{\n    wp_lift_signals<wp_jit_shape<steps_here>, elements, %d, %d>(args);\n}\n",
                (int)exec->level->extension, levels);
}

// Compiles the kernel of a source, which is freed, and returns a cudaError_t.
static int require_kernel(const struct wp_exec *exec, struct wp_cuda_kernel *kernel,
                          struct wp_text *source, int threads, int bytes)
{
    struct wp_text why = {0};
    char name[96];
    snprintf(name, sizeof name, "%s %s of %dx%d, %d levels", exec->wavelet.name,
             wp_direction_names[exec->description.direction], exec->level->width,
             exec->level->height, exec->levels);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = threads,
        .bytes = bytes,
        .may_spill = true,
    };
    const bool ok = wp_cuda_kernel_make(exec->device, &params, kernel, &why);
    return wp_cuda_jit_result(exec, ok, &why);
}

// The types of the samples and the coefficients of levels. `first`: they begin with the first
// level; `last`: they end with the last one. Others are in the memory between levels.
static struct wp_batch_types types_of(const struct wp_exec *exec, bool first, bool last)
{
    const enum wp_element real = wp_description_arithmetic(&exec->description);
    const enum wp_element coefficients = wp_cuda_operand_type(exec, false);
    return (struct wp_batch_types){
        .samples = first ? wp_cuda_operand_type(exec, true) : real,
        .low = last ? coefficients : real,
        .high = coefficients,
    };
}

// The kernel of the levels that fit a block.
static int require_block(const struct wp_exec *exec, struct batch_state *state, int dense)
{
    const struct wp_batch_types types = types_of(exec, state->tiles == 0, true);
    struct wp_text source = {0};
    if (state->kernel[dense].module)
        return cudaSuccess;
    if (state->border.planes)
        wp_cuda_batch_add_border_program(exec, &types, &state->border, dense, &source);
    else
        wp_cuda_batch_add_program(exec, &types, state->tiles, state->planes, dense, &source);
    return require_kernel(exec, &state->kernel[dense], &source, state->threads, state->bytes);
}

// The launch of a level in tiles or parts, and the index of its kernel.
struct tile_launch {
    int first, count; // levels
    int kernel;
};

static struct tile_launch tile_at(const struct wp_exec *exec, int l)
{
    const struct wp_description *d = &exec->description;
    const enum wp_element real = wp_description_arithmetic(d);
    struct tile_launch launch = {.first = l, .count = levels_of_launch(exec->level, d, l)};
    const bool last = l + launch.count == exec->levels;
    launch.kernel =
        (l == 0 && (is_signal(d) || wp_cuda_operand_type(exec, true) != real) ? FIRST_LEVEL : 0) |
        (last && (is_signal(d) || wp_cuda_operand_type(exec, false) != real) ? LAST_LEVEL : 0);
    return launch;
}

static int require_tile(const struct wp_exec *exec, struct batch_state *state,
                        const struct tile_launch *launch)
{
    const bool parts = is_signal(&exec->description);
    const int bytes = bytes_of(&exec->description), around = around_of(exec->level);
    const struct wp_batch_types types =
        types_of(exec, launch->kernel & FIRST_LEVEL, launch->kernel & LAST_LEVEL);
    struct wp_cuda_kernel *kernel = &state->tile[launch->kernel];
    struct wp_text source = {0};
    if (kernel->module)
        return cudaSuccess;
    if (parts)
        wp_cuda_batch_add_part_program(exec, &types, launch->count, &source);
    else
        wp_cuda_batch_add_tile_program(exec, &types, &source);
    return require_kernel(exec, kernel, &source,
                          parts ? 32 * WP_BATCH_PART_WARPS : wp_batch_tile_threads(around),
                          (parts ? WP_BATCH_PART_WARPS * wp_batch_part_samples(launch->count, bytes)
                                 : wp_batch_tile_samples(around)) *
                              bytes);
}

bool wp_cuda_batch_keeps(const struct wp_exec *exec, int level)
{
    const int tiles = count_tiles(exec->level, &exec->description);
    int next = 0; // the first level of a launch
    while (next < tiles && next <= level)
        next += tile_at(exec, next).count;
    return next == level + 1;
}

int wp_cuda_batch_prepare(struct wp_exec *exec)
{
    int error = wp_cuda_jit_create_state(exec, sizeof(struct batch_state));
    struct batch_state *state = exec->method_state;
    if (error != cudaSuccess)
        return error;
    set_block(exec, state);
    for (int l = 0; l < state->tiles && error == cudaSuccess;) {
        const struct tile_launch launch = tile_at(exec, l);
        error = require_tile(exec, state, &launch);
        l += launch.count;
    }
    // Kernels for operands with gaps are compiled when first used.
    if (error == cudaSuccess && state->tiles < exec->levels)
        error = require_block(exec, state,
                              state->tiles ? DENSE_COEFFICIENTS
                                           : DENSE_SAMPLES | DENSE_COEFFICIENTS);
    return error;
}

void wp_cuda_batch_release(struct wp_exec *exec)
{
    struct batch_state *state = exec->method_state;
    for (int i = 0; i < KERNELS; i++)
        wp_cuda_kernel_free(&state->kernel[i]);
    for (int i = 0; i < TILE_KERNELS; i++)
        wp_cuda_kernel_free(&state->tile[i]);
    free(state);
}

static bool arrays_equal(const struct wp_batch_array *a, const struct wp_batch_array *b)
{
    return a->data == b->data && a->step_x == b->step_x && a->step_y == b->step_y &&
           a->step_z == b->step_z;
}

// True if an array of images has no gaps, and pairs of elements are aligned. Strides of axes with one
// sample may have any value.
static bool is_dense(const struct wp_batch_array *at, enum wp_element type, int width, int height)
{
    return at->step_x == 1 && (height == 1 || at->step_y == width) &&
           at->step_z == (ptrdiff_t)width * height &&
           (uintptr_t)at->data % sizeof(float) == 0 && wp_elements[type].bytes >= 2;
}

// Likewise, for all levels with a border of PyWavelets.
static bool border_is_dense(const struct wp_exec *exec, const struct wp_batch_args *args,
                            enum wp_element type)
{
    const struct wp_description *d = &exec->description;
    const struct wp_batch_array low = args->band[exec->levels - 1][WP_BAND_LL];
    const int width = wp_description_extent(d, WP_X), height = wp_description_extent(d, WP_Y);
    bool dense = is_dense(&low, type, width, height);
    for (int i = 1; i < wp_subband_count(d) && dense; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        struct wp_batch_array expected = low;
        const ptrdiff_t at = grid.first[WP_X] + (ptrdiff_t)grid.first[WP_Y] * width;
        expected.data = (char *)low.data + at * (ptrdiff_t)wp_elements[type].bytes;
        dense = arrays_equal(&args->band[level - 1][band], &expected);
    }
    return dense;
}

// True if the bands of `count` levels are parts of an array without gaps with the layout "mallat".
static bool coefficients_are_dense(const struct wp_exec *exec, const struct wp_batch_args *args,
                                   enum wp_element type, int count)
{
    if (exec->description.border >= WP_BORDER_NATIVE)
        return border_is_dense(exec, args, type);
    const struct wp_batch_array low = args->band[count - 1][WP_BAND_LL];
    int width = args->width, height = args->height;
    bool dense = is_dense(&low, type, width, height);
    for (int l = 0; l < count && dense; l++) {
        for (int b = WP_BAND_HL; b <= WP_BAND_HH; b++) {
            struct wp_batch_array expected = low;
            const ptrdiff_t at = (b & 1 ? (width + 1) / 2 : 0) +
                                 (b & 2 ? (ptrdiff_t)((height + 1) / 2) * args->width : 0);
            expected.data = (char *)low.data + at * (ptrdiff_t)wp_elements[type].bytes;
            const bool exists = (!(b & 1) || width > 1) && (!(b & 2) || height > 1);
            dense = dense && (!exists || arrays_equal(&args->band[l][b], &expected));
        }
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    return dense;
}

static struct wp_batch_array array_of(const struct wp_operand *operand)
{
    return (struct wp_batch_array){operand->data, operand->stride[WP_X], operand->stride[WP_Y],
                                   operand->stride[WP_Z]};
}

// LL of level l, which is the input of the next one, in the exec's memory.
static struct wp_batch_array between_of(const struct wp_exec *exec, int l)
{
    const struct wp_cuda_band *band = &exec->level[l].band[WP_BAND_LL];
    const ptrdiff_t at = (band->data - exec->between) * bytes_of(&exec->description);
    return (struct wp_batch_array){(char *)exec->between + at, band->step_x, band->step_y,
                                   band->step_z};
}

// Kernels read integers unscaled; the bands that they write are divided by the integer for 1.
static double divisor_of(const struct wp_operand *samples)
{
    const struct wp_element_scale scale = wp_operand_scale(samples, false);
    return scale.largest > 0 ? (double)scale.one : 1;
}

// The arguments of `count` levels from number `first` on.
static struct wp_batch_args args_of(const struct wp_exec *exec, const struct wp_operand *samples,
                                    const struct wp_operand *coefficients, int first, int count)
{
    const struct wp_cuda_level *levels = &exec->level[first];
    const struct wp_lifting lifting = wp_description_lifting(&exec->description);
    struct wp_batch_args args = {
        .planes = levels->depth,
        .width = levels->width,
        .height = levels->height,
        .samples = first ? between_of(exec, first - 1) : array_of(samples),
    };
    for (int l = 0; l < count; l++)
        for (unsigned b = 0; b < WP_BAND_COUNT; b++) {
            const int level = first + l;
            args.scale[l][b] = wp_lifting_gain(&lifting, exec->level[level].axes, b);
            args.scale_f32[l][b] = (float)args.scale[l][b];
            if (b & ~exec->level[level].axes)
                continue;
            if (b == WP_BAND_LL && level + 1 < exec->levels) {
                args.band[l][b] = between_of(exec, level);
            } else {
                const struct wp_operand band = wp_operand_band(
                    &exec->description, coefficients, level + 1, (enum wp_band)b, 0);
                args.band[l][b] = array_of(&band);
                args.scale[l][b] /= divisor_of(samples);
            }
        }
    return args;
}

// On GPUs that support it, the kernels themselves wait for the previous launch.
static int launch(const struct wp_exec *exec, const struct wp_cuda_kernel *kernel,
                  const unsigned grid[3], const unsigned block[2], struct wp_batch_args *args)
{
    return wp_cuda_kernel_launch(kernel, grid, block, args, exec->device->properties.major >= 9,
                                 exec->level->stream);
}

static int run_tile(const struct wp_exec *exec, const struct wp_operand *samples,
                    const struct wp_operand *coefficients, const struct tile_launch *tile)
{
    const struct batch_state *state = exec->method_state;
    const struct wp_cuda_level *level = &exec->level[tile->first];
    struct wp_batch_args args = args_of(exec, samples, coefficients, tile->first, tile->count);
    unsigned grid[3] = {(unsigned)wp_divide_up(level->width, WP_BATCH_TILE_WIDTH),
                        (unsigned)wp_divide_up(level->height, WP_BATCH_TILE_HEIGHT),
                        (unsigned)level->depth};
    unsigned block[2] = {(unsigned)wp_batch_tile_threads(around_of(level)), 1};
    if (is_signal(&exec->description)) {
        const int part = 32 * WP_BATCH_LANE - 2 * part_margin(level, tile->count);
        const int parts = wp_divide_up(level->width, part) * level->depth;
        grid[0] = (unsigned)wp_divide_up(parts, WP_BATCH_PART_WARPS);
        grid[1] = grid[2] = 1;
        block[0] = 32 * WP_BATCH_PART_WARPS;
    }
    return launch(exec, &state->tile[tile->kernel], grid, block, &args);
}

static int run_block(const struct wp_exec *exec, const struct wp_operand *samples,
                     const struct wp_operand *coefficients)
{
    struct batch_state *state = exec->method_state;
    const int count = exec->levels - state->tiles;
    if (count == 0)
        return cudaSuccess;
    struct wp_batch_args args = args_of(exec, samples, coefficients, state->tiles, count);
    const struct wp_batch_types types = types_of(exec, state->tiles == 0, true);
    const int dense =
        (is_dense(&args.samples, types.samples, args.width, args.height) ? DENSE_SAMPLES : 0) |
        (coefficients_are_dense(exec, &args, types.high, count) ? DENSE_COEFFICIENTS : 0);
    const int error = require_block(exec, state, dense);
    if (error != cudaSuccess)
        return error;
    const unsigned grid[3] = {(unsigned)wp_divide_up(args.planes, state->planes), 1, 1};
    const unsigned block[2] = {(unsigned)state->threads, 1};
    return launch(exec, &state->kernel[dense], grid, block, &args);
}

int wp_cuda_batch_run(const struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to)
{
    const struct batch_state *state = exec->method_state;
    const bool inverse = exec->level->inverse;
    const struct wp_operand *samples = inverse ? to : from, *coefficients = inverse ? from : to;
    int error = inverse ? run_block(exec, samples, coefficients) : cudaSuccess;
    struct tile_launch tile[WP_CUDA_LEVELS_MAX];
    int tiles = 0;
    for (int l = 0; l < state->tiles; l += tile[tiles++].count)
        tile[tiles] = tile_at(exec, l);
    for (int i = 0; i < tiles && error == cudaSuccess; i++)
        error = run_tile(exec, samples, coefficients, &tile[inverse ? tiles - 1 - i : i]);
    return inverse || error != cudaSuccess ? error : run_block(exec, samples, coefficients);
}
