// The CPU backend: sweeps over the quads of each level, divided among threads by stripes. They work
// directly on the caller's rows, or on copies in the backend's memory.
#define _DEFAULT_SOURCE // madvise()
#include "cpu_backend.h"

#include "clock.h"
#include "cpu_batch.h"
#include "cpu_level.h"
#include "log.h"
#include "memory.h"
#include "text.h"
#include "threads.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE = 16, // floats in a cache line
    HUGE_PAGE = 2 << 20, // bytes, on x86-64 and with 4 KiB pages on ARM
    // Stripes: several per thread for load balancing, but not so thin or small that shared rows at
    // their borders or the start of a thread matter.
    STRIPES_PER_THREAD = 4,
    STRIPE_ROWS = 32,
    STRIPE_QUADS = 4096,
    IMAGES_PER_THREAD = 4, // slices from which threads do not share a slice
};

struct wp_device {
    int threads;
    const struct wp_cpu_rows *rows;
};

// Memory aligned to cache lines.
struct block {
    float *data;
    size_t floats;
    float *memory; // as allocated
};

// The memory of a transform's samples and of the bands of each level.
struct operands {
    struct wp_cpu_quads pixels;
    struct wp_cpu_quads bands[WP_MAX_LEVELS]; // LL is the next level's samples
    struct wp_operand typed[WP_MAX_LEVELS][WP_BAND_COUNT]; // bands of an image that are not floats
};

struct wp_exec {
    const struct wp_cpu_rows *rows;
    int threads;
    struct wp_description description; // its wavelet may no longer exist
    const struct wp_variant *variant;
    struct wp_cpu_program program;
    struct wp_cpu_level *level;
    struct block inner;  // LL of all levels but the last, and memory between two sweeps
    struct wp_cpu_quads low[WP_MAX_LEVELS], between;
    struct wp_cpu_quads slices; // components along x and y, of levels with a separate step along z
    struct block strips;        // one per thread, for levels that stream along z
    size_t strip_size;          // floats of one
    struct block samples, bands; // copies of the caller's data; allocated on first use
    struct operands buffers;
    struct block rings;  // one per thread
    size_t ring_size;    // floats of one
    // Slices without levels along z: as a batch (or NULL), and one after the other, with an exec
    // and views of bands per thread that does this.
    struct wp_cpu_batch *batch;
    struct wp_exec **image;
    struct wp_operand *views;
    int images;
};

static bool masks_supports(const struct wp_variant *variant,
                           const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    snprintf(why, why_size,
             "it multiplies out the lifting steps, which reversible transforms round one by one");
    return !description->reversible;
}

static const struct wp_variant variants[] = {
    {.name = "fused",
     .summary = "lifting along both axes in one sweep over the image",
     .batches = true,
     .private_data = &(const struct wp_cpu_method){.rows = false}},
    {.name = "lifting-row-column",
     .summary = "lifting along all rows, then along all columns",
     .private_data = &(const struct wp_cpu_method){.rows = true}},
    {.name = "conv-row-column",
     .summary = "convolution along all rows, then along all columns",
     .supports = masks_supports,
     .private_data = &(const struct wp_cpu_method){.masks = true, .rows = true}},
    {.name = "smdwt",
     .summary = "one two-dimensional mask for each of the four subbands",
     .supports = masks_supports,
     .private_data = &(const struct wp_cpu_method){.masks = true}},
    {0},
};

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", "");
    if (index > 0) {
        snprintf(reason, reason_size, "the only device is number 0");
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE, "backend 'cpu' has no device %d (%s)", index, reason);
        return NULL;
    }
    struct wp_device *device = wp_allocate(1, sizeof *device, "a device");
    if (!device)
        return NULL;
    device->threads = wp_threads_count();
    device->rows = wp_cpu_rows_get(0);
    return device;
}

static void close_device(struct wp_device *device)
{
    free(device);
}

static void set_threads(struct wp_device *device, int threads)
{
    device->threads = threads > 0 ? threads : wp_threads_count();
}

static void describe(const struct wp_device *device, struct wp_device_info *info)
{
    *info = (struct wp_device_info){
        .timer = "monotonic clock",
        .wall = true,
        .threads = wp_threads_count(),
    };
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    info->cache = cache > 0 ? (size_t)cache : 0;
#endif
    snprintf(info->name, sizeof info->name, "CPU, %d thread%s, %s vectors of %d floats",
             device->threads, WP_PLURAL(device->threads), device->rows->name,
             device->rows->lanes);
}

static void facts(const struct wp_device *device,
                  void (*add)(void *user, const char *key, const char *value), void *user)
{
    char number[16];
    snprintf(number, sizeof number, "%d", device->threads);
    add(user, "threads", number);
    add(user, "threading", wp_threads_model);
    add(user, "vector_instructions", device->rows->name);
    snprintf(number, sizeof number, "%d", device->rows->lanes);
    add(user, "vector_floats", number);
}

static void free_block(struct block *block)
{
    free(block->memory);
    *block = (struct block){0};
}

static int all_levels(const struct wp_exec *exec)
{
    return wp_description_levels(&exec->description);
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    for (int i = 0; i < exec->images; i++)
        release(exec->image[i]);
    free(exec->image);
    free(exec->views);
    wp_cpu_batch_destroy(exec->batch);
    for (int l = 0; exec->level && l < all_levels(exec); l++)
        wp_cpu_level_free(&exec->level[l]);
    free(exec->level);
    free_block(&exec->inner);
    free_block(&exec->samples);
    free_block(&exec->bands);
    free_block(&exec->rings);
    free_block(&exec->strips);
    free(exec);
}

static size_t round_up(size_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

// Parts of a block, for threads.
struct part {
    const struct block *block;
    int count;
};

enum { PAGE = 1024 }; // floats; at most the system's page size

static void touch_part(void *user, int i, int thread)
{
    (void)thread;
    const struct part *part = user;
    const size_t floats = part->block->floats, count = (size_t)part->count;
    volatile float *data = part->block->data;
    for (size_t f = floats * (size_t)i / count; f < floats * ((size_t)i + 1) / count; f += PAGE)
        data[f] = 0;
}

// Allocates zeroed memory, large blocks with huge pages if Linux grants them: with 4 KiB pages a
// sweep's time depends on the addresses. Pages are touched here, by all threads, because the system
// maps them on first use, which would be timed with the transform.
static bool allocate(struct block *block, size_t floats, int threads, const char *purpose)
{
    const size_t bytes = floats * sizeof(float), line = LINE * sizeof(float);
    const size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : line;
    block->floats = floats;
    block->memory = wp_allocate(floats + unit / sizeof(float), sizeof(float), purpose);
    if (!block->memory)
        return false;
    block->data = block->memory +
                  (unit - (uintptr_t)block->memory % unit) % unit / sizeof(float);
#ifdef MADV_HUGEPAGE
    // Optional: the memory can be used without huge pages.
    if (unit == HUGE_PAGE)
        (void)madvise(block->data, bytes, MADV_HUGEPAGE);
#endif
    struct part part = {block, threads};
    wp_threads_share(threads, threads, touch_part, &part);
    return true;
}

// Allocation of rectangles in a block; base NULL: only counts the floats.
struct arena {
    float *base;
    size_t used;
};

static void allocate_rectangle(struct arena *arena, struct wp_cpu_quads *quads, int component,
                               const int size[WP_DIMS_MAX])
{
    quads->data[component] = arena->base ? arena->base + arena->used : NULL;
    quads->pitch[component] = (ptrdiff_t)round_up((size_t)size[WP_X]);
    quads->slice[component] = quads->pitch[component] * size[WP_Y];
    arena->used += (size_t)quads->slice[component] * (size_t)size[WP_Z];
}

// The size of component b of level l (from 0) if it transforms the given axes.
static void component_size(const struct wp_description *d, int l, unsigned axes, int b,
                           int size[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int n = wp_description_size(d, a, l);
        size[a] = axes >> a & 1 ? wp_cpu_extent(n, b >> a & 1) : n;
    }
}

static void allocate_component(struct wp_exec *exec, struct arena *arena,
                               struct wp_cpu_quads *quads, int l, unsigned axes, int b)
{
    int size[WP_DIMS_MAX] = {0};
    component_size(&exec->description, l, axes, b, size);
    allocate_rectangle(arena, quads, b, size);
}

static void allocate_band(struct wp_exec *exec, struct arena *arena, struct wp_cpu_quads *quads,
                          int l, int b)
{
    allocate_component(exec, arena, quads, l, wp_description_axes(&exec->description, l + 1), b);
}

// Does level l have band b? It depends on the axes that the level transforms.
static bool has_band(const struct wp_description *d, int l, int b)
{
    return ((unsigned)b & ~wp_description_axes(d, l + 1)) == 0;
}

static void lay_out_inner(struct wp_exec *exec, struct arena *arena)
{
    bool between = false;
    for (int l = 0; l < all_levels(exec); l++)
        between = between || exec->level[l].sweeps > 1;
    for (int l = 0; l + 1 < all_levels(exec); l++)
        allocate_band(exec, arena, &exec->low[l], l, WP_BAND_LL);
    for (int b = 0; b < WP_BAND_COUNT && between; b++)
        allocate_component(exec, arena, &exec->between, 0, WP_AXIS_BOTH, b);
    // The largest of the levels with a separate step along z.
    for (int l = 0; l < all_levels(exec); l++) {
        const struct wp_cpu_level *level = &exec->level[l];
        if (!level->along_z || !level->sweeps || wp_cpu_level_streams_z(level))
            continue;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            allocate_component(exec, arena, &exec->slices, l, WP_AXIS_BOTH, b);
        break;
    }
}

static void lay_out_samples(struct wp_exec *exec, struct arena *arena)
{
    exec->buffers.pixels.samples = true;
    allocate_component(exec, arena, &exec->buffers.pixels, 0, 0, 0);
}

static void lay_out_bands(struct wp_exec *exec, struct arena *arena)
{
    const struct wp_description *d = &exec->description;
    const int levels = all_levels(exec);
    for (int l = 0; l < levels; l++) {
        struct wp_cpu_quads *bands = &exec->buffers.bands[l];
        for (int b = 0; b < WP_OCTET_BANDS; b++)
            if (has_band(d, l, b) && (b != WP_BAND_LL || l + 1 == levels))
                allocate_band(exec, arena, bands, l, b);
        if (l + 1 < levels) {
            bands->data[WP_BAND_LL] = exec->low[l].data[WP_BAND_LL];
            bands->pitch[WP_BAND_LL] = exec->low[l].pitch[WP_BAND_LL];
            bands->slice[WP_BAND_LL] = exec->low[l].slice[WP_BAND_LL];
        }
    }
}

static bool allocate_block(struct wp_exec *exec, struct block *block,
                           void (*lay_out)(struct wp_exec *exec, struct arena *arena),
                           const char *purpose)
{
    struct arena arena = {0};
    lay_out(exec, &arena);
    if (!allocate(block, arena.used, exec->threads, purpose))
        return false;
    arena = (struct arena){.base = block->data};
    lay_out(exec, &arena);
    return true;
}

static void grow_ring_size(struct wp_exec *exec, const struct wp_cpu_sweep *sweep)
{
    const size_t size = round_up(wp_cpu_sweep_ring(sweep));
    exec->ring_size = size > exec->ring_size ? size : exec->ring_size;
}

static bool create_levels(struct wp_exec *exec)
{
    const int levels = all_levels(exec);
    exec->level = wp_allocate((size_t)levels, sizeof *exec->level, "the levels");
    if (!exec->level)
        return false;
    for (int l = 0; l < levels; l++) {
        struct wp_cpu_level *level = &exec->level[l];
        if (!wp_cpu_level_set(level, &exec->description, l, exec->variant->private_data,
                              &exec->program))
            return false;
        for (int s = 0; s < level->sweeps; s++)
            grow_ring_size(exec, &level->sweep[s]);
        for (int odd = 0; odd < 2 && level->along_z; odd++)
            grow_ring_size(exec, &level->z[odd]);
        if (wp_cpu_level_streams_z(level)) {
            const int rows = wp_cpu_stream_z_rows(level, exec->threads);
            const size_t size = round_up(wp_cpu_stream_z_floats(level, rows));
            exec->strip_size = size > exec->strip_size ? size : exec->strip_size;
        }
    }
    return true;
}

// Allocates the memory of sweeps; on first use if slices are usually transformed in other ways.
static bool allocate_sweeps(struct wp_exec *exec)
{
    return exec->inner.data ||
           (allocate(&exec->rings, (size_t)exec->threads * exec->ring_size, 1,
                     "the rows of a sweep") &&
            allocate(&exec->strips, (size_t)exec->threads * exec->strip_size, 1,
                     "the strips of a volume") &&
            allocate_block(exec, &exec->inner, lay_out_inner, "the levels between"));
}

// Allocates memory for copies on first use. That of bands refers to the low bands between levels.
static bool allocate_buffers(struct wp_exec *exec, bool samples)
{
    struct block *block = samples ? &exec->samples : &exec->bands;
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

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant);

// Execs for the slices of a description: of one thread each if there are enough slices. With a
// batch, only for operands that overlap in a way that it does not support.
static bool prepare_images(struct wp_exec *exec)
{
    if (exec->images)
        return true;
    const struct wp_description *d = &exec->description;
    const bool divided = wp_description_depth(d) >= IMAGES_PER_THREAD * exec->threads;
    const int images = divided ? exec->threads : 1;
    struct wp_device device = {divided ? 1 : exec->threads, exec->rows};
    struct wp_description image = *d;
    image.size[WP_Z] = 1;
    free(exec->image); // of an earlier call that lacked memory
    free(exec->views);
    exec->image = wp_allocate((size_t)images, sizeof(struct wp_exec *), "transforms of slices");
    exec->views = wp_allocate((size_t)images * (size_t)wp_subband_count(d), sizeof *exec->views,
                              "the views of bands");
    if (!exec->image || !exec->views)
        return false;
    for (; exec->images < images; exec->images++)
        if (!(exec->image[exec->images] = prepare(&device, &image, exec->variant)))
            return false;
    return true;
}

static bool prepare_batch(struct wp_exec *exec)
{
    if (!wp_cpu_batch_fits(&exec->description, exec->level, &exec->program, exec->rows,
                           exec->threads))
        return true;
    exec->batch = wp_cpu_batch_create(&exec->description, exec->level, &exec->program, exec->rows,
                                      exec->threads);
    return exec->batch;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->rows = device->rows;
    exec->threads = device->threads;
    exec->description = *description;
    exec->variant = variant ? variant : &variants[0];
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

static const struct wp_variant *variant_of(const struct wp_exec *exec)
{
    return exec->variant;
}

// A copy of rows between the caller's memory and the backend's.
struct exchange {
    struct wp_operand view;
    const struct wp_exec *exec;
    int size[WP_DIMS_MAX];
    float *data;
    ptrdiff_t pitch, slice;
    bool to_caller;
};

enum { EXCHANGE_ROWS = 64 };

static void exchange_row(const struct exchange *e, float *data, int y, int z)
{
    const ptrdiff_t at = y * e->view.stride[WP_Y] + z * e->view.stride[WP_Z];
    const struct wp_element_rows *elements = e->exec->rows->elements;
    const bool reversible = e->exec->description.reversible;
    if (e->to_caller)
        wp_operand_write(elements, &e->view, at, data, reversible, e->size[WP_X]);
    else
        wp_operand_read(elements, data, &e->view, at, reversible, e->size[WP_X]);
}

static void exchange_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct exchange *e = user;
    const int parts = (e->size[WP_Y] + EXCHANGE_ROWS - 1) / EXCHANGE_ROWS;
    const int z = i / parts, first = i % parts * EXCHANGE_ROWS;
    for (int y = first; y < first + EXCHANGE_ROWS && y < e->size[WP_Y]; y++)
        exchange_row(e, e->data + y * e->pitch + z * e->slice, y, z);
}

// Copies a band of a level, or for level 0 the samples.
static void exchange_band(const struct wp_exec *exec, const struct wp_operand *operand, int level,
                          enum wp_band band, bool to_caller)
{
    const struct wp_description *d = &exec->description;
    const struct wp_cpu_quads *data =
        level ? &exec->buffers.bands[level - 1] : &exec->buffers.pixels;
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    struct exchange e = {
        .view = wp_operand_band(d, operand, level, band, 0),
        .exec = exec,
        .size = {grid.size[WP_X], grid.size[WP_Y], grid.size[WP_Z]},
        .data = data->data[band],
        .pitch = data->pitch[band],
        .slice = data->slice[band],
        .to_caller = to_caller,
    };
    const int parts = (grid.size[WP_Y] + EXCHANGE_ROWS - 1) / EXCHANGE_ROWS;
    wp_threads_share(exec->threads, parts * grid.size[WP_Z], exchange_rows, &e);
}

// Is the caller's input (or output) samples, not coefficients?
static bool is_samples(const struct wp_exec *exec, bool in)
{
    return all_levels(exec) == 0 || in == (exec->description.direction == WP_FORWARD);
}

static void exchange(const struct wp_exec *exec, const struct wp_operand *operand, bool to_caller)
{
    const int levels = all_levels(exec);
    if (is_samples(exec, !to_caller)) {
        exchange_band(exec, operand, 0, WP_BAND_LL, to_caller);
        return;
    }
    for (int l = 1; l <= levels; l++)
        for (int b = l < levels ? WP_BAND_HL : WP_BAND_LL; b < WP_OCTET_BANDS; b++)
            if (has_band(&exec->description, l - 1, b))
                exchange_band(exec, operand, l, (enum wp_band)b, to_caller);
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    if (!allocate_buffers(exec, is_samples(exec, true)))
        return false;
    exchange(exec, from, false);
    return true;
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!allocate_buffers(exec, is_samples(exec, false)))
        return false;
    exchange(exec, to, true);
    return true;
}

// A sweep over a number of slices, each divided into stripes.
struct sweep_stripes {
    const struct wp_exec *exec;
    const struct wp_cpu_sweep *sweep;
    int rows, stripes;
};

static float *ring_of(const struct wp_exec *exec, int thread)
{
    return exec->rings.data + (size_t)thread * exec->ring_size;
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

static void run_sweep(const struct wp_exec *exec, const struct wp_cpu_sweep *sweep, int slices)
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
    const struct wp_exec *exec;
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

static void run_along_z(const struct wp_exec *exec, int l, const struct wp_cpu_quads *slices,
                        const struct wp_cpu_quads *bands)
{
    const struct wp_description *d = &exec->description;
    const unsigned axes = wp_description_axes(d, l + 1) & WP_AXIS_BOTH;
    for (int c = 0; c < (axes ? WP_BAND_COUNT : 1); c++) {
        int size[WP_DIMS_MAX];
        component_size(d, l, axes, c, size);
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
    const struct wp_exec *exec;
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
                        s->exec->strips.data + (size_t)thread * s->exec->strip_size,
                        ring_of(s->exec, thread));
}

static void run_stream_z(const struct wp_exec *exec, const struct wp_cpu_level *level,
                         const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands)
{
    const int height = wp_cpu_extent(level->sweep[0].size[WP_Y], 0);
    struct strips strips = {exec, level, samples, bands,
                            wp_cpu_stream_z_rows(level, exec->threads), height};
    wp_threads_share(exec->threads, (height + strips.rows - 1) / strips.rows, run_strip, &strips);
}

// Level l (from 0): along x and y between samples and `slices`, along z between these and the
// bands. If one of the two does not exist, `slices` are the samples or the bands.
static void run_level(const struct wp_exec *exec, int l, const struct wp_cpu_quads *samples,
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

// Runs all levels on these operands; returns the seconds.
static double sweep_all(const struct wp_exec *exec, const struct operands *operands)
{
    const double start = wp_clock_seconds();
    const int levels = all_levels(exec);
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

static bool run(struct wp_exec *exec, double *seconds)
{
    if (!allocate_sweeps(exec) || !allocate_buffers(exec, true) || !allocate_buffers(exec, false))
        return false;
    const double elapsed = sweep_all(exec, &exec->buffers);
    if (seconds)
        *seconds = elapsed;
    return true;
}

// Binds one component to the caller's memory. False if samples of a row are not contiguous.
static bool bind(const struct wp_exec *exec, const struct wp_operand *operand, int level,
                 enum wp_band band, struct wp_cpu_quads *quads)
{
    const struct wp_operand view = wp_operand_band(&exec->description, operand, level, band, 0);
    quads->data[band] = view.data;
    quads->pitch[band] = view.stride[WP_Y];
    quads->slice[band] = view.stride[WP_Z];
    return view.stride[WP_X] == 1;
}

// Binds a component of an image whose elements are not floats.
static bool bind_typed(const struct wp_exec *exec, const struct wp_operand *operand, int level,
                       enum wp_band band, struct wp_cpu_quads *quads, struct wp_operand *typed)
{
    *typed = wp_operand_band(&exec->description, operand, level, band, 0);
    quads->typed[band] = typed;
    return true;
}

// Sweeps can convert elements.
static bool supports_typed(const struct wp_exec *exec)
{
    return exec->level[0].sweeps && wp_description_depth(&exec->description) == 1;
}

static bool bind_operand(const struct wp_exec *exec, const struct wp_operand *operand, bool samples,
                         struct operands *operands)
{
    const int levels = all_levels(exec);
    const bool typed = operand->type != WP_ELEMENT_F32;
    operands->pixels.samples = true;
    if (typed && !supports_typed(exec))
        return false;
    if (samples) {
        operands->pixels.typed[0] = typed ? operand : NULL;
        return typed || bind(exec, operand, 0, WP_BAND_LL, &operands->pixels);
    }
    bool ok = true;
    for (int l = 0; l < levels; l++) {
        operands->bands[l] = exec->low[l];
        for (int b = l + 1 < levels ? WP_BAND_HL : WP_BAND_LL; b < WP_OCTET_BANDS; b++)
            if (has_band(&exec->description, l, b))
                ok = (typed ? bind_typed(exec, operand, l + 1, (enum wp_band)b, &operands->bands[l],
                                         &operands->typed[l][b])
                            : bind(exec, operand, l + 1, (enum wp_band)b, &operands->bands[l])) &&
                     ok;
    }
    return ok;
}

// Binds the backend's own memory instead of the caller's.
static bool bind_buffers(struct wp_exec *exec, bool samples, struct operands *operands)
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
static bool transform_sweeps(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, bool overlap, double *seconds)
{
    struct operands operands = {0}; // without row rings: all rows are in memory
    const bool in = is_samples(exec, true), out = is_samples(exec, false);
    if (!allocate_sweeps(exec))
        return false;
    const bool copy_in = overlap || !bind_operand(exec, from, in, &operands);
    if (copy_in && !bind_buffers(exec, in, &operands))
        return false;
    const bool copy_out = !bind_operand(exec, to, out, &operands);
    if (copy_out && !bind_buffers(exec, out, &operands))
        return false;
    if (copy_in)
        exchange(exec, from, false);
    const double elapsed = sweep_all(exec, &operands);
    if (copy_out)
        exchange(exec, to, true);
    if (seconds)
        *seconds = elapsed;
    return true;
}

static bool transform(struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds);

// Slices one after the other.
struct images {
    struct wp_exec *exec;
    const struct wp_operand *from, *to;
    atomic_flag failed; // `error` is the first one
    enum wp_error error;
    char text[1024];
};

static void run_image(void *user, int i, int thread)
{
    struct images *images = user;
    struct wp_exec *exec = images->exec;
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

// The output of a slice may overwrite the input of earlier ones, as for planes.
static bool transform_images(struct wp_exec *exec, const struct wp_operand *from,
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

static bool transform(struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds)
{
    if (all_levels(exec) == 0)
        return load(exec, from) && run(exec, seconds) && store(exec, to);
    const bool overlap = wp_operand_overlaps(&exec->description, from, to);
    if (exec->batch && (!overlap || wp_cpu_batch_in_place(exec->batch, from, to))) {
        const double start = wp_clock_seconds();
        wp_cpu_batch_run(exec->batch, from, to, overlap);
        if (seconds)
            *seconds = wp_clock_seconds() - start;
        return true;
    }
    return has_images(&exec->description)
               ? prepare_images(exec) && transform_images(exec, from, to, overlap, seconds)
               : transform_sweeps(exec, from, to, overlap, seconds);
}

static const struct wp_ceiling ceilings[] = {
    {.name = "memcpy",
     .summary = "memcpy of the image, one part per thread",
     .bytes = 2 * sizeof(float)},
    {0},
};

struct wp_ceiling_run_state {
    int threads;
    size_t floats;
    struct block images;
};

static void release_ceiling(struct wp_ceiling_run_state *state)
{
    free_block(&state->images);
    free(state);
}

static struct wp_ceiling_run_state *prepare_ceiling(struct wp_device *device,
                                                    const struct wp_ceiling *ceiling, int width,
                                                    int height)
{
    (void)ceiling;
    struct wp_ceiling_run_state *state = wp_allocate(1, sizeof *state, "a copy");
    if (!state)
        return NULL;
    state->threads = device->threads;
    state->floats = round_up((size_t)width) * (size_t)height;
    if (!allocate(&state->images, 2 * state->floats, state->threads, "the image and its copy")) {
        release_ceiling(state);
        return NULL;
    }
    // All pages that were never written would be mapped to the same page of zeros.
    memset(state->images.data, 1, 2 * state->floats * sizeof(float));
    return state;
}

static void copy_part(void *user, int i, int thread)
{
    (void)thread;
    const struct wp_ceiling_run_state *state = user;
    const size_t threads = (size_t)state->threads;
    const size_t first = state->floats * (size_t)i / threads;
    const size_t end = state->floats * ((size_t)i + 1) / threads;
    float *from = state->images.data;
    memcpy(from + state->floats + first, from + first, (end - first) * sizeof *from);
}

static bool run_ceiling(struct wp_ceiling_run_state *const state[], int count, double *seconds)
{
    const double start = wp_clock_seconds();
    for (int i = 0; i < count; i++)
        wp_threads_share(state[i]->threads, state[i]->threads, copy_part, state[i]);
    *seconds = wp_clock_seconds() - start;
    return true;
}

float *wp_cpu_ceiling_images(struct wp_ceiling_run_state *state, size_t *floats)
{
    *floats = state->floats;
    return state->images.data;
}

static const struct wp_backend_bench bench = {
    .facts = facts,
    .ceilings = ceilings,
    .ceiling_prepare = prepare_ceiling,
    .ceiling_run = run_ceiling,
    .ceiling_release = release_ceiling,
};

const struct wp_backend wp_backend_cpu = {
    .name = "cpu",
    .reversible = true,
    .batches = true,
    .elements = WP_ELEMENTS_ALL,
    .coefficients = 1 << WP_ELEMENT_F16,
    .summary = "lifting in one sweep per level, with vector instructions and threads",
    .schemeless = true,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .set_threads = set_threads,
    .variants = variants,
    .prepare = prepare,
    .variant = variant_of,
    .load = load,
    .run = run,
    .store = store,
    .overlaps = true,
    .transform = transform,
    .release = release,
    .bench = &bench,
};
