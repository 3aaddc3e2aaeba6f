#include "execute.h"

#include "clock.h"
#include "convert.h"

#include <stdlib.h>

bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_operand *from, const struct wp_operand *to,
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
    if (backend->expect)
        backend->expect(exec, to);
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

static bool add(struct wp_exec_chain *chain, struct wp_device *device,
                const struct wp_description *d, const struct wp_variant *variant, bool first,
                int row, int slabs)
{
    struct wp_exec_chain_part *stage = &chain->stage[chain->count];
    struct wp_exec *exec = chain->backend->prepare(device, d, variant);
    *stage = (struct wp_exec_chain_part){*d, exec, row, slabs, first};
    chain->count += stage->exec != NULL;
    return stage->exec != NULL;
}

// Rows are no neighbours to levels along z alone.
static int slab_rows(const struct wp_description *d)
{
    const size_t row = (size_t)d->size[WP_X] * (size_t)wp_description_depth(d);
    const size_t rows = row < SLAB_SAMPLES ? SLAB_SAMPLES / row : 1;
    return rows < (size_t)d->size[WP_Y] ? (int)rows : d->size[WP_Y];
}

static bool add_slabs(struct wp_exec_chain *chain, struct wp_device *device, struct wp_description d,
                      const struct wp_variant *variant, bool first)
{
    const int height = d.size[WP_Y], rows = slab_rows(&d), rest = height % rows;
    d.size[WP_Y] = rows;
    if (!add(chain, device, &d, variant, first, 0, height / rows))
        return false;
    d.size[WP_Y] = rest;
    return rest == 0 || add(chain, device, &d, variant, first, height - rest, 1);
}

// Memory for a side of a type that the backend does not take.
static bool make_floats(struct wp_exec_chain *chain, unsigned taken, enum wp_element *type,
                        const char *what, float **floats)
{
    struct wp_description stage[WP_CHAIN_MAX];
    if (*type == WP_ELEMENT_F32 ||
        (taken >> *type & 1 && wp_description_chain(&chain->whole, stage) == 1))
        return true;
    *type = WP_ELEMENT_F32;
    *floats = wp_convert_scratch(&chain->whole, what);
    return *floats;
}

bool wp_exec_chain_prepare(struct wp_exec_chain *chain, const struct wp_backend *backend,
                       struct wp_device *device, const struct wp_description *description,
                       const struct wp_variant *variant)
{
    struct wp_description d[WP_CHAIN_MAX], whole = *description;
    *chain = (struct wp_exec_chain){.backend = backend, .whole = *description};
    bool ok = make_floats(chain, backend->elements, &whole.samples, "the image as floats",
                          &chain->samples) &&
              make_floats(chain, backend->coefficients, &whole.coefficients,
                          "the coefficients as floats", &chain->coefficients);
    const int count = wp_description_chain(&whole, d);
    for (int i = 0; i < count && ok; i++)
        ok = count > 1 && d[i].levels == 0 ? add_slabs(chain, device, d[i], variant, i == 0)
                                           : add(chain, device, &d[i], variant, i == 0, 0, 1);
    if (!ok)
        wp_exec_chain_release(chain);
    return ok;
}

void wp_exec_chain_release(struct wp_exec_chain *chain)
{
    for (int i = 0; i < chain->count; i++)
        chain->backend->release(chain->stage[i].exec);
    free(chain->samples);
    free(chain->coefficients);
    *chain = (struct wp_exec_chain){0};
}

// Slab number `i` of a place. Bands at places of their own come in one stage and slab.
static struct wp_operand slab_of(const struct wp_exec_chain_part *stage, const struct wp_operand *operand,
                               int i)
{
    struct wp_operand slab = *operand;
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

static bool run_stages(const struct wp_exec_chain *chain, const struct wp_operand *from,
                       const struct wp_operand *to, const struct manner *manner)
{
    const struct wp_backend *backend = chain->backend;
    bool ok = true;
    for (int i = 0; i < chain->count && ok; i++) {
        const struct wp_exec_chain_part *stage = &chain->stage[i];
        for (int k = 0; k < stage->slabs && ok; k++) {
            const struct wp_operand in = slab_of(stage, stage->first ? from : to, k);
            const struct wp_operand out = slab_of(stage, to, k);
            ok = manner->there
                     ? backend->transform_device(stage->exec, &in, &out, manner->stream)
                     : wp_exec_transform(backend, stage->exec, &in, &out, manner->seconds);
        }
    }
    return ok;
}

bool wp_exec_chain_transform(const struct wp_exec_chain *chain, const struct wp_operand *from,
                         const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    const struct wp_description *d = &chain->whole;
    const bool forward = d->direction == WP_FORWARD;
    float *in = from->pixels.data ? (forward ? chain->samples : chain->coefficients) : NULL;
    float *out = to->pixels.data ? (forward ? chain->coefficients : chain->samples) : NULL;
    const struct wp_operand read = wp_operand_dense(d, in), written = wp_operand_dense(d, out);
    const double reading = in ? wp_convert_read(d, &from->pixels, in) : 0;
    if (!run_stages(chain, in ? &read : from, out ? &written : to,
                    &(struct manner){.seconds = seconds}))
        return false;
    const double writing = out ? wp_convert_write(d, out, &to->pixels) : 0;
    if (seconds) {
        seconds->load += reading;
        seconds->store += writing;
    }
    return true;
}

bool wp_exec_chain_transform_device(const struct wp_exec_chain *chain, const struct wp_operand *from,
                               const struct wp_operand *to, void *stream)
{
    return run_stages(chain, from, to, &(struct manner){.there = true, .stream = stream});
}

static bool transform(const struct wp_execute *once, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    struct wp_exec_chain chain;
    bool ok = wp_exec_chain_prepare(&chain, once->backend, device, d, once->variant);
    for (int i = 0; i < count && ok; i++) {
        const struct wp_operand in = wp_operand_const(d, from[i]), out = wp_operand_dense(d, to[i]);
        ok = wp_exec_chain_transform(&chain, &in, &out, NULL);
    }
    wp_exec_chain_release(&chain);
    return ok;
}

bool wp_execute(const struct wp_execute *once, const struct wp_description *d, int count,
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
