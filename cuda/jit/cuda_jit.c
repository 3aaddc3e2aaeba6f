// Kernels that are compiled at run time: the variant `made`, patches of images whose samples are
// not floats, and kernels for rare layouts of volumes.
#include "cuda_jit.h"

#include "cuda_kernel.h"
#include "log.h"
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Maximum registers of a thread, registers of a strip kernel besides its row buffer, and minimum
// number of lanes that compute results.
enum { REGISTERS_MOST = 255, REGISTERS_OTHER = 60, LANES_LEAST = 4 };

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
    const int resident = OF_ALL / (WP_CUDA_JIT_COLUMNS * rows + REGISTERS_OTHER);
    // The longer the row buffer, the more rows are read before the first result, inverse more than
    // forward. More row pairs per warp make up for them.
    const int most = level->inverse ? (7 * rows - 8) / 4 : (3 * rows - 7) / 2;
    return (struct wp_cuda_geometry){
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
    const int rows = wp_cuda_ring_rows(level), lanes = wp_cuda_strip_lanes(level);
    const int registers = patch_pairs(level) ? 0 : WP_CUDA_JIT_COLUMNS * rows + REGISTERS_OTHER;
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
        const size_t floats =
            (size_t)level->pitch * (size_t)level->height * (size_t)level->depth;
        if (!has_both_axes(level) && floats > most)
            most = floats;
    }
    return most;
}

// Reports WP_ERROR_UNAVAILABLE and returns cudaErrorNotSupported.
static int reject(const struct wp_exec *exec, const char *why)
{
    wp_fail(WP_ERROR_UNAVAILABLE, "cannot compile a kernel for %s %s (%s)", exec->wavelet.name,
            wp_direction_names[exec->description.direction], why);
    return cudaErrorNotSupported;
}

int wp_cuda_jit_result(const struct wp_exec *exec, bool ok, struct wp_text *why)
{
    const int error = ok         ? cudaSuccess
                      : why->data ? reject(exec, wp_text_get(why))
                                  : cudaErrorMemoryAllocation;
    wp_text_free(why);
    return error;
}

int wp_cuda_jit_create_state(struct wp_exec *exec, size_t size)
{
    char why[256];
    if (!wp_cuda_kernels_run_on(exec->device, why, sizeof why))
        return reject(exec, why);
    exec->method_state = wp_try_allocate(1, size);
    return exec->method_state ? cudaSuccess : cudaErrorMemoryAllocation;
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
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = WP_CUDA_JIT_THREADS,
        .slow_to_compile = wp_cuda_ring_rows(level) >= LONG,
    };
    return wp_cuda_kernel_make(exec->device, &params, &jit_state->kernel, why);
}

static int make(const struct wp_exec *exec, struct jit_state *jit_state)
{
    struct wp_text why = {0};
    bool ok = make_kernel(exec, jit_state, &why);
    if (!ok && wp_cuda_jit_relax(&jit_state->geometry)) {
        wp_text_free(&why);
        ok = make_kernel(exec, jit_state, &why);
    }
    return wp_cuda_jit_result(exec, ok, &why);
}

int wp_cuda_jit_prepare(struct wp_exec *exec)
{
    const int error = wp_cuda_jit_create_state(exec, sizeof(struct jit_state));
    struct jit_state *jit_state = exec->method_state;
    if (error != cudaSuccess || exec->levels == 0)
        return error;
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

int wp_cuda_jit_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
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

// Measured on an H200: row pairs per warp, columns per lane, and how rows at edges are found.
static const struct wp_cuda_typed_tuning
    tunings[WP_ELEMENT_COUNT][WP_CUDA_SHAPES][WP_DIRECTION_COUNT] = {
        [WP_ELEMENT_U8] = {[WP_CUDA_SHAPE_HAAR] = {{4, 8, false}, {2, 8, false}},
                           [WP_CUDA_SHAPE_53] = {{2, 8, false}, {3, 8, false}},
                           [WP_CUDA_SHAPE_97] = {{6, 4, true}, {6, 4, false}},
                           [WP_CUDA_SHAPE_137] = {{4, 4, false}, {8, 4, false}}},
        [WP_ELEMENT_U16] = {[WP_CUDA_SHAPE_HAAR] = {{2, 8, false}, {2, 8, false}},
                            [WP_CUDA_SHAPE_53] = {{2, 8, false}, {2, 8, false}},
                            [WP_CUDA_SHAPE_97] = {{8, 4, false}, {6, 4, false}},
                            [WP_CUDA_SHAPE_137] = {{6, 4, false}, {8, 4, false}}},
        [WP_ELEMENT_F16] = {[WP_CUDA_SHAPE_HAAR] = {{3, 8, false}, {2, 8, false}},
                            [WP_CUDA_SHAPE_53] = {{3, 4, false}, {2, 8, false}},
                            [WP_CUDA_SHAPE_97] = {{8, 4, false}, {6, 4, false}},
                            [WP_CUDA_SHAPE_137] = {{6, 8, false}, {8, 4, false}}},
};

static const char *const shape_names[WP_CUDA_SHAPES] = {
    [WP_CUDA_SHAPE_HAAR] = "wp_shape_haar",
    [WP_CUDA_SHAPE_53] = "wp_shape_53",
    [WP_CUDA_SHAPE_97] = "wp_shape_97",
    [WP_CUDA_SHAPE_137] = "wp_shape_137",
};

struct wp_cuda_typed_kernel {
    struct wp_cuda_kernel kernel;
    struct wp_cuda_typed_tuning tuning;
    bool early; // may start before the previous launch has ended
};

// NULL if there is no kernel. Steps that round require integers.
static const struct wp_cuda_typed_tuning *find_tuning(enum wp_element type,
                                                      const struct wp_cuda_level *level,
                                                      enum wp_cuda_shape *shape)
{
    if (!wp_cuda_level_is_wide(level) || !wp_cuda_find_shape(level, shape) ||
        (level->reversible && wp_elements[type].largest == 0))
        return NULL;
    const struct wp_cuda_typed_tuning *tuning = &tunings[type][*shape][level->inverse];
    return tuning->rows ? tuning : NULL;
}

bool wp_cuda_typed_add_program(enum wp_element type, const struct wp_cuda_level *level,
                               struct wp_text *text)
{
    enum wp_cuda_shape shape;
    const struct wp_cuda_typed_tuning *tuning = find_tuning(type, level, &shape);
    if (!tuning)
        return false;
    wp_text_add(text,
                "#include \"cuda_patch_elements.cuh\"\n\n"
                "using shape = %s<%s<%s>>;\n"
                "using element = wp_%s;\n"
                "extern \"C\" __global__ void __launch_bounds__(%d)\n"
                WP_CUDA_PROGRAM_KERNEL
                "(const __grid_constant__ wp_element_args<shape, element> args)\n"
                "{\n"
                "    wp_lift_patch<shape, %d, true, %s, wp_elements_plane<element>, %d>(args);\n"
                "}\n",
                level->reversible ? "wp_rounded" : "wp_unrounded", shape_names[shape],
                level->inverse ? "true" : "false", wp_elements[type].name,
                (int)WP_CUDA_JIT_THREADS, tuning->rows,
                tuning->by_row ? "WP_EDGES_BY_ROW" : "WP_EDGES_AT_ONCE", tuning->columns);
    return true;
}

// Logs a note once per process.
static void note_slower(const char *type, const char *why)
{
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&noted))
        wp_log(WP_LOG_INFO, "note: images of %s take one more pass on CUDA, because their kernel "
               "cannot be compiled (%s)", type, why);
}

struct wp_cuda_typed_kernel *wp_cuda_typed_kernel_create(const struct wp_exec *exec,
                                                         const struct wp_cuda_elements *elements)
{
    const struct wp_cuda_level *level = exec->level;
    const char *type = wp_elements[elements->type].name;
    enum wp_cuda_shape shape;
    const struct wp_cuda_typed_tuning *tuning = find_tuning(elements->type, level, &shape);
    char reason[256] = "";
    if (!tuning)
        return NULL;
    if (!wp_cuda_kernels_run_on(exec->device, reason, sizeof reason)) {
        note_slower(type, reason);
        return NULL;
    }
    struct wp_cuda_typed_kernel *typed = wp_try_allocate(1, sizeof *typed);
    if (!typed)
        return NULL; // the samples are converted instead
    struct wp_text source = {0}, why = {0};
    char name[128];
    wp_cuda_typed_add_program(elements->type, level, &source);
    snprintf(name, sizeof name, "%s %s from %s", exec->wavelet.name,
             wp_direction_names[exec->description.direction], type);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = WP_CUDA_JIT_THREADS,
    };
    typed->tuning = *tuning;
    typed->early = exec->device->properties.major >= 9;
    if (!wp_cuda_kernel_make(exec->device, &params, &typed->kernel, &why)) {
        note_slower(type, why.data ? wp_text_get(&why) : "not enough memory");
        free(typed);
        typed = NULL;
    }
    wp_text_free(&why);
    return typed;
}

void wp_cuda_typed_kernel_destroy(struct wp_cuda_typed_kernel *typed)
{
    if (typed)
        wp_cuda_kernel_free(&typed->kernel);
    free(typed);
}

int wp_cuda_typed_kernel_run(const struct wp_cuda_typed_kernel *typed,
                             const struct wp_cuda_level *level,
                             const struct wp_cuda_elements *elements)
{
    struct wp_cuda_jit_call call;
    wp_cuda_prepare_typed_call(level, elements, &typed->tuning, &call);
    return wp_cuda_kernel_launch(&typed->kernel, call.grid, call.block, call.args, typed->early,
                                 level->stream);
}

// The entry of a slot for a kernel that cannot be compiled.
static const struct wp_cuda_kernel none;

static bool compile(int number, const struct wp_cuda_jit_params *params,
                    struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    struct wp_device device = {.number = number};
    char reason[256];
    if (cudaGetDeviceProperties(&device.properties, number) != cudaSuccess)
        return false;
    if (!wp_cuda_kernels_run_on(&device, reason, sizeof reason)) {
        wp_text_add(why, "%s", reason);
        return false;
    }
    struct wp_text source = {0};
    wp_cuda_jit_add_program(params, &source);
    const struct wp_cuda_kernel_params of_kernel = {
        .name = params->name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = params->threads,
        .bytes = params->bytes,
        .may_spill = true,
    };
    return wp_cuda_kernel_make(&device, &of_kernel, kernel, why);
}

// Called with a mutex locked.
static const struct wp_cuda_kernel *make_volume(int device, const struct wp_cuda_jit_params *params)
{
    static bool noted;
    struct wp_cuda_kernel *kernel = wp_try_allocate(1, sizeof *kernel);
    struct wp_text why = {0};
    const bool ok = kernel && compile(device, params, kernel, &why);
    if (!ok && !noted) {
        wp_log(WP_LOG_INFO,
               "note: volumes are slower on CUDA than they could be, because the kernel of "
               "%s cannot be compiled (%s)",
               params->name, why.data ? wp_text_get(&why) : "not enough memory");
        noted = true;
    }
    wp_text_free(&why);
    if (ok)
        return kernel;
    free(kernel);
    return &none;
}

const struct wp_cuda_kernel *wp_cuda_jit_get(struct wp_cuda_jit_slot *slot,
                                             const struct wp_cuda_jit_params *params)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= WP_CUDA_JIT_DEVICES)
        return NULL;
    const struct wp_cuda_kernel **at = &slot->kernel[device];
    const struct wp_cuda_kernel *kernel = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (!kernel) {
        pthread_mutex_lock(&mutex);
        kernel = *at;
        if (!kernel) {
            kernel = make_volume(device, params);
            __atomic_store_n(at, kernel, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    return kernel == &none ? NULL : kernel;
}

int wp_cuda_jit_resident(const struct wp_cuda_kernel *kernel)
{
    return kernel->blocks > 0 ? kernel->blocks : 1;
}

int wp_cuda_jit_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3], unsigned warps,
                       const void *argument, void *stream)
{
    const unsigned block[2] = {32, warps};
    // The driver reads the argument only.
    return wp_cuda_kernel_launch(kernel, grid, block, (void *)(uintptr_t)argument, false, stream);
}
