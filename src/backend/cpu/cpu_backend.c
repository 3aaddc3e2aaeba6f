// The CPU backend: its device, its variants, and the ceiling.
#include "cpu_backend.h"

#include "clock.h"
#include "cpu_exec.h"
#include "cpu_memory.h"
#include "log.h"
#include "memory.h"
#include "text.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wp_device {
    int threads;
    const struct wp_cpu_rows *rows;
};

struct wp_exec {
    const struct wp_variant *variant;
    const struct wp_cpu_arithmetic *arithmetic;
    struct wp_cpu_exec *exec;
};

static bool rows_supports(const struct wp_variant *variant,
                          const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    snprintf(why, why_size, "bank '%s' has only the variant 'fused'",
             wp_bank_names[description->bank]);
    return !wp_description_is_redundant(description);
}

static bool masks_supports(const struct wp_variant *variant,
                           const struct wp_description *description, char *why, size_t why_size)
{
    if (!rows_supports(variant, description, why, why_size))
        return false;
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
     .supports = rows_supports,
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

static void release(struct wp_exec *exec)
{
    if (exec)
        exec->arithmetic->release(exec->exec);
    free(exec);
}

static const struct wp_cpu_arithmetic *arithmetic_for(const struct wp_description *description)
{
    const bool redundant =
        wp_description_is_redundant(description) && wp_description_levels(description) > 0;
#ifdef WP_CPU_WIDE
    if (wp_description_arithmetic(description) == WP_ELEMENT_F64)
        return redundant ? &wp_cpu_redundant_f64 : &wp_cpu_arithmetic_f64;
#endif
    return redundant ? &wp_cpu_redundant_f32 : &wp_cpu_arithmetic_f32;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->variant = variant ? variant : &variants[0];
    exec->arithmetic = arithmetic_for(description);
    exec->exec = exec->arithmetic->prepare(description, exec->variant->private_data,
                                           device->threads);
    if (exec->exec)
        return exec;
    release(exec);
    return NULL;
}

static const struct wp_variant *variant_of(const struct wp_exec *exec)
{
    return exec->variant;
}

// Images, and signals. An axis x that is not transformed has no batch, since a chain only along y
// rounds in another way.
static bool has_border(const struct wp_device *device, const struct wp_description *d,
                       const struct wp_variant *variant, enum wp_location location)
{
    (void)device;
    return WP_CPU_BATCHES && location == WP_LOCATION_HOST && (!variant || variant->batches) &&
           d->border >= WP_BORDER_NATIVE && d->levels_z == 0 && wp_description_depth(d) == 1 &&
           wp_description_transformed(d) >> WP_X & 1;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    return exec->arithmetic->load(exec->exec, from);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return exec->arithmetic->run(exec->exec, seconds);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    return exec->arithmetic->store(exec->exec, to);
}

static bool transform(struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds)
{
    return exec->arithmetic->transform(exec->exec, from, to, seconds);
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
    struct wp_cpu_block images;
};

static void release_ceiling(struct wp_ceiling_run_state *state)
{
    wp_cpu_block_free(&state->images);
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
    state->floats = wp_cpu_round_up((size_t)width) * (size_t)height;
    if (!wp_cpu_block_allocate(&state->images, 2 * state->floats, sizeof(float), state->threads,
                               "the image and its copy")) {
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

// The web page does without doubles.
#ifdef WP_CPU_WIDE
enum { WIDE = 1U << WP_ELEMENT_F64 };
#else
enum { WIDE = 0 };
#endif

const struct wp_backend wp_backend_cpu = {
    .name = "cpu",
    .reversible = true,
    .batches = true,
    .banks = 1U << WP_BANK_UNDECIMATED | 1U << WP_BANK_STARLET,
    .elements = (WP_ELEMENTS_ALL & ~(1U << WP_ELEMENT_F64)) | WIDE,
    .coefficients = 1U << WP_ELEMENT_F16 | 1U << WP_ELEMENT_BF16 | WIDE,
    .summary = "lifting in one sweep per level, with vector instructions and threads",
    .schemeless = true,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .borders = has_border,
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

