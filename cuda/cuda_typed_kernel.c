#include "cuda_typed_kernel.h"

#include "cuda_kernel.h"
#include "cuda_program.h"
#include "log.h"
#include "memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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
        .source = wp_text_get(&source),
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = WP_CUDA_JIT_THREADS,
    };
    typed->tuning = *tuning;
    typed->early = exec->device->properties.major >= 9;
    if (source.failed || !wp_cuda_kernel_make(exec->device, &params, &typed->kernel, &why)) {
        note_slower(type, why.data ? wp_text_get(&why) : "not enough memory");
        free(typed);
        typed = NULL;
    }
    wp_text_free(&source);
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
