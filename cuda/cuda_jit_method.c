#include "cuda_jit_method.h"

#include "cuda_kernel.h"
#include "cuda_program.h"
#include "log.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

// Of registers: what a thread can have, and what a walk has beside its window.
enum { REGISTERS_MOST = 255, REGISTERS_BESIDE = 60, LANES_LEAST = 4 };

enum { SAMPLES = 4 }; // a lane

// Row pairs that a warp best takes at once, of steps that reach over so many pairs; 0: too many for
// registers, and for the compiler's patience. As measured on an H200 with thirteen wavelets.
static int patch_of(const struct wp_cuda_level *level)
{
    enum { SHORT = 5, LONG = 10 };
    const int reach = level->reach_low + level->reach_high;
    return reach <= SHORT ? 4 : reach <= LONG ? 6 : 0;
}

static struct wp_cuda_geometry walk_of(const struct wp_cuda_level *level)
{
    enum { OF_ALL = 65536 / 128, RESIDENT_MOST = 3 }; // registers of a block's thread
    const int rows = wp_cuda_ring_rows(level);
    const int resident = OF_ALL / (SAMPLES * rows + REGISTERS_BESIDE);
    // Longer windows begin with more rows that nobody writes; those of inverses more than others.
    const int most = level->inverse ? (7 * rows - 8) / 4 : (3 * rows - 7) / 2;
    return (struct wp_cuda_geometry){
        .samples = SAMPLES,
        .ahead = 4,
        .unroll = rows < 12 ? 1 : 2,
        .resident = resident < RESIDENT_MOST ? resident : RESIDENT_MOST,
        .most = most < 5 ? 5 : most,
    };
}

static int steps_of(const struct wp_cuda_level *level)
{
    int count = 0;
    for (int s = 0; s < level->steps; s++)
        count += level->step[s].count > 0;
    return count;
}

// Whether a patch of so many row pairs may do with 128 registers, for a block more that is resident. Of
// what is shipped, and compute capability 9.0, 23 kernels of 40 within these limits do, of 36 beyond none.
static bool may_be_small(const struct wp_cuda_level *level, int pairs)
{
    enum { PAIRS_MOST = 12, STEPS_MOST = 5 };
    return pairs <= PAIRS_MOST && steps_of(level) <= STEPS_MOST;
}

struct wp_cuda_geometry wp_cuda_jit_geometry(const struct wp_cuda_level *level, bool wide)
{
    enum { FEW = 7 }; // row pairs that take fewer by themselves
    const int pairs = patch_of(level), all = pairs + level->reach_low + level->reach_high;
    if (!pairs)
        return walk_of(level);
    const bool small = wide && all > FEW && may_be_small(level, all);
    return (struct wp_cuda_geometry){
        .patch = pairs,
        .by_row = all > FEW && !small,
        .resident = small ? 4 : 1,
    };
}

bool wp_cuda_jit_relax(struct wp_cuda_geometry *geometry)
{
    const bool asked = geometry->patch && geometry->resident > 1;
    if (asked) {
        geometry->resident = 1;
        geometry->by_row = true;
    }
    return asked;
}

bool wp_cuda_jit_covers(const struct wp_cuda_level *level, const char *name, char *why,
                         size_t why_size)
{
    const int rows = wp_cuda_ring_rows(level), lanes = wp_cuda_strip_lanes(level, SAMPLES);
    const int registers = patch_of(level) ? 0 : SAMPLES * rows + REGISTERS_BESIDE;
    if (registers > REGISTERS_MOST)
        snprintf(why, why_size, "the steps of %s take %d rows at once, so %d registers of the %d "
                 "that a thread can have", name, rows, registers, (int)REGISTERS_MOST);
    else if (lanes < LANES_LEAST)
        snprintf(why, why_size, "%s reaches over %d pairs of samples, too far for a warp", name,
                 level->reach_low + level->reach_high);
    else if (steps_of(level) == 0)
        snprintf(why, why_size, "%s has no lifting steps", name);
    else
        return true;
    return false;
}

struct made {
    struct wp_cuda_kernel kernel;
    struct wp_cuda_geometry geometry;
    bool wide; // it accesses four elements of bands at a time
};

static bool goes_by_walk(const struct wp_cuda_level *level)
{
    return level->width > 1 && level->height > 1;
}

// An axis of one sample has no steps: such levels go by those of `gmem`.
size_t wp_cuda_jit_scratch(const struct wp_exec *exec)
{
    size_t most = 0;
    for (int l = 0; l < exec->levels; l++) {
        const struct wp_cuda_level *level = &exec->level[l];
        const size_t floats = (size_t)level->pitch * (size_t)level->height;
        if (!goes_by_walk(level) && floats > most)
            most = floats;
    }
    return most;
}

// cudaErrorNotSupported after WP_ERROR_UNAVAILABLE.
static int refuse(const struct wp_exec *exec, const char *why)
{
    wp_fail(WP_ERROR_UNAVAILABLE, "no kernel of %s %s can be made (%s)", exec->wavelet.name,
            wp_direction_names[exec->description.direction], why);
    return cudaErrorNotSupported;
}

static bool make_kernel(const struct wp_exec *exec, struct made *made, struct wp_text *why)
{
    enum { LONG = 12 }; // rows of windows that may take longer than half a second
    const struct wp_cuda_level *level = exec->level;
    struct wp_text source = {0};
    char name[64];
    wp_cuda_add_program(level, made->wide, &made->geometry, &source);
    snprintf(name, sizeof name, "%s %s", exec->wavelet.name,
             wp_direction_names[exec->description.direction]);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = wp_text_get(&source),
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = WP_CUDA_JIT_THREADS,
        .takes_long = wp_cuda_ring_rows(level) >= LONG,
    };
    const bool ok = !source.failed && wp_cuda_kernel_make(exec->device, &params, &made->kernel, why);
    wp_text_free(&source);
    return ok;
}

static int make(const struct wp_exec *exec, struct made *made)
{
    struct wp_text why = {0};
    bool ok = make_kernel(exec, made, &why);
    if (!ok && wp_cuda_jit_relax(&made->geometry)) {
        wp_text_free(&why);
        ok = make_kernel(exec, made, &why);
    }
    const int error = ok         ? cudaSuccess
                      : why.data ? refuse(exec, wp_text_get(&why))
                                 : cudaErrorMemoryAllocation;
    wp_text_free(&why);
    return error;
}

int wp_cuda_jit_prepare(struct wp_exec *exec)
{
    char why[256];
    if (!wp_cuda_kernels_run_on(exec->device, why, sizeof why))
        return refuse(exec, why);
    struct made *made = wp_try_allocate(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    exec->own = made;
    if (exec->levels == 0)
        return cudaSuccess;
    made->wide = true;
    for (int l = 0; l < exec->levels; l++)
        made->wide = made->wide && wp_cuda_level_is_wide(&exec->level[l]);
    made->geometry = wp_cuda_jit_geometry(exec->level, made->wide);
    return make(exec, made);
}

void wp_cuda_jit_release(struct wp_exec *exec)
{
    struct made *made = exec->own;
    wp_cuda_kernel_free(&made->kernel);
    free(made);
}

static int run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct made *made = exec->own;
    if (!goes_by_walk(level))
        return wp_cuda_steps_run(level);
    if (made->wide && !wp_cuda_level_is_wide(level))
        return cudaErrorInvalidValue;
    struct wp_cuda_jit_call call;
    wp_cuda_prepare_call(level, &made->geometry, made->kernel.blocks, &call);
    // It waits for the one before itself, where GPUs know that (cuda_lifting.cuh).
    return wp_cuda_kernel_launch(&made->kernel, call.grid, call.block, call.args,
                                 exec->device->properties.major >= 9, level->stream);
}

int wp_cuda_jit_run(const struct wp_exec *exec)
{
    int error = cudaSuccess;
    for (int i = 0; i < exec->levels && error == cudaSuccess; i++)
        error = run_level(exec, &exec->level[exec->level->inverse ? exec->levels - 1 - i : i]);
    return error;
}
