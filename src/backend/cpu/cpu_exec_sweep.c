#include "cpu_exec_parts.h"

#include "clock.h"
#include "threads.h"

#include <stdint.h>

enum {
    // Stripes: several per thread for load balancing, but not so thin or small that shared rows at
    // their borders or the start of a thread matter.
    STRIPES_PER_THREAD = 4,
    STRIPE_ROWS = 32,
    STRIPE_QUADS = 4096,
};

void wp_cpu_exec_size(const struct wp_description *d, int l, unsigned axes, int b,
                           int size[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int n = wp_description_size(d, a, l);
        size[a] = axes >> a & 1 ? wp_cpu_extent(n, b >> a & 1) : n;
    }
}

// A sweep over a number of slices, each divided into stripes.
struct sweep_stripes {
    const struct wp_cpu_exec *exec;
    const struct wp_cpu_sweep *sweep;
    int rows, stripes;
};

static wp_real *ring_of(const struct wp_cpu_exec *exec, int thread)
{
    return (wp_real *)exec->rings.data + (size_t)thread * exec->ring_size;
}

static void run_stripe(void *user, int i, int thread)
{
    const struct sweep_stripes *stripes = user;
    const int slice = i / stripes->stripes, stripe = i % stripes->stripes;
    const int first = (int)((int64_t)stripes->rows * stripe / stripes->stripes);
    const int end = (int)((int64_t)stripes->rows * (stripe + 1) / stripes->stripes);
    const struct wp_cpu_sweep sweep = wp_cpu_sweep_slice(stripes->sweep, slice);
    wp_cpu_sweep_run(&sweep, stripes->exec->rows, first, end - first,
                     ring_of(stripes->exec, thread));
}

static void run_sweep(const struct wp_cpu_exec *exec, const struct wp_cpu_sweep *sweep, int slices)
{
    const int threads = exec->threads;
    const int target = (STRIPES_PER_THREAD * threads + slices - 1) / slices;
    struct sweep_stripes stripes = {exec, sweep, wp_cpu_extent(sweep->size[WP_Y], 0), 1};
    const int64_t quads = (int64_t)stripes.rows * wp_cpu_extent(sweep->size[WP_X], 0);
    int64_t max_stripes = quads / STRIPE_QUADS;
    max_stripes = max_stripes < stripes.rows / STRIPE_ROWS ? max_stripes
                                                           : stripes.rows / STRIPE_ROWS;
    stripes.stripes = max_stripes < target ? (int)max_stripes : target;
    stripes.stripes = stripes.stripes > 1 ? stripes.stripes : 1;
    wp_threads_share(threads, stripes.stripes * slices, run_stripe, &stripes);
}

// The step along z of a component, row by row.
struct rows_along_z {
    const struct wp_cpu_exec *exec;
    const struct wp_cpu_level *level;
    const struct wp_cpu_quads *slices, *bands;
    int component, rows, parts;
};

static void run_rows(void *user, int i, int thread)
{
    const struct rows_along_z *r = user;
    const int first = (int)((int64_t)r->rows * i / r->parts);
    const int end = (int)((int64_t)r->rows * (i + 1) / r->parts);
    for (int row = first; row < end; row++) {
        const struct wp_cpu_sweep sweep =
            wp_cpu_level_row(r->level, r->slices, r->bands, r->component, row);
        wp_cpu_sweep_run(&sweep, r->exec->rows, 0, wp_cpu_extent(sweep.size[WP_Y], 0),
                         ring_of(r->exec, thread));
    }
}

static void run_along_z(const struct wp_cpu_exec *exec, int l, const struct wp_cpu_quads *slices,
                        const struct wp_cpu_quads *bands)
{
    const struct wp_description *d = &exec->description;
    const unsigned axes = wp_description_axes(d, l + 1) & WP_AXIS_BOTH;
    for (int c = 0; c < (axes ? WP_BAND_COUNT : 1); c++) {
        int size[WP_DIMS_MAX];
        wp_cpu_exec_size(d, l, axes, c, size);
        if (size[WP_X] == 0 || size[WP_Y] == 0)
            continue;
        const int max_parts = STRIPES_PER_THREAD * exec->threads;
        struct rows_along_z rows = {exec, &exec->level[l], slices, bands, c, size[WP_Y],
                                    size[WP_Y] < max_parts ? size[WP_Y] : max_parts};
        wp_threads_share(exec->threads, rows.parts, run_rows, &rows);
    }
}

// A level divided into strips of rows.
struct strips {
    const struct wp_cpu_exec *exec;
    const struct wp_cpu_level *level;
    const struct wp_cpu_quads *samples, *bands;
    int rows, height;
};

static void run_strip(void *user, int i, int thread)
{
    const struct strips *s = user;
    const int first = i * s->rows, left = s->height - first;
    wp_cpu_stream_z_run(s->level, s->exec->rows, s->samples, s->bands, first,
                        left < s->rows ? left : s->rows,
                        (wp_real *)s->exec->strips.data + (size_t)thread * s->exec->strip_size,
                        ring_of(s->exec, thread));
}

static void run_stream_z(const struct wp_cpu_exec *exec, const struct wp_cpu_level *level,
                         const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands)
{
    const int height = wp_cpu_extent(level->sweep[0].size[WP_Y], 0);
    struct strips strips = {exec, level, samples, bands,
                            wp_cpu_stream_z_rows(level, exec->threads), height};
    wp_threads_share(exec->threads, (height + strips.rows - 1) / strips.rows, run_strip, &strips);
}

// Level l (from 0): along x and y between samples and `slices`, along z between these and the
// bands. If one of the two does not exist, `slices` are the samples or the bands.
static void run_level(const struct wp_cpu_exec *exec, int l, const struct wp_cpu_quads *samples,
                      const struct wp_cpu_quads *bands)
{
    struct wp_cpu_level *level = &exec->level[l];
    const bool forward = exec->description.direction == WP_FORWARD;
    const struct wp_cpu_quads *slices = !level->sweeps    ? samples
                                        : level->along_z ? &exec->slices
                                                         : bands;
    if (wp_cpu_level_streams_z(level)) {
        run_stream_z(exec, level, samples, bands);
        return;
    }
    if (level->along_z && !forward)
        run_along_z(exec, l, slices, bands);
    if (level->sweeps)
        wp_cpu_level_bind(level, forward ? samples : slices, forward ? slices : samples,
                          &exec->between);
    for (int s = 0; s < level->sweeps; s++)
        run_sweep(exec, &level->sweep[s], wp_description_size(&exec->description, WP_Z, l));
    if (level->along_z && forward)
        run_along_z(exec, l, slices, bands);
}

double wp_cpu_exec_sweep(const struct wp_cpu_exec *exec, const struct wp_cpu_operands *operands)
{
    const double start = wp_clock_seconds();
    const int levels = wp_cpu_exec_levels(exec);
    const bool forward = exec->description.direction == WP_FORWARD;
    for (int i = 0; i < levels; i++) {
        const int l = forward ? i : levels - 1 - i;
        struct wp_cpu_quads samples = operands->pixels;
        if (l > 0) {
            samples.typed[0] = NULL;
            samples.data[0] = operands->bands[l - 1].data[WP_BAND_LL];
            samples.pitch[0] = operands->bands[l - 1].pitch[WP_BAND_LL];
            samples.slice[0] = operands->bands[l - 1].slice[WP_BAND_LL];
        }
        run_level(exec, l, &samples, &operands->bands[l]);
    }
    return wp_clock_seconds() - start;
}
