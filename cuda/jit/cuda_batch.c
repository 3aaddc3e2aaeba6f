// The variant `batch`: many images in few launches, by kernels that are compiled for their wavelet.
// Images that fit the shared memory of a block are transformed with all levels in one launch;
// larger ones in tiles, one level per launch, until the rest fits. The images are slices without
// levels along z.
#include "cuda_batch.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "log.h"

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
    SIGNAL_THREADS = 640,
    TILE_THREADS = 960
};

struct batch_state {
    int tiles;          // the first levels, in tiles
    int planes;         // per block of images that fit a block
    int threads, bytes; // of that block
    struct wp_cuda_kernel kernel[KERNELS], tile;
};

static int around_of(const struct wp_cuda_level *level)
{
    return 2 * (level->reach_low + level->reach_high);
}

// True if a level can be computed in tiles. Without samples around them `made` is faster.
static bool fits_tiles(const struct wp_cuda_level *level)
{
    enum { AROUND_MOST = 64, GRID_MOST = 65535 };
    return level->width > 1 && level->height > 1 && around_of(level) > 0 &&
           around_of(level) <= AROUND_MOST && level->depth <= GRID_MOST;
}

// True if images of the size of a level fit a block, and are not so few that tiles of large ones
// use more multiprocessors.
static bool fits_block(const struct wp_cuda_level *level)
{
    enum { AROUND_MOST = 32, FEW = 128, SMALL = 64 * 64 };
    const int width = level->width, height = level->height;
    const bool split = wp_batch_segments(width, height == 1) > 1 ||
                       wp_batch_segments(height, false) > 1;
    return width > 1 && wp_batch_pitch(width) * height <= BYTES_MOST / (int)sizeof(float) &&
           wp_batch_share(width, height) <= THREADS_MOST &&
           (level->depth >= FEW || width * height <= SMALL || !fits_tiles(level)) &&
           !(split && around_of(level) > AROUND_MOST);
}

// The number of levels in tiles; -1: not supported. `level` has the steps.
static int count_tiles(const struct wp_cuda_level *level, const struct wp_description *d)
{
    struct wp_cuda_level of = *level;
    of.depth = wp_description_depth(d);
    for (int l = 0; l <= d->levels; l++) {
        of.width = wp_description_size(d, WP_X, l);
        of.height = wp_description_size(d, WP_Y, l);
        if (l == d->levels || fits_block(&of))
            return d->levels - l > WP_BATCH_LEVELS_MAX ? -1 : l;
        if (!fits_tiles(&of))
            return -1;
    }
    return -1;
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
    const int width = exec->level[state->tiles].width, height = exec->level[state->tiles].height;
    const int share = wp_batch_share(width, height);
    state->planes = THREADS / share > 1 ? THREADS / share : 1;
    state->threads = wp_batch_threads(width, height, state->planes);
    state->bytes =
        state->planes * wp_batch_pitch(width) * height * (int)sizeof(float);
}

// Begins the source of a kernel.
static void add_head(const struct wp_exec *exec, const char *header, int threads, int resident,
                     struct wp_text *text)
{
    wp_text_add(text, "#include \"%s\"\n\n", header);
    wp_cuda_add_steps(exec->level, text);
    wp_text_add(text,
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                WP_CUDA_PROGRAM_KERNEL "(const __grid_constant__ wp_batch_args args)\n",
                threads, resident > 1 ? resident : 1);
}

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

void wp_cuda_batch_add_program(const struct wp_exec *exec, int first, int planes, int dense,
                               struct wp_text *text)
{
    const struct wp_cuda_level *level = &exec->level[first];
    const int threads = wp_batch_threads(level->width, level->height, planes);
    add_head(exec, "cuda_batch.cuh", threads,
             (level->height > 1 ? IMAGE_THREADS : SIGNAL_THREADS) / threads, text);
    wp_text_add(text,
                "{\n"
                "    using batch = wp_batch_case<%d, %d, %d, %d, %d, %s, %s>;\n"
                "    wp_lift_batch<wp_jit_shape<steps_here>, batch>(args);\n"
                "}\n",
                level->width, level->height, exec->levels - first, planes, (int)level->extension,
                word_of(dense & DENSE_SAMPLES), word_of(dense & DENSE_COEFFICIENTS));
}

void wp_cuda_batch_add_tile_program(const struct wp_exec *exec, struct wp_text *text)
{
    const struct wp_cuda_level *level = exec->level;
    const int threads = wp_batch_tile_threads(around_of(level));
    add_head(exec, "cuda_batch_tile.cuh", threads, TILE_THREADS / threads, text);
    wp_text_add(text, "{\n    wp_lift_tile<wp_jit_shape<steps_here>, %d>(args);\n}\n",
                (int)level->extension);
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

// The kernel of the levels that fit a block.
static int require_block(const struct wp_exec *exec, struct batch_state *state, int dense)
{
    struct wp_text source = {0};
    if (state->kernel[dense].module)
        return cudaSuccess;
    wp_cuda_batch_add_program(exec, state->tiles, state->planes, dense, &source);
    return require_kernel(exec, &state->kernel[dense], &source, state->threads, state->bytes);
}

static int require_tile(const struct wp_exec *exec, struct batch_state *state)
{
    const struct wp_cuda_level *level = exec->level;
    struct wp_text source = {0};
    if (state->tile.module)
        return cudaSuccess;
    wp_cuda_batch_add_tile_program(exec, &source);
    return require_kernel(exec, &state->tile, &source,
                          wp_batch_tile_threads(around_of(level)),
                          wp_batch_tile_bytes(around_of(level)));
}

int wp_cuda_batch_prepare(struct wp_exec *exec)
{
    int error = wp_cuda_jit_create_state(exec, sizeof(struct batch_state));
    struct batch_state *state = exec->method_state;
    if (error != cudaSuccess)
        return error;
    set_block(exec, state);
    error = state->tiles ? require_tile(exec, state) : cudaSuccess;
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
    wp_cuda_kernel_free(&state->tile);
    free(state);
}

static bool bands_equal(const struct wp_cuda_band *a, const struct wp_cuda_band *b)
{
    return a->data == b->data && a->step_x == b->step_x && a->step_y == b->step_y &&
           a->step_z == b->step_z;
}

// True if an array of planes has no gaps.
static bool is_dense(const struct wp_cuda_band *at, int width, int height)
{
    return at->step_x == 1 && at->step_y == width && at->step_z == (ptrdiff_t)width * height;
}

// True if the bands of `count` levels are parts of an array without gaps with the layout "mallat".
static bool coefficients_are_dense(const struct wp_cuda_level *levels, int count)
{
    const struct wp_cuda_band low = levels[count - 1].band[WP_BAND_LL];
    const int width = levels->width;
    bool dense = is_dense(&low, width, levels->height);
    for (int l = 0; l < count && dense; l++) {
        const struct wp_cuda_level *level = &levels[l];
        for (int b = WP_BAND_HL; b <= WP_BAND_HH; b++) {
            struct wp_cuda_band expected = low;
            expected.data += (b & 1 ? (level->width + 1) / 2 : 0) +
                             (b & 2 ? (ptrdiff_t)((level->height + 1) / 2) * width : 0);
            const bool exists = (!(b & 1) || level->width > 1) && (!(b & 2) || level->height > 1);
            dense = dense && (!exists || bands_equal(&level->band[b], &expected));
        }
    }
    return dense;
}

static struct wp_batch_args args_of(const struct wp_cuda_level *levels, int count)
{
    struct wp_batch_args args = {
        .planes = levels->depth,
        .width = levels->width,
        .height = levels->height,
        .samples = {levels->plane, levels->column, levels->pitch, levels->slice},
    };
    for (int l = 0; l < count; l++)
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            args.band[l][b] = levels[l].band[b];
            args.scale[l][b] = levels[l].scale[b];
        }
    return args;
}

static unsigned divide_up(int n, int by)
{
    return (unsigned)((n + by - 1) / by);
}

// On GPUs that support it, the kernels themselves wait for the previous launch.
static int launch(const struct wp_exec *exec, const struct wp_cuda_kernel *kernel,
                  const unsigned grid[3], const unsigned block[2], struct wp_batch_args *args)
{
    return wp_cuda_kernel_launch(kernel, grid, block, args, exec->device->properties.major >= 9,
                                 exec->level->stream);
}

static int run_tile(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct batch_state *state = exec->method_state;
    struct wp_batch_args args = args_of(level, 1);
    const unsigned grid[3] = {divide_up(level->width, WP_BATCH_TILE_WIDTH),
                              divide_up(level->height, WP_BATCH_TILE_HEIGHT),
                              (unsigned)level->depth};
    const unsigned block[2] = {
        (unsigned)wp_batch_tile_threads(around_of(level)), 1};
    return launch(exec, &state->tile, grid, block, &args);
}

static int run_block(const struct wp_exec *exec)
{
    struct batch_state *state = exec->method_state;
    const struct wp_cuda_level *levels = &exec->level[state->tiles];
    const int count = exec->levels - state->tiles;
    if (count == 0)
        return cudaSuccess;
    struct wp_batch_args args = args_of(levels, count);
    const int dense =
        (is_dense(&args.samples, levels->width, levels->height) ? DENSE_SAMPLES : 0) |
        (coefficients_are_dense(levels, count) ? DENSE_COEFFICIENTS : 0);
    const int error = require_block(exec, state, dense);
    if (error != cudaSuccess)
        return error;
    const unsigned grid[3] = {divide_up(args.planes, state->planes), 1, 1};
    const unsigned block[2] = {(unsigned)state->threads, 1};
    return launch(exec, &state->kernel[dense], grid, block, &args);
}

int wp_cuda_batch_run(const struct wp_exec *exec)
{
    const struct batch_state *state = exec->method_state;
    const bool inverse = exec->level->inverse;
    int error = inverse ? run_block(exec) : cudaSuccess;
    for (int i = 0; i < state->tiles && error == cudaSuccess; i++)
        error = run_tile(exec, &exec->level[inverse ? state->tiles - 1 - i : i]);
    return inverse || error != cudaSuccess ? error : run_block(exec);
}
