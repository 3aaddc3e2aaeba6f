#include "cpu_gradient.h"

#include "memory.h"
#include "solver_rows.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

// The image is divided along its slowest axis into slabs, whose number does not depend on the
// number of threads, so that results are bit-identical for any number. The contribution of a slab's
// last slice to the first slice of the next slab is stored and added after all slabs are done.
enum { MAX_SLABS = 16 };

struct wp_cpu_gradient {
    const struct wp_solver_rows *rows;
    int size[3]; // z is the slowest axis with more than one sample
    int slabs, threads;
    float threshold, scale;
    bool descent;
    struct wp_floats b;     // an image per axis with more than one sample, and for x
    struct wp_floats carry; // per slab: a slice, a row, and scratch
    size_t scratch_size;
};

// The arguments of a call.
struct call {
    struct wp_cpu_gradient *g;
    const float *u;
    float *out;
    bool add;
};

static size_t row_floats(const struct wp_cpu_gradient *g)
{
    return 2 * (size_t)g->size[0];
}

static size_t slice_floats(const struct wp_cpu_gradient *g)
{
    return row_floats(g) * (size_t)g->size[1];
}

static size_t image_floats(const struct wp_cpu_gradient *g)
{
    return slice_floats(g) * (size_t)g->size[2];
}

static int axes(const struct wp_cpu_gradient *g)
{
    return 1 + (g->size[1] > 1) + (g->size[2] > 1);
}

struct wp_cpu_gradient *wp_cpu_gradient_create(const struct wp_task *task, bool descent)
{
    struct wp_cpu_gradient *g = wp_allocate(1, sizeof *g, "the gradient's part");
    if (!g)
        return NULL;
    const bool flat = task->size[2] == 1;
    g->rows = wp_solver_rows_get();
    g->size[0] = task->size[0];
    g->size[1] = flat ? 1 : task->size[1];
    g->size[2] = flat ? task->size[1] : task->size[2];
    g->slabs = g->size[2] < MAX_SLABS ? g->size[2] : MAX_SLABS;
    g->threads = task->threads;
    g->threshold = (float)(task->tv / task->lambda);
    g->scale = (float)task->lambda;
    g->descent = descent;
    g->scratch_size = slice_floats(g) + row_floats(g) + WP_GRADIENT_SCRATCH((size_t)g->size[0]);
    if (!wp_floats_acquire(&g->b, image_floats(g) * (size_t)axes(g), "the Bregman variables") ||
        !wp_floats_acquire(&g->carry, g->scratch_size * (size_t)g->slabs, "a slice of each slab"))
        wp_cpu_gradient_destroy(&g);
    return g;
}

void wp_cpu_gradient_destroy(struct wp_cpu_gradient **slot)
{
    struct wp_cpu_gradient *g = *slot;
    *slot = NULL;
    if (!g)
        return;
    wp_floats_free(&g->b);
    wp_floats_free(&g->carry);
    free(g);
}

static float *scratch_of(const struct wp_cpu_gradient *g, int slab)
{
    return g->carry.data + g->scratch_size * (size_t)slab;
}

static int slab_begin(const struct wp_cpu_gradient *g, int slab)
{
    return (int)((long long)g->size[2] * slab / g->slabs);
}

static void step_slice(const struct call *call, int z, float *carry_z, float *carry_y)
{
    const struct wp_cpu_gradient *g = call->g;
    const size_t row = row_floats(g), slice = slice_floats(g), image = image_floats(g);
    const float *u = call->u + slice * (size_t)z;
    const float *next_slice = call->u + slice * (size_t)((z + 1) % g->size[2]);
    const bool has_y = g->size[1] > 1, has_z = g->size[2] > 1;
    memset(carry_y, 0, row * sizeof *carry_y);
    for (int y = 0; y < g->size[1]; y++) {
        const size_t at = row * (size_t)y, in_image = slice * (size_t)z + at;
        float *b = g->b.data + in_image;
        const struct wp_gradient_row r = {
            .samples = g->size[0],
            .threshold = g->threshold,
            .scale = g->scale,
            .descent = g->descent,
            .add = call->add,
            .u = u + at,
            .next = {NULL, has_y ? u + row * (size_t)((y + 1) % g->size[1]) : NULL,
                     has_z ? next_slice + at : NULL},
            .b = {b, b + image, b + image * (has_y ? 2 : 1)},
            .carry = {NULL, carry_y, carry_z + at},
            .out = call->out + in_image,
            .scratch = carry_y + row,
        };
        g->rows->gradient(&r);
    }
    if (has_y)
        g->rows->add(call->out + slice * (size_t)z, carry_y, 1, (int)row);
}

static void step_slab(void *user, int slab, int thread)
{
    (void)thread;
    const struct call *call = user;
    const struct wp_cpu_gradient *g = call->g;
    float *carry_z = scratch_of(g, slab);
    memset(carry_z, 0, slice_floats(g) * sizeof *carry_z);
    for (int z = slab_begin(g, slab); z < slab_begin(g, slab + 1); z++)
        step_slice(call, z, carry_z, carry_z + slice_floats(g));
}

static void join_slab(void *user, int slab, int thread)
{
    (void)thread;
    const struct call *call = user;
    const struct wp_cpu_gradient *g = call->g;
    const float *carry = scratch_of(g, (slab + g->slabs - 1) % g->slabs);
    g->rows->add(call->out + slice_floats(g) * (size_t)slab_begin(g, slab), carry, 1,
                 (int)slice_floats(g));
}

void wp_cpu_gradient_step(struct wp_cpu_gradient *g, const float *u, bool add, float *out)
{
    struct call call = {g, u, out, add};
    wp_threads_share(g->threads, g->slabs, step_slab, &call);
    if (g->size[2] > 1)
        wp_threads_share(g->threads, g->slabs, join_slab, &call);
}

struct wp_floats *wp_cpu_gradient_state(struct wp_cpu_gradient *g)
{
    return &g->b;
}

double wp_cpu_gradient_bytes(const struct wp_cpu_gradient *g, bool add)
{
    return (double)sizeof(float) * (double)image_floats(g) * (2 + (add ? 1 : 0) + 2 * axes(g));
}
