#include "once.h"

#include "clock.h"
#include "elements.h"
#include "memory.h"
#include "threads.h"

#include <stdlib.h>

bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_place *from, const struct wp_place *to,
                       struct wp_exec_seconds *seconds)
{
    double ran = 0;
    if (backend->transform) {
        const bool ok = backend->transform(exec, from, to, &ran);
        if (seconds)
            seconds->run += ran;
        return ok;
    }
    const double start = wp_clock_seconds();
    if (!backend->load(exec, from))
        return false;
    const double loaded = wp_clock_seconds();
    if (!backend->run(exec, &ran))
        return false;
    const double run = wp_clock_seconds();
    if (!backend->store(exec, to))
        return false;
    if (seconds) {
        seconds->load += loaded - start;
        seconds->run += ran;
        seconds->store += wp_clock_seconds() - run;
    }
    return true;
}

// What stands before a transform of so many samples is little to it.
enum { SLAB_SAMPLES = 1 << 22 };

static bool add(struct wp_stages *stages, struct wp_device *device,
                const struct wp_description *d, const struct wp_variant *variant, bool first,
                int row, int slabs)
{
    struct wp_stages_part *stage = &stages->stage[stages->count];
    struct wp_exec *exec = stages->backend->prepare(device, d, variant);
    *stage = (struct wp_stages_part){*d, exec, row, slabs, first};
    stages->count += stage->exec != NULL;
    return stage->exec != NULL;
}

// Rows are no neighbours to levels along z alone.
static int slab_rows(const struct wp_description *d)
{
    const size_t row = (size_t)d->size[WP_X] * (size_t)wp_description_depth(d);
    const size_t rows = row < SLAB_SAMPLES ? SLAB_SAMPLES / row : 1;
    return rows < (size_t)d->size[WP_Y] ? (int)rows : d->size[WP_Y];
}

static bool add_slabs(struct wp_stages *stages, struct wp_device *device, struct wp_description d,
                      const struct wp_variant *variant, bool first)
{
    const int height = d.size[WP_Y], rows = slab_rows(&d), rest = height % rows;
    d.size[WP_Y] = rows;
    if (!add(stages, device, &d, variant, first, 0, height / rows))
        return false;
    d.size[WP_Y] = rest;
    return rest == 0 || add(stages, device, &d, variant, first, height - rest, 1);
}

static bool takes_samples(const struct wp_backend *backend, const struct wp_description *d)
{
    struct wp_description stage[WP_STAGES_MAX];
    return d->samples == WP_ELEMENT_F32 ||
           (backend->elements >> d->samples & 1 && wp_description_stages(d, stage) == 1);
}

// Memory for what the backend does not take.
static bool make_samples(struct wp_stages *stages, struct wp_description *d)
{
    if (takes_samples(stages->backend, d))
        return true;
    d->samples = WP_ELEMENT_F32;
    stages->samples = wp_allocate_pages(
        wp_description_samples(d) * (size_t)wp_description_planes(d), sizeof *stages->samples,
        "the image as floats");
    return stages->samples != NULL;
}

bool wp_stages_prepare(struct wp_stages *stages, const struct wp_backend *backend,
                       struct wp_device *device, const struct wp_description *description,
                       const struct wp_variant *variant)
{
    struct wp_description d[WP_STAGES_MAX], whole = *description;
    *stages = (struct wp_stages){.backend = backend, .whole = *description};
    bool ok = make_samples(stages, &whole);
    const int count = wp_description_stages(&whole, d);
    for (int i = 0; i < count && ok; i++)
        ok = count > 1 && d[i].levels == 0 ? add_slabs(stages, device, d[i], variant, i == 0)
                                           : add(stages, device, &d[i], variant, i == 0, 0, 1);
    if (!ok)
        wp_stages_release(stages);
    return ok;
}

void wp_stages_release(struct wp_stages *stages)
{
    for (int i = 0; i < stages->count; i++)
        stages->backend->release(stages->stage[i].exec);
    free(stages->samples);
    *stages = (struct wp_stages){0};
}

// Slab number `i` of a place. Bands at places of their own come in one stage and slab.
static struct wp_place slab_of(const struct wp_stages_part *stage, const struct wp_place *place,
                               int i)
{
    struct wp_place slab = *place;
    const int row = stage->row + i * stage->description.size[WP_Y];
    if (row > 0)
        slab.array.data += row * slab.array.step[WP_Y];
    return slab;
}

// How the parts are run: on the host's memory, or put into a stream on the device's.
struct manner {
    bool there;
    void *stream;
    struct wp_exec_seconds *seconds;
};

static bool run_stages(const struct wp_stages *stages, const struct wp_place *from,
                       const struct wp_place *to, const struct manner *manner)
{
    const struct wp_backend *backend = stages->backend;
    bool ok = true;
    for (int i = 0; i < stages->count && ok; i++) {
        const struct wp_stages_part *stage = &stages->stage[i];
        for (int k = 0; k < stage->slabs && ok; k++) {
            const struct wp_place in = slab_of(stage, stage->first ? from : to, k);
            const struct wp_place out = slab_of(stage, to, k);
            ok = manner->there
                     ? backend->transform_there(stage->exec, &in, &out, manner->stream)
                     : wp_exec_transform(backend, stage->exec, &in, &out, manner->seconds);
        }
    }
    return ok;
}

// Rows of samples on their way to floats or from them.
struct conversion {
    const struct wp_description *description;
    const struct wp_pixels *pixels;
    float *samples;
    bool write;
};

enum { CONVERTED_ROWS = 64 };

static void convert_row(const struct conversion *c, ptrdiff_t row)
{
    const struct wp_description *d = c->description;
    const struct wp_pixels *pixels = c->pixels;
    const int width = d->size[WP_X], height = d->size[WP_Y], depth = wp_description_depth(d);
    const ptrdiff_t plane = row / height / depth, z = row / height % depth, y = row % height;
    const ptrdiff_t at =
        y * pixels->step[WP_Y] + z * pixels->step[WP_Z] + plane * pixels->plane;
    float *samples = c->samples + row * width;
    if (c->write)
        wp_pixels_write(&wp_element_rows, pixels, at, samples, d->reversible, width);
    else
        wp_pixels_read(&wp_element_rows, samples, pixels, at, d->reversible, width);
}

static ptrdiff_t rows_of(const struct wp_description *d)
{
    return (ptrdiff_t)d->size[WP_Y] * wp_description_depth(d) * wp_description_planes(d);
}

static void convert_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct conversion *c = user;
    const ptrdiff_t first = (ptrdiff_t)i * CONVERTED_ROWS, rows = rows_of(c->description);
    for (ptrdiff_t row = first; row < first + CONVERTED_ROWS && row < rows; row++)
        convert_row(c, row);
}

static double convert(const struct wp_stages *stages, const struct wp_pixels *pixels, bool write)
{
    const double start = wp_clock_seconds();
    struct conversion c = {&stages->whole, pixels, stages->samples, write};
    const ptrdiff_t parts = (rows_of(&stages->whole) + CONVERTED_ROWS - 1) / CONVERTED_ROWS;
    wp_threads_share(wp_threads_count(), (int)parts, convert_rows, &c);
    return wp_clock_seconds() - start;
}

bool wp_stages_transform(const struct wp_stages *stages, const struct wp_place *from,
                         const struct wp_place *to, struct wp_exec_seconds *seconds)
{
    const struct wp_place samples = wp_place_dense(&stages->whole, stages->samples);
    const bool in = stages->samples && from->pixels.data;
    const bool out = stages->samples && to->pixels.data;
    const double read = in ? convert(stages, &from->pixels, false) : 0;
    if (!run_stages(stages, in ? &samples : from, out ? &samples : to,
                    &(struct manner){.seconds = seconds}))
        return false;
    const double wrote = out ? convert(stages, &to->pixels, true) : 0;
    if (seconds) {
        seconds->load += read;
        seconds->store += wrote;
    }
    return true;
}

bool wp_stages_transform_there(const struct wp_stages *stages, const struct wp_place *from,
                               const struct wp_place *to, void *stream)
{
    return run_stages(stages, from, to, &(struct manner){.there = true, .stream = stream});
}

static bool transform(const struct wp_once *once, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    struct wp_stages stages;
    bool ok = wp_stages_prepare(&stages, once->backend, device, d, once->variant);
    for (int i = 0; i < count && ok; i++) {
        const struct wp_place in = wp_place_const(d, from[i]), out = wp_place_dense(d, to[i]);
        ok = wp_stages_transform(&stages, &in, &out, NULL);
    }
    wp_stages_release(&stages);
    return ok;
}

bool wp_once(const struct wp_once *once, const struct wp_description *d, int count,
             const float *const from[], float *const to[])
{
    char reason[256];
    if (once->device)
        return transform(once, once->device, d, count, from, to);
    struct wp_device *device = once->backend->open(-1, false, reason, sizeof reason);
    const bool ok = device && transform(once, device, d, count, from, to);
    if (device)
        once->backend->close(device);
    return ok;
}
