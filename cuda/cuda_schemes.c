// Tables of a scheme's passes in device memory, for cuda_scheme.cu.
#include "cuda_exec.h"
#include "memory.h"

#include <stdlib.h>

enum { AXES = WP_AXIS_BOTH + 1 };

// One table for each set of axes that the levels have: an axis of one sample has no steps.
struct tables {
    struct wp_cuda_scheme scheme[AXES];
    void *memory[AXES][2];
};

struct builder {
    struct wp_cuda_term *term;
    int count;
    bool failed; // for want of memory something is missing
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

static cudaError_t build(struct tables *tables, const struct wp_exec *exec, unsigned axes)
{
    // The gains of the norm are the level's own, applied where it is read or written.
    struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = &exec->wavelet,
        .kind = &wp_scheme_kinds[exec->method->scheme],
        .form = WP_FORM_BLOCK,
        .direction = exec->description.direction,
        .norm = WP_NORM_NONE,
        .axes = (enum wp_axis)axes,
    });
    if (!scheme)
        return cudaErrorMemoryAllocation;
    struct wp_cuda_scheme *out = &tables->scheme[axes];
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
        error = upload(pass, (size_t)out->passes * sizeof *pass, &tables->memory[axes][0]);
    if (error == cudaSuccess)
        error = upload(b.term, (size_t)b.count * sizeof *b.term, &tables->memory[axes][1]);
    out->pass = tables->memory[axes][0];
    out->term = tables->memory[axes][1];
    free(b.term);
    wp_scheme_destroy(&scheme);
    return error;
}

static unsigned axes_of(const struct wp_cuda_level *level)
{
    return wp_lifting_axes((const int[]){level->width, level->height}, 2);
}

int wp_cuda_schemes_prepare(struct wp_exec *exec)
{
    struct tables *tables = wp_try_allocate(1, sizeof *tables);
    if (!tables)
        return cudaErrorMemoryAllocation;
    exec->own = tables;
    cudaError_t error = cudaSuccess;
    for (int l = 0; l < exec->levels && error == cudaSuccess; l++) {
        const unsigned axes = axes_of(&exec->level[l]);
        if (!tables->scheme[axes].passes)
            error = build(tables, exec, axes);
    }
    return (int)error;
}

void wp_cuda_schemes_release(struct wp_exec *exec)
{
    struct tables *tables = exec->own;
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < 2; i++)
            cudaFree(tables->memory[a][i]);
    free(tables);
}

int wp_cuda_schemes_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct tables *tables = exec->own;
    return wp_cuda_scheme_run(level, &tables->scheme[axes_of(level)]);
}
