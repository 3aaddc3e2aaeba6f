// The CPU backend: sweeps over the quads of each level, shared among threads by stripes. It takes
// the transform from the plan's parameters; the plan's passes are those of fragment shaders.
#define _DEFAULT_SOURCE // madvise()
#include "backends.h"
#include "clock.h"
#include "cpu_level.h"
#include "log.h"
#include "memory.h"
#include "threads.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE = 16, // floats in a cache line
    HUGE_PAGE = 2 << 20, // bytes, on x86-64 and with 4 KiB pages on ARM
    // Stripes: several a thread, so that none waits long for another, but neither so thin nor so
    // small that the rows they share with their neighbours or the start of a thread matter.
    STRIPES_PER_THREAD = 4,
    STRIPE_ROWS = 32,
    STRIPE_QUADS = 4096,
};

struct wp_device {
    int threads;
    const struct wp_cpu_rows *rows;
};

struct wp_exec {
    const struct wp_cpu_rows *rows;
    int threads;
    const struct wp_plan *plan; // NULL: the ceiling
    const struct wp_variant *variant;
    struct wp_cpu_level *level;
    struct wp_cpu_quads pixels;
    struct wp_cpu_quads *bands; // of each level; LL is the next one's samples
    float *memory;              // all of these
    size_t memory_size;         // in floats
    float *ring_memory, *ring;  // of every thread; begins a cache line
    size_t ring_size;           // floats of one
    size_t copy_size;           // of the ceiling, in floats
};

static const struct wp_variant variants[] = {
    [WP_CPU_FUSED] = {.name = "fused",
                      .summary = "lifting along both axes in one sweep over the image"},
    [WP_CPU_ROWS_LIFTING] = {.name = "lifting-row-column",
                             .summary = "lifting along all rows, then along all columns"},
    [WP_CPU_ROWS_MASKS] = {.name = "conv-row-column",
                           .summary = "convolution along all rows, then along all columns"},
    [WP_CPU_MASKS] = {.name = "smdwt",
                      .summary = "one two-dimensional mask for each of the four subbands"},
    {0},
};

static const struct wp_ceiling ceilings[] = {
    {.name = "memcpy",
     .summary = "memcpy of the image, a part for each thread",
     .bytes = 2 * sizeof(float)},
    {0},
};

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", "");
    if (index > 0) {
        snprintf(reason, reason_size, "there is one device, number 0");
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE, "backend 'cpu' has no device %d (%s)", index, reason);
        return NULL;
    }
    struct wp_device *device = wp_xcalloc(1, sizeof *device);
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
             device->threads, device->threads == 1 ? "" : "s", device->rows->name,
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

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    for (int l = 0; exec->level && l < exec->plan->params.levels; l++)
        wp_cpu_level_free(&exec->level[l]);
    free(exec->level);
    free(exec->bands);
    free(exec->memory);
    free(exec->ring_memory);
    free(exec);
}

static size_t round_up(size_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

// Zeroed memory and an address in it that begins a cache line, and where there are many bytes a huge
// page, which Linux is asked to give: 4 KiB pages make a sweep's time depend on where they lie.
// `*memory` is to be freed.
static float *allocate(float **memory, size_t floats, const char *what)
{
    const size_t bytes = floats * sizeof **memory, line = LINE * sizeof **memory;
    const size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : line;
    *memory = wp_allocate(floats + unit / sizeof **memory, sizeof **memory, what);
    if (!*memory)
        return NULL;
    float *start = *memory + (unit - (uintptr_t)*memory % unit) % unit / sizeof **memory;
#ifdef MADV_HUGEPAGE
    // A wish: where it is not granted, the memory serves as it is.
    if (unit == HUGE_PAGE)
        (void)madvise(start, bytes, MADV_HUGEPAGE);
#endif
    return start;
}

// Rectangles in memory that is not there yet: counted by a first walk with base NULL.
struct arena {
    float *base;
    size_t used;
};

static float *take(struct arena *arena, size_t floats)
{
    float *data = arena->base ? arena->base + arena->used : NULL;
    arena->used += floats;
    return data;
}

static struct wp_cpu_quads take_components(struct arena *arena, int width, int height)
{
    const size_t columns = (size_t)width / 2 + (size_t)width % 2;
    const size_t rows = (size_t)height / 2 + (size_t)height % 2;
    struct wp_cpu_quads quads = {.pitch = (int)round_up(columns)};
    take(arena, WP_CPU_SLACK);
    for (int c = 0; c < WP_BAND_COUNT; c++)
        quads.data[c] = take(arena, (size_t)quads.pitch * rows);
    return quads;
}

static void place(struct wp_exec *exec, struct arena *arena, struct wp_cpu_quads *between,
                  bool use_between)
{
    const struct wp_plan_params *p = &exec->plan->params;
    take(arena, WP_CPU_SLACK);
    exec->pixels = (struct wp_cpu_quads){.samples = true, .pitch = (int)round_up((size_t)p->width)};
    exec->pixels.data[0] = take(arena, (size_t)exec->pixels.pitch * (size_t)p->height);
    for (int l = 0; l < p->levels; l++)
        exec->bands[l] = take_components(arena, wp_level_size(p->width, l),
                                         wp_level_size(p->height, l));
    if (use_between)
        *between = take_components(arena, p->width, p->height);
    take(arena, WP_CPU_SLACK);
}

static struct wp_cpu_quads samples_of(const struct wp_exec *exec, int l)
{
    if (l == 0)
        return exec->pixels;
    return (struct wp_cpu_quads){.samples = true,
                                 .data = {exec->bands[l - 1].data[WP_BAND_LL]},
                                 .pitch = exec->bands[l - 1].pitch};
}

enum { PAGE = 1024 }; // floats; smaller than or as large as the system's

static void touch_part(void *user, int i, int thread)
{
    (void)thread;
    const struct wp_exec *exec = user;
    const size_t parts = (size_t)exec->threads;
    volatile float *memory = exec->memory;
    for (size_t f = exec->memory_size * (size_t)i / parts;
         f < exec->memory_size * ((size_t)i + 1) / parts; f += PAGE)
        memory[f] = 0;
}

static bool make_memory(struct wp_exec *exec, struct wp_cpu_quads *between)
{
    const bool use_between = exec->variant == &variants[WP_CPU_ROWS_LIFTING] ||
                             exec->variant == &variants[WP_CPU_ROWS_MASKS];
    struct arena arena = {0};
    place(exec, &arena, between, use_between);
    arena.base = allocate(&exec->memory, arena.used, "the image and its coefficients");
    if (!arena.base)
        return false;
    exec->memory_size = arena.used;
    // The system gives pages when they are first written to: not while a transform is timed.
    wp_threads_share(exec->threads, exec->threads, touch_part, exec);
    arena.used = 0;
    place(exec, &arena, between, use_between);
    return true;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant)
{
    const struct wp_plan_params *p = &plan->params;
    const int levels = p->levels;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->rows = device->rows;
    exec->threads = device->threads;
    exec->plan = plan;
    exec->variant = variant ? variant : &variants[0];
    exec->level = wp_xcalloc((size_t)levels, sizeof *exec->level);
    exec->bands = wp_xcalloc((size_t)levels, sizeof *exec->bands);
    struct wp_cpu_quads between = {0};
    if (!make_memory(exec, &between)) {
        release(exec);
        return NULL;
    }
    for (int l = 0; l < levels; l++) {
        const struct wp_cpu_quads samples = samples_of(exec, l), *bands = &exec->bands[l];
        const bool forward = p->direction == WP_FORWARD;
        struct wp_cpu_level *level = &exec->level[l];
        wp_cpu_level_set(level, plan, l, (enum wp_cpu_method)(exec->variant - variants),
                         forward ? &samples : bands, forward ? bands : &samples, &between);
        for (int s = 0; s < level->sweeps; s++) {
            const size_t size = round_up(wp_cpu_sweep_ring(&level->sweep[s]));
            exec->ring_size = size > exec->ring_size ? size : exec->ring_size;
        }
    }
    exec->ring = allocate(&exec->ring_memory, (size_t)device->threads * exec->ring_size,
                          "the rows of a sweep");
    if (!exec->ring) {
        release(exec);
        return NULL;
    }
    return exec;
}

static const struct wp_variant *taken_variant(const struct wp_exec *exec)
{
    return exec->variant;
}

static struct wp_exec *prepare_ceiling(struct wp_device *device, const struct wp_ceiling *ceiling,
                                       int width, int height)
{
    (void)ceiling;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->rows = device->rows;
    exec->threads = device->threads;
    exec->copy_size = round_up((size_t)width) * (size_t)height;
    exec->pixels.data[0] = allocate(&exec->memory, 2 * exec->copy_size, "the image and its copy");
    if (!exec->pixels.data[0]) {
        release(exec);
        return NULL;
    }
    // Pages that were never written to would all be the same one of zeros.
    memset(exec->pixels.data[0], 1, 2 * exec->copy_size * sizeof(float));
    return exec;
}

// Where rows of floats lie on the host and here.
struct exchange {
    float *host;
    struct wp_band_view view; // on the host
    float *mine;
    int pitch;
    bool to_host;
};

enum { EXCHANGE_ROWS = 64 };

static void exchange_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct exchange *e = user;
    const int first = i * EXCHANGE_ROWS;
    for (int y = first; y < first + EXCHANGE_ROWS && y < e->view.height; y++) {
        float *host = e->host + e->view.offset + y * e->view.step_y;
        float *mine = e->mine + (ptrdiff_t)y * e->pitch;
        if (e->view.step_x == 1 && e->to_host)
            memcpy(host, mine, (size_t)e->view.width * sizeof *mine);
        else if (e->view.step_x == 1)
            memcpy(mine, host, (size_t)e->view.width * sizeof *mine);
        else
            for (int x = 0; x < e->view.width; x++)
                *(e->to_host ? &host[x * e->view.step_x] : &mine[x]) =
                    e->to_host ? mine[x] : host[x * e->view.step_x];
    }
}

static void exchange(const struct wp_exec *exec, const struct exchange *e)
{
    struct exchange copy = *e;
    wp_threads_share(exec->threads, (e->view.height + EXCHANGE_ROWS - 1) / EXCHANGE_ROWS,
                     exchange_rows, &copy);
}

static void exchange_samples(const struct wp_exec *exec, float *host, bool to_host)
{
    const struct wp_plan_params *p = &exec->plan->params;
    exchange(exec, &(struct exchange){.host = host,
                                      .view = {p->width, p->height, 0, 1, p->width},
                                      .mine = exec->pixels.data[0],
                                      .pitch = exec->pixels.pitch,
                                      .to_host = to_host});
}

static void exchange_coefficients(const struct wp_exec *exec, float *host, bool to_host)
{
    const struct wp_plan_params *p = &exec->plan->params;
    for (int l = 0; l < p->levels; l++)
        for (int b = l + 1 < p->levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++)
            exchange(exec, &(struct exchange){
                               .host = host,
                               .view = wp_band_view(p->width, p->height, l + 1, (enum wp_band)b,
                                                    p->layout),
                               .mine = exec->bands[l].data[b],
                               .pitch = exec->bands[l].pitch,
                               .to_host = to_host});
}

static bool load(struct wp_exec *exec, const float *plane)
{
    const struct wp_plan_params *p = &exec->plan->params;
    // Nothing is written to the host's plane on the way here.
    if (p->levels == 0 || p->direction == WP_FORWARD)
        exchange_samples(exec, (float *)plane, false);
    else
        exchange_coefficients(exec, (float *)plane, false);
    return true;
}

static bool store(struct wp_exec *exec, float *plane)
{
    const struct wp_plan_params *p = &exec->plan->params;
    if (p->levels == 0 || p->direction == WP_INVERSE)
        exchange_samples(exec, plane, true);
    else
        exchange_coefficients(exec, plane, true);
    return true;
}

// A sweep cut into stripes.
struct cut {
    const struct wp_exec *exec;
    const struct wp_cpu_sweep *sweep;
    int rows, stripes;
};

static void run_stripe(void *user, int i, int thread)
{
    const struct cut *cut = user;
    const int first = (int)((int64_t)cut->rows * i / cut->stripes);
    const int end = (int)((int64_t)cut->rows * (i + 1) / cut->stripes);
    wp_cpu_sweep_run(cut->sweep, cut->exec->rows, first, end - first,
                     cut->exec->ring + (size_t)thread * cut->exec->ring_size);
}

static void run_sweep(const struct wp_exec *exec, const struct wp_cpu_sweep *sweep)
{
    const int threads = exec->threads;
    struct cut cut = {exec, sweep, sweep->height / 2 + sweep->height % 2, 1};
    const int64_t quads = (int64_t)cut.rows * (sweep->width / 2 + sweep->width % 2);
    int64_t most = quads / STRIPE_QUADS;
    most = most < cut.rows / STRIPE_ROWS ? most : cut.rows / STRIPE_ROWS;
    cut.stripes = most < STRIPES_PER_THREAD * threads ? (int)most : STRIPES_PER_THREAD * threads;
    cut.stripes = cut.stripes > 1 ? cut.stripes : 1;
    wp_threads_share(threads, cut.stripes, run_stripe, &cut);
}

static void copy_part(void *user, int i, int thread)
{
    (void)thread;
    const struct wp_exec *exec = user;
    const size_t threads = (size_t)exec->threads;
    const size_t first = exec->copy_size * (size_t)i / threads;
    const size_t end = exec->copy_size * ((size_t)i + 1) / threads;
    float *from = exec->pixels.data[0];
    memcpy(from + exec->copy_size + first, from + first, (end - first) * sizeof *from);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    const double start = wp_clock_seconds();
    if (!exec->plan)
        wp_threads_share(exec->threads, exec->threads, copy_part, exec);
    const int levels = exec->plan ? exec->plan->params.levels : 0;
    for (int i = 0; i < levels; i++) {
        const bool forward = exec->plan->params.direction == WP_FORWARD;
        const struct wp_cpu_level *level = &exec->level[forward ? i : levels - 1 - i];
        for (int s = 0; s < level->sweeps; s++)
            run_sweep(exec, &level->sweep[s]);
    }
    if (seconds)
        *seconds = wp_clock_seconds() - start;
    return true;
}

const struct wp_backend wp_backend_cpu = {
    .name = "cpu",
    .summary = "lifting in one sweep a level, on the CPU's vectors and threads",
    .schemeless = true,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .set_threads = set_threads,
    .facts = facts,
    .variants = variants,
    .prepare = prepare,
    .variant = taken_variant,
    .ceilings = ceilings,
    .prepare_ceiling = prepare_ceiling,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
};
