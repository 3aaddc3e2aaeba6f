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

// Minimum samples per slab, so that the overhead per call is negligible.
enum { SLAB_SAMPLES = 1 << 22 };

static bool add(struct wp_exec_chain *chain, struct wp_device *device,
                const struct wp_description *d, const struct wp_variant *variant, bool first,
                int row, int slabs)
{
    struct wp_exec_chain_part *part = &chain->part[chain->count];
    struct wp_exec *exec = chain->backend->prepare(device, d, variant);
    *part = (struct wp_exec_chain_part){*d, exec, row, slabs, first};
    chain->count += part->exec != NULL;
    return part->exec != NULL;
}

// Without levels along y rows are independent.
static int slab_rows(const struct wp_description *d)
{
    const size_t row = (size_t)d->size[WP_X] * (size_t)wp_description_depth(d);
    const size_t rows = row < SLAB_SAMPLES ? SLAB_SAMPLES / row : 1;
    return rows < (size_t)d->size[WP_Y] ? (int)rows : d->size[WP_Y];
}

static bool add_slabs(struct wp_exec_chain *chain, struct wp_device *device,
                      struct wp_description d, const struct wp_variant *variant, bool first)
{
    const int height = d.size[WP_Y], rows = slab_rows(&d), rest = height % rows;
    d.size[WP_Y] = rows;
    if (!add(chain, device, &d, variant, first, 0, height / rows))
        return false;
    d.size[WP_Y] = rest;
    return rest == 0 || add(chain, device, &d, variant, first, height - rest, 1);
}

// Allocates a float buffer for an operand if the backend does not support its type.
static bool allocate_floats(struct wp_exec_chain *chain, unsigned supported, enum wp_element *type,
                            const char *purpose, float **floats)
{
    struct wp_description part[WP_CHAIN_MAX];
    if (*type == WP_ELEMENT_F32 ||
        (supported >> *type & 1 && wp_description_chain(&chain->description, part) == 1))
        return true;
    *type = WP_ELEMENT_F32;
    *floats = wp_convert_scratch(&chain->description, purpose);
    return *floats;
}

bool wp_exec_chain_prepare(struct wp_exec_chain *chain, const struct wp_backend *backend,
                           struct wp_device *device, const struct wp_description *description,
                           const struct wp_variant *variant)
{
    struct wp_description d[WP_CHAIN_MAX], converted = *description;
    *chain = (struct wp_exec_chain){.backend = backend, .description = *description};
    bool ok = allocate_floats(chain, backend->elements, &converted.samples, "the image as floats",
                              &chain->samples) &&
              allocate_floats(chain, backend->coefficients, &converted.coefficients,
                              "the coefficients as floats", &chain->coefficients);
    const int count = wp_description_chain(&converted, d);
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
        chain->backend->release(chain->part[i].exec);
    free(chain->samples);
    free(chain->coefficients);
    *chain = (struct wp_exec_chain){0};
}

// Slab number `i` of an operand. Operands with one view per band have only one part and slab.
static struct wp_operand slab_of(const struct wp_exec_chain_part *part,
                                 const struct wp_operand *operand, int i)
{
    const int row = part->row + i * part->description.size[WP_Y];
    return row > 0 ? wp_operand_advance(operand, WP_Y, row, NULL) : *operand;
}

// How the parts run: on host memory, or asynchronously on device memory.
struct execution {
    bool on_device;
    void *stream;
    struct wp_exec_seconds *seconds;
};

static bool run_parts(const struct wp_exec_chain *chain, const struct wp_operand *from,
                      const struct wp_operand *to, const struct execution *execution)
{
    const struct wp_backend *backend = chain->backend;
    bool ok = true;
    for (int i = 0; i < chain->count && ok; i++) {
        const struct wp_exec_chain_part *part = &chain->part[i];
        for (int k = 0; k < part->slabs && ok; k++) {
            const struct wp_operand in = slab_of(part, part->first ? from : to, k);
            const struct wp_operand out = slab_of(part, to, k);
            ok = execution->on_device
                     ? backend->transform_device(part->exec, &in, &out, execution->stream)
                     : wp_exec_transform(backend, part->exec, &in, &out, execution->seconds);
        }
    }
    return ok;
}

bool wp_exec_chain_transform(const struct wp_exec_chain *chain, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    const struct wp_description *d = &chain->description;
    const bool forward = d->direction == WP_FORWARD;
    float *in =
        from->type != WP_ELEMENT_F32 ? (forward ? chain->samples : chain->coefficients) : NULL;
    float *out =
        to->type != WP_ELEMENT_F32 ? (forward ? chain->coefficients : chain->samples) : NULL;
    const struct wp_operand read = wp_operand_dense(d, in), written = wp_operand_dense(d, out);
    const double reading = in ? wp_convert_read(d, from, in) : 0;
    if (!run_parts(chain, in ? &read : from, out ? &written : to,
                   &(struct execution){.seconds = seconds}))
        return false;
    const double writing = out ? wp_convert_write(d, out, to) : 0;
    if (seconds) {
        seconds->load += reading;
        seconds->store += writing;
    }
    return true;
}

bool wp_exec_chain_transform_device(const struct wp_exec_chain *chain,
                                    const struct wp_operand *from, const struct wp_operand *to,
                                    void *stream)
{
    return run_parts(chain, from, to, &(struct execution){.on_device = true, .stream = stream});
}

static bool transform(const struct wp_execute *execute, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    struct wp_exec_chain chain;
    bool ok = wp_exec_chain_prepare(&chain, execute->backend, device, d, execute->variant);
    for (int i = 0; i < count && ok; i++) {
        const struct wp_operand in = wp_operand_const(d, from[i]), out = wp_operand_dense(d, to[i]);
        ok = wp_exec_chain_transform(&chain, &in, &out, NULL);
    }
    wp_exec_chain_release(&chain);
    return ok;
}

bool wp_execute(const struct wp_execute *execute, const struct wp_description *d, int count,
                const float *const from[], float *const to[])
{
    char reason[256];
    if (execute->device)
        return transform(execute, execute->device, d, count, from, to);
    struct wp_device *device = execute->backend->open(-1, false, reason, sizeof reason);
    const bool ok = device && transform(execute, device, d, count, from, to);
    if (device)
        execute->backend->close(device);
    return ok;
}
