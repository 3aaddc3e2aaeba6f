#include "cuda_jit_method.h"

#include "cuda_kernel.h"
#include "cuda_program.h"
#include "log.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

// Maximum registers of a thread, registers of a strip kernel besides its row buffer, and minimum
// number of lanes that compute results.
enum { REGISTERS_MOST = 255, REGISTERS_OTHER = 60, LANES_LEAST = 4 };

enum { SAMPLES = 4 }; // per lane

// Row pairs of a patch, measured on an H200 with thirteen wavelets. 0: the reach of the steps is
// too long for registers and for the time to compile.
static int patch_pairs(const struct wp_cuda_level *level)
{
    enum { SHORT = 5, LONG = 10 };
    const int reach = level->reach_low + level->reach_high;
    return reach <= SHORT ? 4 : reach <= LONG ? 6 : 0;
}

static struct wp_cuda_geometry strip_geometry(const struct wp_cuda_level *level)
{
    enum { OF_ALL = 65536 / 128, RESIDENT_MOST = 3 }; // registers per thread of a block
    const int rows = wp_cuda_ring_rows(level);
    const int resident = OF_ALL / (SAMPLES * rows + REGISTERS_OTHER);
    // Longer row buffers need more rows before the first result; inverse ones more than forward.
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

// True if a patch that loads `pairs` row pairs may be limited to 128 registers, for one more
// resident block. For the built-in wavelets on compute capability 9.0, 23 of 40 kernels within
// these limits compile without spills, and none of the 36 kernels beyond them.
static bool may_be_small(const struct wp_cuda_level *level, int pairs)
{
    enum { PAIRS_MOST = 12, STEPS_MOST = 5 };
    return pairs <= PAIRS_MOST && steps_of(level) <= STEPS_MOST;
}

struct wp_cuda_geometry wp_cuda_jit_geometry(const struct wp_cuda_level *level, bool wide)
{
    enum { FEW = 7 }; // up to this many row pairs, kernels without a limit use fewer registers
    const int pairs = patch_pairs(level), all = pairs + level->reach_low + level->reach_high;
    if (!pairs)
        return strip_geometry(level);
    const bool small = wide && all > FEW && may_be_small(level, all);
    return (struct wp_cuda_geometry){
        .patch = pairs,
        .by_row = all > FEW && !small,
        .resident = small ? 4 : 1,
    };
}

bool wp_cuda_jit_relax(struct wp_cuda_geometry *geometry)
{
    const bool limited = geometry->patch && geometry->resident > 1;
    if (limited) {
        geometry->resident = 1;
        geometry->by_row = true;
    }
    return limited;
}

bool wp_cuda_jit_covers(const struct wp_cuda_level *level, const char *name, char *why,
                         size_t why_size)
{
    const int rows = wp_cuda_ring_rows(level), lanes = wp_cuda_strip_lanes(level, SAMPLES);
    const int registers = patch_pairs(level) ? 0 : SAMPLES * rows + REGISTERS_OTHER;
    if (registers > REGISTERS_MOST)
        snprintf(why, why_size,
                 "%s needs %d rows in registers, which takes %d registers per thread; "
                 "the limit is %d",
                 name, rows, registers, (int)REGISTERS_MOST);
    else if (lanes < LANES_LEAST)
        snprintf(why, why_size, "%s reaches over %d pairs of samples, too far for a warp", name,
                 level->reach_low + level->reach_high);
    else if (steps_of(level) == 0)
        snprintf(why, why_size, "%s has no lifting steps", name);
    else
        return true;
    return false;
}

struct jit_state {
    struct wp_cuda_kernel kernel;
    struct wp_cuda_geometry geometry;
    bool wide; // bands are accessed four elements at a time
};

static bool has_both_axes(const struct wp_cuda_level *level)
{
    return level->width > 1 && level->height > 1;
}

// Scratch memory for levels with an axis of one sample, which has no steps; they run as in `gmem`.
size_t wp_cuda_jit_scratch(const struct wp_exec *exec)
{
    size_t most = 0;
    for (int l = 0; l < exec->levels; l++) {
        const struct wp_cuda_level *level = &exec->level[l];
        const size_t floats = (size_t)level->pitch * (size_t)level->height;
        if (!has_both_axes(level) && floats > most)
            most = floats;
    }
    return most;
}

// Reports WP_ERROR_UNAVAILABLE and returns cudaErrorNotSupported.
static int refuse(const struct wp_exec *exec, const char *why)
{
    wp_fail(WP_ERROR_UNAVAILABLE, "cannot compile a kernel for %s %s (%s)", exec->wavelet.name,
            wp_direction_names[exec->description.direction], why);
    return cudaErrorNotSupported;
}

static bool make_kernel(const struct wp_exec *exec, struct jit_state *jit_state,
                        struct wp_text *why)
{
    enum { LONG = 12 }; // rows of a row buffer from which compiling may take over half a second
    const struct wp_cuda_level *level = exec->level;
    struct wp_text source = {0};
    char name[64];
    wp_cuda_add_program(level, jit_state->wide, &jit_state->geometry, &source);
    snprintf(name, sizeof name, "%s %s", exec->wavelet.name,
             wp_direction_names[exec->description.direction]);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = wp_text_get(&source),
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = WP_CUDA_JIT_THREADS,
        .slow_to_compile = wp_cuda_ring_rows(level) >= LONG,
    };
    const bool ok = !source.failed &&
                    wp_cuda_kernel_make(exec->device, &params, &jit_state->kernel, why);
    wp_text_free(&source);
    return ok;
}

static int make(const struct wp_exec *exec, struct jit_state *jit_state)
{
    struct wp_text why = {0};
    bool ok = make_kernel(exec, jit_state, &why);
    if (!ok && wp_cuda_jit_relax(&jit_state->geometry)) {
        wp_text_free(&why);
        ok = make_kernel(exec, jit_state, &why);
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
    struct jit_state *jit_state = wp_try_allocate(1, sizeof *jit_state);
    if (!jit_state)
        return cudaErrorMemoryAllocation;
    exec->method_state = jit_state;
    if (exec->levels == 0)
        return cudaSuccess;
    jit_state->wide = true;
    for (int l = 0; l < exec->levels; l++)
        jit_state->wide = jit_state->wide && wp_cuda_level_is_wide(&exec->level[l]);
    jit_state->geometry = wp_cuda_jit_geometry(exec->level, jit_state->wide);
    return make(exec, jit_state);
}

void wp_cuda_jit_release(struct wp_exec *exec)
{
    struct jit_state *jit_state = exec->method_state;
    wp_cuda_kernel_free(&jit_state->kernel);
    free(jit_state);
}

static int run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct jit_state *jit_state = exec->method_state;
    if (!has_both_axes(level))
        return wp_cuda_steps_run(level);
    if (jit_state->wide && !wp_cuda_level_is_wide(level))
        return cudaErrorInvalidValue;
    struct wp_cuda_jit_call call;
    wp_cuda_prepare_call(level, &jit_state->geometry, jit_state->kernel.blocks, &call);
    // On GPUs that support it, the kernel itself waits for the previous one (cuda_lifting.cuh).
    return wp_cuda_kernel_launch(&jit_state->kernel, call.grid, call.block, call.args,
                                 exec->device->properties.major >= 9, level->stream);
}

int wp_cuda_jit_run(const struct wp_exec *exec)
{
    int error = cudaSuccess;
    for (int i = 0; i < exec->levels && error == cudaSuccess; i++)
        error = run_level(exec, &exec->level[exec->level->inverse ? exec->levels - 1 - i : i]);
    return error;
}
