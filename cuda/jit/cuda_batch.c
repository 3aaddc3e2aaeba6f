// The variant `batch`: all levels of many small images in one launch, by kernels that are compiled
// for their size and wavelet. The images are slices without levels along z.
#include <stdlib.h>
static int tune(const char *name, int value)
{
    const char *text = getenv(name);
    return text ? atoi(text) : value;
}
#define WP_BATCH_SEGMENT tune("T_SEGMENT", 64)
#include "cuda_batch.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "log.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

// Kernels for operands with gaps and without: bit 0 of the index is set if the samples have none,
// bit 1 for the coefficients.
enum { DENSE_SAMPLES = 1, DENSE_COEFFICIENTS = 2, KERNELS = 4 };

struct batch_state {
    int planes; // per block
    int threads, bytes;
    struct wp_cuda_kernel kernel[KERNELS];
};

static int block_bytes(const struct wp_description *d, int planes)
{
    return planes * wp_batch_pitch(d->size[WP_X]) * d->size[WP_Y] * (int)sizeof(float);
}

bool wp_cuda_batch_covers(const struct wp_description *d, char *why, size_t why_size)
{
    enum { THREADS_MOST = 512 };
    const int width = d->size[WP_X], height = d->size[WP_Y];
    if (width < 2)
        snprintf(why, why_size, "it does not support images of one column");
    else if (width > WP_BATCH_LINE_MAX || height > WP_BATCH_LINE_MAX ||
             block_bytes(d, 1) > WP_BATCH_BYTES_MAX || wp_batch_share(width, height) > THREADS_MOST)
        snprintf(why, why_size, "%dx%d samples do not fit the shared memory of a block", width,
                 height);
    else if (d->levels_z || d->levels < 1 || d->levels > WP_BATCH_LEVELS_MAX)
        snprintf(why, why_size, "it supports 1 to %d levels, along x and y", (int)WP_BATCH_LEVELS_MAX);
    else
        return true;
    return false;
}

static void set_block(const struct wp_description *d, struct batch_state *state)
{
    const int width = d->size[WP_X], height = d->size[WP_Y];
    const int share = wp_batch_share(width, height), threads = tune("T_THREADS", 128);
    state->planes = threads / share > 1 ? threads / share : 1;
    state->threads = wp_batch_threads(width, height, state->planes);
    state->bytes = block_bytes(d, state->planes);
}

static void add_program(const struct wp_exec *exec, const struct batch_state *state, int dense,
                        struct wp_text *text)
{
    const struct wp_cuda_level *level = exec->level;
    wp_text_add(text, "#define WP_BATCH_SEGMENT %d\n#include \"cuda_batch.cuh\"\n\n", WP_BATCH_SEGMENT);
    wp_cuda_add_steps(level, text);
    wp_text_add(text,
                "using batch = wp_batch_case<%d, %d, %d, %d, %d, %s, %s>;\n\n"
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                WP_CUDA_PROGRAM_KERNEL "(const __grid_constant__ wp_batch_args args)\n"
                "{\n"
                "    wp_lift_batch<wp_jit_shape<steps_here>, batch>(args);\n"
                "}\n",
                level->width, level->height, exec->levels, state->planes, (int)level->extension,
                dense & DENSE_SAMPLES ? "true" : "false",
                dense & DENSE_COEFFICIENTS ? "true" : "false", state->threads,
                tune("T_RESIDENT", 1));
}

static bool make_kernel(const struct wp_exec *exec, struct batch_state *state, int dense,
                        struct wp_text *why)
{
    struct wp_text source = {0};
    char name[96];
    add_program(exec, state, dense, &source);
    snprintf(name, sizeof name, "%s %s of %dx%d, %d levels", exec->wavelet.name,
             wp_direction_names[exec->description.direction], exec->level->width,
             exec->level->height, exec->levels);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = state->threads,
        .bytes = state->bytes,
        .may_spill = true,
    };
    return wp_cuda_kernel_make(exec->device, &params, &state->kernel[dense], why);
}

// True if the band is an array of planes without gaps.
static bool is_dense(const struct wp_cuda_band *at, int width, int height)
{
    return at->step_x == 1 && at->step_y == width && at->step_z == (ptrdiff_t)width * height;
}

static bool bands_equal(const struct wp_cuda_band *a, const struct wp_cuda_band *b)
{
    return a->data == b->data && a->step_x == b->step_x && a->step_y == b->step_y &&
           a->step_z == b->step_z;
}

// True if the bands of all levels are parts of an array without gaps with the layout "mallat".
static bool coefficients_are_dense(const struct wp_exec *exec)
{
    const struct wp_cuda_band low = exec->level[exec->levels - 1].band[WP_BAND_LL];
    const int width = exec->level->width, height = exec->level->height;
    bool dense = is_dense(&low, width, height);
    for (int l = 0; l < exec->levels && dense; l++) {
        const struct wp_cuda_level *level = &exec->level[l];
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

static struct wp_batch_args args_of(const struct wp_exec *exec)
{
    struct wp_batch_args args = {
        .planes = exec->level->depth,
        .samples = {exec->level->plane, exec->level->column, exec->level->pitch, exec->level->slice},
    };
    for (int l = 0; l < exec->levels; l++)
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            args.band[l][b] = exec->level[l].band[b];
            args.scale[l][b] = exec->level[l].scale[b];
        }
    return args;
}

// Reports WP_ERROR_UNAVAILABLE and returns cudaErrorNotSupported.
static int reject(const struct wp_exec *exec, const char *why)
{
    wp_fail(WP_ERROR_UNAVAILABLE, "cannot compile a kernel for %s %s of %dx%d (%s)",
            exec->wavelet.name, wp_direction_names[exec->description.direction],
            exec->level->width, exec->level->height, why);
    return cudaErrorNotSupported;
}

// Compiles the kernel unless it exists. Returns a cudaError_t.
static int require_kernel(const struct wp_exec *exec, struct batch_state *state, int dense)
{
    struct wp_text why = {0};
    if (state->kernel[dense].module || make_kernel(exec, state, dense, &why))
        return cudaSuccess;
    const int error = why.data ? reject(exec, wp_text_get(&why)) : cudaErrorMemoryAllocation;
    wp_text_free(&why);
    return error;
}

int wp_cuda_batch_prepare(struct wp_exec *exec)
{
    char why[256];
    if (!wp_cuda_kernels_run_on(exec->device, why, sizeof why))
        return reject(exec, why);
    struct batch_state *state = wp_try_allocate(1, sizeof *state);
    if (!state)
        return cudaErrorMemoryAllocation;
    exec->method_state = state;
    set_block(&exec->description, state);
    // The other kernels are compiled for the operands that need them.
    return require_kernel(exec, state, DENSE_SAMPLES | DENSE_COEFFICIENTS);
}

void wp_cuda_batch_release(struct wp_exec *exec)
{
    struct batch_state *state = exec->method_state;
    for (int i = 0; i < KERNELS; i++)
        wp_cuda_kernel_free(&state->kernel[i]);
    free(state);
}

int wp_cuda_batch_run(const struct wp_exec *exec)
{
    struct batch_state *state = exec->method_state;
    struct wp_batch_args args = args_of(exec);
    const int dense =
        (is_dense(&args.samples, exec->level->width, exec->level->height) ? DENSE_SAMPLES : 0) |
        (coefficients_are_dense(exec) ? DENSE_COEFFICIENTS : 0);
    const int error = require_kernel(exec, state, dense);
    if (error != cudaSuccess)
        return error;
    const unsigned grid[3] = {(unsigned)((args.planes + state->planes - 1) / state->planes), 1, 1};
    const unsigned block[2] = {(unsigned)state->threads, 1};
    return wp_cuda_kernel_launch(&state->kernel[dense], grid, block, &args, false,
                                 exec->level->stream);
}
