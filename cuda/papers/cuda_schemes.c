// The schemes of barina2017 in blocks: kernels that the emitter writes and NVRTC compiles; if that
// fails, tables in device memory for cuda_scheme.cu.
#include "cuda_kernel.h"
#include "emit_tile.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"

#include <stdio.h>
#include <stdlib.h>

enum { AXES = WP_AXIS_BOTH + 1 };

// One for each set of axes of the levels, as an axis of one sample has no steps.
struct blocks {
    struct wp_cuda_kernel kernel; // without a module: use the tables
    struct wp_tile tile;
    int step; // quads that a block writes along x
    struct wp_cuda_scheme scheme;
    void *memory[2];
};

struct builder {
    struct wp_cuda_term *term;
    int count;
    bool failed; // memory was exhausted
};

static void add_term(struct builder *b, int destination, int source, int m, int n, double c)
{
    struct wp_cuda_term *all =
        b->failed ? NULL : wp_try_resize(b->term, (size_t)b->count + 1, sizeof *all);
    b->failed = !all;
    if (b->failed)
        return;
    b->term = all;
    b->term[b->count++] =
        (struct wp_cuda_term){.c = (float)c, .m = m, .n = n, .source = source,
                              .destination = destination};
}

static int add_constants(struct builder *b, const struct wp_scheme *scheme,
                         const struct wp_constant *constants, int count)
{
    const int first = b->count;
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        for (int s = 0; s < statements; s++)
            add_term(b, statement[s].destination, statement[s].source, 0, 0, statement[s].c);
    }
    return b->count - first;
}

static void build_pass(struct builder *b, const struct wp_scheme *scheme,
                       const struct wp_pass *pass, struct wp_cuda_pass *out)
{
    out->before = b->count;
    out->before_count = add_constants(b, scheme, pass->before, pass->before_count);
    for (int i = 0; i < WP_COMPONENTS; i++) {
        out->core[i] = b->count;
        for (int j = 0; j < WP_COMPONENTS; j++)
            for (int t = 0; t < pass->core.at[i][j].count; t++) {
                const struct wp_term *term = &pass->core.at[i][j].term[t];
                add_term(b, i, j, term->at[WP_X], term->at[WP_Y], term->c);
            }
    }
    out->core[WP_COMPONENTS] = out->after = b->count;
    out->after_count = add_constants(b, scheme, pass->after, pass->after_count);
}

static cudaError_t upload(const void *data, size_t bytes, void **memory)
{
    const cudaError_t error = cudaMalloc(memory, bytes);
    return error == cudaSuccess ? cudaMemcpy(*memory, data, bytes, cudaMemcpyHostToDevice) : error;
}

// Without the gains of the norm, which are the level's `scale`.
static struct wp_scheme *create_scheme(const struct wp_exec *exec, unsigned axes)
{
    struct wp_wavelet dual;
    return wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = wp_description_wavelet(&exec->description, &dual),
        .kind = &wp_scheme_kinds[exec->method->scheme],
        .form = WP_FORM_BLOCK,
        .direction = exec->description.direction,
        .norm = WP_NORM_NONE,
        .axes = (enum wp_axis)axes,
    });
}

static cudaError_t build_tables(const struct wp_scheme *scheme, struct blocks *blocks)
{
    struct wp_cuda_scheme *out = &blocks->scheme;
    struct wp_cuda_pass pass[WP_PASSES_MAX];
    struct builder b = {0};
    const struct wp_reach reach = wp_scheme_reach(scheme);
    for (int p = 0; p < scheme->pass_count; p++)
        build_pass(&b, scheme, &scheme->pass[p], &pass[p]);
    out->passes = scheme->pass_count;
    out->low = reach.low[WP_X] < reach.low[WP_Y] ? -reach.low[WP_X] : -reach.low[WP_Y];
    out->high = reach.high[WP_X] > reach.high[WP_Y] ? reach.high[WP_X] : reach.high[WP_Y];
    cudaError_t error = b.failed ? cudaErrorMemoryAllocation : cudaSuccess;
    if (error == cudaSuccess)
        error = upload(pass, (size_t)out->passes * sizeof *pass, &blocks->memory[0]);
    if (error == cudaSuccess)
        error = upload(b.term, (size_t)b.count * sizeof *b.term, &blocks->memory[1]);
    out->pass = blocks->memory[0];
    out->term = blocks->memory[1];
    free(b.term);
    return error;
}

static bool make_kernel(const struct wp_exec *exec, const struct wp_scheme *scheme,
                        struct blocks *blocks)
{
    enum { LONG = 4000 }; // operations per thread above which compiling takes over half a second
    struct wp_text source = {0}, why = {0};
    char name[128], missing[256];
    if (!wp_cuda_kernels_run_on(exec->device, missing, sizeof missing)) {
        wp_log(WP_LOG_VERBOSE, "%s runs with a table of its terms (%s)", scheme->name, missing);
        return false;
    }
    blocks->tile = wp_tile_of_block(scheme);
    blocks->step = wp_tile_step(scheme, &blocks->tile);
    const struct wp_tile_counts counts =
        wp_emit_tile(scheme, &blocks->tile, &(struct wp_emit_target){.dialect = &wp_cuda_c},
                     &source);
    snprintf(name, sizeof name, "%s %s", scheme->name, wp_direction_names[scheme->direction]);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_C_KERNEL,
        .threads = blocks->tile.lanes,
        .slow_to_compile = counts.operations > LONG,
    };
    const bool ok = wp_cuda_kernel_make(exec->device, &params, &blocks->kernel, &why);
    if (!ok)
        wp_log(WP_LOG_VERBOSE, "%s runs with a table of its terms (%s)", name,
               why.data ? wp_text_get(&why) : "out of memory");
    wp_text_free(&why);
    return ok;
}

static cudaError_t build(const struct wp_exec *exec, unsigned axes, struct blocks *blocks)
{
    struct wp_scheme *scheme = create_scheme(exec, axes);
    if (!scheme)
        return cudaErrorMemoryAllocation;
    const cudaError_t error =
        make_kernel(exec, scheme, blocks) ? cudaSuccess : build_tables(scheme, blocks);
    wp_scheme_destroy(&scheme);
    return error;
}

static unsigned axes_of(const struct wp_cuda_level *level)
{
    return wp_lifting_axes((const int[]){level->width, level->height}, 2);
}

int wp_cuda_schemes_prepare(struct wp_exec *exec)
{
    struct blocks *all = wp_try_allocate(AXES, sizeof *all);
    if (!all)
        return cudaErrorMemoryAllocation;
    exec->method_state = all;
    cudaError_t error = cudaSuccess;
    for (int l = 0; l < exec->levels && error == cudaSuccess; l++) {
        const unsigned axes = axes_of(&exec->level[l]);
        if (!all[axes].kernel.module && !all[axes].scheme.passes)
            error = build(exec, axes, &all[axes]);
    }
    return (int)error;
}

void wp_cuda_schemes_release(struct wp_exec *exec)
{
    struct blocks *all = exec->method_state;
    for (int a = 0; a < AXES; a++) {
        wp_cuda_kernel_free(&all[a].kernel);
        for (int i = 0; i < 2; i++)
            cudaFree(all[a].memory[i]);
    }
    free(all);
}

int wp_cuda_schemes_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct blocks *all = exec->method_state, *blocks = &all[axes_of(level)];
    if (!blocks->kernel.module)
        return wp_cuda_scheme_run(level, &blocks->scheme);
    unsigned char frame[WP_CUDA_FRAME_BYTES];
    wp_cuda_set_frame(level, frame);
    const unsigned block[2] = {(unsigned)blocks->tile.lanes, 1};
    const int across = wp_divide_up((level->width + 1) / 2, blocks->step);
    const int down = wp_divide_up((level->height + 1) / 2, blocks->tile.rows);
    const unsigned grid[3] = {(unsigned)across, (unsigned)down, 1};
    return wp_cuda_kernel_launch(&blocks->kernel, grid, block, frame, false, level->stream);
}
