#include "cpu_exec_parts.h"

#include "border.h"
#include "clock.h"
#include "log.h"
#include "memory.h"
#include "threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_PER_THREAD = 4 }; // slices from which threads do not share a slice

static void release(struct wp_cpu_exec *exec)
{
    if (!exec)
        return;
    for (int i = 0; i < exec->images; i++)
        release(exec->image[i]);
    free(exec->image);
    free(exec->views);
    wp_cpu_batch_destroy(exec->batch);
    for (int l = 0; exec->level && l < wp_cpu_exec_levels(exec); l++)
        wp_cpu_level_free(&exec->level[l]);
    free(exec->level);
    wp_cpu_block_free(&exec->inner);
    wp_cpu_block_free(&exec->samples);
    wp_cpu_block_free(&exec->bands);
    wp_cpu_block_free(&exec->rings);
    wp_cpu_block_free(&exec->strips);
    free(exec);
}

// Allocation of rectangles in a block; base NULL: only counts the floats.
struct arena {
    wp_real *base;
    size_t used;
};

static void allocate_rectangle(struct arena *arena, struct wp_cpu_quads *quads, int component,
                               const int size[WP_DIMS_MAX])
{
    quads->data[component] = arena->base ? arena->base + arena->used : NULL;
    quads->pitch[component] = (ptrdiff_t)wp_cpu_round_up((size_t)size[WP_X]);
    quads->slice[component] = quads->pitch[component] * size[WP_Y];
    arena->used += (size_t)quads->slice[component] * (size_t)size[WP_Z];
}

static void allocate_component(struct wp_cpu_exec *exec, struct arena *arena,
                               struct wp_cpu_quads *quads, int l, unsigned axes, int b)
{
    int size[WP_DIMS_MAX] = {0};
    wp_cpu_exec_size(&exec->description, l, axes, b, size);
    allocate_rectangle(arena, quads, b, size);
}

static void allocate_band(struct wp_cpu_exec *exec, struct arena *arena, struct wp_cpu_quads *quads,
                          int l, int b)
{
    allocate_component(exec, arena, quads, l, wp_description_axes(&exec->description, l + 1), b);
}

static void lay_out_inner(struct wp_cpu_exec *exec, struct arena *arena)
{
    bool between = false;
    for (int l = 0; l < wp_cpu_exec_levels(exec); l++)
        between = between || exec->level[l].sweeps > 1;
    for (int l = 0; l + 1 < wp_cpu_exec_levels(exec); l++)
        allocate_band(exec, arena, &exec->low[l], l, WP_BAND_LL);
    for (int b = 0; b < WP_BAND_COUNT && between; b++)
        allocate_component(exec, arena, &exec->between, 0, WP_AXIS_BOTH, b);
    // The largest of the levels with a separate step along z.
    for (int l = 0; l < wp_cpu_exec_levels(exec); l++) {
        const struct wp_cpu_level *level = &exec->level[l];
        if (!level->along_z || !level->sweeps || wp_cpu_level_streams_z(level))
            continue;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            allocate_component(exec, arena, &exec->slices, l, WP_AXIS_BOTH, b);
        break;
    }
}

static void lay_out_samples(struct wp_cpu_exec *exec, struct arena *arena)
{
    exec->buffers.pixels.samples = true;
    allocate_component(exec, arena, &exec->buffers.pixels, 0, 0, 0);
}

static void lay_out_bands(struct wp_cpu_exec *exec, struct arena *arena)
{
    const struct wp_description *d = &exec->description;
    const int levels = wp_cpu_exec_levels(exec);
    for (int l = 0; l < levels; l++) {
        struct wp_cpu_quads *bands = &exec->buffers.bands[l];
        for (int b = 0; b < WP_OCTET_BANDS; b++)
            if (wp_cpu_exec_has_band(d, l, b) && (b != WP_BAND_LL || l + 1 == levels))
                allocate_band(exec, arena, bands, l, b);
        if (l + 1 < levels) {
            bands->data[WP_BAND_LL] = exec->low[l].data[WP_BAND_LL];
            bands->pitch[WP_BAND_LL] = exec->low[l].pitch[WP_BAND_LL];
            bands->slice[WP_BAND_LL] = exec->low[l].slice[WP_BAND_LL];
        }
    }
}

static bool allocate_block(struct wp_cpu_exec *exec, struct wp_cpu_block *block,
                           void (*lay_out)(struct wp_cpu_exec *exec, struct arena *arena),
                           const char *purpose)
{
    struct arena arena = {0};
    lay_out(exec, &arena);
    if (!wp_cpu_block_allocate(block, arena.used, sizeof *arena.base, exec->threads, purpose))
        return false;
    arena = (struct arena){.base = block->data};
    lay_out(exec, &arena);
    return true;
}

static void grow_ring_size(struct wp_cpu_exec *exec, const struct wp_cpu_sweep *sweep)
{
    const size_t size = wp_cpu_round_up(wp_cpu_sweep_ring(sweep));
    exec->ring_size = size > exec->ring_size ? size : exec->ring_size;
}

static bool create_levels(struct wp_cpu_exec *exec)
{
    const int levels = wp_cpu_exec_levels(exec);
    exec->level = wp_allocate((size_t)levels, sizeof *exec->level, "the levels");
    if (!exec->level)
        return false;
    for (int l = 0; l < levels; l++) {
        struct wp_cpu_level *level = &exec->level[l];
        const struct wp_description *d = &exec->description;
        const bool is_native = wp_description_taps(d) == 0;
        const struct wp_description one = is_native ? *d : wp_border_level(d, l);
        if (!wp_cpu_level_set(level, &one, is_native ? l : 0, exec->method, &exec->program))
            return false;
        for (int s = 0; s < level->sweeps; s++)
            grow_ring_size(exec, &level->sweep[s]);
        for (int odd = 0; odd < 2 && level->along_z; odd++)
            grow_ring_size(exec, &level->z[odd]);
        if (wp_cpu_level_streams_z(level)) {
            const int rows = wp_cpu_stream_z_rows(level, exec->threads);
            const size_t size = wp_cpu_round_up(wp_cpu_stream_z_floats(level, rows));
            exec->strip_size = size > exec->strip_size ? size : exec->strip_size;
        }
    }
    return true;
}

// Allocates the memory of sweeps; on first use if slices are usually transformed in other ways.
static bool allocate_sweeps(struct wp_cpu_exec *exec)
{
    return exec->inner.data ||
           (wp_cpu_block_allocate(&exec->rings, (size_t)exec->threads * exec->ring_size,
                                  sizeof(wp_real), 1, "the rows of a sweep") &&
            wp_cpu_block_allocate(&exec->strips, (size_t)exec->threads * exec->strip_size,
                                  sizeof(wp_real), 1, "the strips of a volume") &&
            allocate_block(exec, &exec->inner, lay_out_inner, "the levels between"));
}

// Allocates memory for copies on first use. That of bands refers to the low bands between levels.
static bool allocate_buffers(struct wp_cpu_exec *exec, bool samples)
{
    struct wp_cpu_block *block = samples ? &exec->samples : &exec->bands;
    return block->data ||
           (samples ? allocate_block(exec, block, lay_out_samples, "the image")
                    : allocate_sweeps(exec) &&
                          allocate_block(exec, block, lay_out_bands, "its coefficients"));
}

static bool has_images(const struct wp_description *d)
{
    return wp_description_depth(d) > 1 && d->levels_z == 0 && d->levels > 0 &&
           d->decomposition == WP_DECOMPOSITION_DYADIC;
}

static struct wp_cpu_exec *prepare(const struct wp_description *description,
                                   const struct wp_cpu_method *method, int threads);

// Execs for the slices of a description: of one thread each if there are enough slices. With a
// batch, only for operands that overlap in a way that it does not support.
static bool prepare_images(struct wp_cpu_exec *exec)
{
    if (exec->images)
        return true;
    const struct wp_description *d = &exec->description;
    const bool divided = wp_description_depth(d) >= IMAGES_PER_THREAD * exec->threads;
    const int images = divided ? exec->threads : 1;
    struct wp_description image = *d;
    image.size[WP_Z] = 1;
    free(exec->image); // of an earlier call that lacked memory
    free(exec->views);
    exec->image = wp_allocate((size_t)images, sizeof(struct wp_cpu_exec *), "transforms of slices");
    exec->views = wp_allocate((size_t)images * (size_t)wp_subband_count(d), sizeof *exec->views,
                              "the views of bands");
    if (!exec->image || !exec->views)
        return false;
    for (; exec->images < images; exec->images++)
        if (!(exec->image[exec->images] =
                  prepare(&image, exec->method, divided ? 1 : exec->threads)))
            return false;
    return true;
}

static bool prepare_batch(struct wp_cpu_exec *exec)
{
    if (!wp_cpu_batch_fits(&exec->description, exec->level, &exec->program, exec->rows,
                           exec->threads))
        return true;
    exec->batch = wp_cpu_batch_create(&exec->description, exec->level, &exec->program, exec->rows,
                                      exec->threads);
    return exec->batch;
}

static struct wp_cpu_exec *prepare(const struct wp_description *description,
                                   const struct wp_cpu_method *method, int threads)
{
    struct wp_cpu_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->rows = wp_cpu_rows_get(0);
    exec->threads = threads;
    exec->description = *description;
    exec->method = method;
    const struct wp_lifting lifting = wp_description_lifting(description);
    wp_cpu_program_set(&exec->program, &lifting);
    if (!create_levels(exec) || !prepare_batch(exec) ||
        !(exec->batch ||
          (has_images(description) ? prepare_images(exec) : allocate_sweeps(exec)))) {
        release(exec);
        return NULL;
    }
    return exec;
}

static bool load(struct wp_cpu_exec *exec, const struct wp_operand *from)
{
    if (!allocate_buffers(exec, wp_cpu_exec_is_samples(exec, true)))
        return false;
    wp_cpu_exec_copy(exec, from, false);
    return true;
}

static bool store(struct wp_cpu_exec *exec, const struct wp_operand *to)
{
    if (!allocate_buffers(exec, wp_cpu_exec_is_samples(exec, false)))
        return false;
    wp_cpu_exec_copy(exec, to, true);
    return true;
}

static bool run(struct wp_cpu_exec *exec, double *seconds)
{
    if (!allocate_sweeps(exec) || !allocate_buffers(exec, true) ||
        !allocate_buffers(exec, false))
        return false;
    const double elapsed = wp_cpu_exec_sweep(exec, &exec->buffers);
    if (seconds)
        *seconds = elapsed;
    return true;
}

// Binds the backend's own memory instead of the caller's.
static bool bind_buffers(struct wp_cpu_exec *exec, bool samples, struct wp_cpu_operands *operands)
{
    if (!allocate_buffers(exec, samples))
        return false;
    if (samples)
        operands->pixels = exec->buffers.pixels;
    else
        memcpy(operands->bands, exec->buffers.bands, sizeof operands->bands);
    return true;
}

// Input is copied if it cannot be read in place or overlaps the output; output is copied if it
// cannot be written in place.
static bool transform_sweeps(struct wp_cpu_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, bool overlap, double *seconds)
{
    struct wp_cpu_operands operands = {0}; // without row rings: all rows are in memory
    const bool in = wp_cpu_exec_is_samples(exec, true), out = wp_cpu_exec_is_samples(exec, false);
    if (!allocate_sweeps(exec))
        return false;
    const bool copy_in = overlap || !wp_cpu_exec_bind(exec, from, in, &operands);
    if (copy_in && !bind_buffers(exec, in, &operands))
        return false;
    const bool copy_out = !wp_cpu_exec_bind(exec, to, out, &operands);
    if (copy_out && !bind_buffers(exec, out, &operands))
        return false;
    if (copy_in)
        wp_cpu_exec_copy(exec, from, false);
    const double elapsed = wp_cpu_exec_sweep(exec, &operands);
    if (copy_out)
        wp_cpu_exec_copy(exec, to, true);
    if (seconds)
        *seconds = elapsed;
    return true;
}

static bool transform(struct wp_cpu_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds);

// Slices one after the other.
struct images {
    struct wp_cpu_exec *exec;
    const struct wp_operand *from, *to;
    atomic_flag failed; // `error` is the first one
    enum wp_error error;
    char text[1024];
};

static void run_image(void *user, int i, int thread)
{
    struct images *images = user;
    struct wp_cpu_exec *exec = images->exec;
    // Only one of the operands can have bands.
    struct wp_operand *views = exec->views + thread * wp_subband_count(&exec->description);
    const struct wp_operand from = wp_operand_advance(images->from, WP_Z, i, views);
    const struct wp_operand to = wp_operand_advance(images->to, WP_Z, i, views);
    // The calling thread reports the error.
    wp_begin_attempt();
    if (!transform(exec->image[thread], &from, &to, NULL) &&
        !atomic_flag_test_and_set(&images->failed)) {
        images->error = wp_last_error();
        snprintf(images->text, sizeof images->text, "%s", wp_last_error_text());
    }
    wp_end_attempt();
}

// Borders that sweeps do not support, of operands that overlap: copies the input.
static bool transform_copy(struct wp_cpu_exec *exec, const struct wp_operand *from,
                           const struct wp_operand *to)
{
    struct wp_operand copy;
    if (!wp_cpu_exec_copy_input(exec, from, &copy))
        return false;
    wp_cpu_batch_run(exec->batch, &copy, to, false);
    free(copy.data);
    return true;
}

// The output of a slice may overwrite the input of earlier ones, as for planes.
static bool transform_images(struct wp_cpu_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, bool overlap, double *seconds)
{
    const double start = wp_clock_seconds();
    struct images images = {.exec = exec, .from = from, .to = to, .failed = ATOMIC_FLAG_INIT};
    wp_threads_share(overlap ? 1 : exec->images, wp_description_depth(&exec->description),
                     run_image, &images);
    if (seconds)
        *seconds = wp_clock_seconds() - start;
    return images.error == WP_ERROR_NONE || wp_fail(images.error, "%s", images.text);
}

static bool transform(struct wp_cpu_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds)
{
    if (wp_cpu_exec_levels(exec) == 0)
        return load(exec, from) && run(exec, seconds) && store(exec, to);
    const bool overlap = wp_operand_overlaps(&exec->description, from, to);
    const bool in_batch =
        exec->batch && (!overlap || wp_cpu_batch_in_place(exec->batch, from, to));
    if (in_batch || wp_description_taps(&exec->description) > 0) {
        const double start = wp_clock_seconds();
        if (in_batch)
            wp_cpu_batch_run(exec->batch, from, to, overlap);
        else if (!transform_copy(exec, from, to))
            return false;
        if (seconds)
            *seconds = wp_clock_seconds() - start;
        return true;
    }
    return has_images(&exec->description)
               ? prepare_images(exec) && transform_images(exec, from, to, overlap, seconds)
               : transform_sweeps(exec, from, to, overlap, seconds);
}

const struct wp_cpu_arithmetic wp_cpu_arithmetic_f32 = {prepare, release, load,
                                                        run,     store,   transform};
