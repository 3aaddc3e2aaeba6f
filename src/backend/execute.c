#include "execute.h"

#include "clock.h"
#include "elements.h"
#include "memory.h"
#include "threads.h"

bool wp_backend_is_schemeless(const struct wp_backend *backend,
                              const struct wp_description *description)
{
    return backend->schemeless || wp_description_is_redundant(description) ||
           (backend->schemeless_volumes && wp_description_depth(description) > 1);
}

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

// ---- conversion of operands ----

struct wp_operand wp_convert_scratch(const struct wp_description *d, bool coefficients,
                                     enum wp_element type, const char *purpose)
{
    struct wp_operand scratch =
        coefficients ? wp_operand_coefficients(d, NULL) : wp_operand_dense(d, NULL);
    scratch.type = type;
    scratch.data = wp_allocate_pages((size_t)scratch.stride[WP_PLANE] *
                                         (size_t)wp_description_planes(d),
                                     wp_elements[type].bytes, purpose);
    return scratch;
}

// A conversion of rows from or to floats or doubles.
struct conversion {
    bool reversible, write;
    int size[WP_DIMENSIONS];
    const struct wp_operand *pixels, *samples;
};

enum { CONVERTED_ROWS = 64 };

static void convert_row(const struct conversion *c, ptrdiff_t row)
{
    const struct wp_operand *pixels = c->pixels;
    const int width = c->size[WP_X], height = c->size[WP_Y], depth = c->size[WP_Z];
    const ptrdiff_t plane = row / height / depth, z = row / height % depth, y = row % height;
    const ptrdiff_t offset =
        y * pixels->stride[WP_Y] + z * pixels->stride[WP_Z] + plane * pixels->stride[WP_PLANE];
    void *samples = wp_operand_at(c->samples, row * width);
    const bool wide = c->samples->type == WP_ELEMENT_F64, reversible = c->reversible;
    if (wide && c->write)
        wp_operand_write_f64(&wp_element_rows_f64, pixels, offset, samples, reversible, width);
    else if (wide)
        wp_operand_read_f64(&wp_element_rows_f64, samples, pixels, offset, reversible, width);
    else if (c->write)
        wp_operand_write(&wp_element_rows, pixels, offset, samples, reversible, width);
    else
        wp_operand_read(&wp_element_rows, samples, pixels, offset, reversible, width);
}

static ptrdiff_t rows_of(const struct conversion *c)
{
    return (ptrdiff_t)c->size[WP_Y] * c->size[WP_Z] * c->size[WP_PLANE];
}

static void convert_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct conversion *c = user;
    const ptrdiff_t first = (ptrdiff_t)i * CONVERTED_ROWS, rows = rows_of(c);
    for (ptrdiff_t row = first; row < first + CONVERTED_ROWS && row < rows; row++)
        convert_row(c, row);
}

static double convert(const struct wp_description *d, bool coefficients, struct conversion *c)
{
    const double start = wp_clock_seconds();
    c->reversible = d->reversible;
    wp_operand_extents(d, coefficients, c->size);
    const ptrdiff_t parts = (rows_of(c) + CONVERTED_ROWS - 1) / CONVERTED_ROWS;
    wp_threads_share(wp_threads_count(), (int)parts, convert_rows, c);
    return wp_clock_seconds() - start;
}

double wp_convert_read(const struct wp_description *d, bool coefficients,
                       const struct wp_operand *from, const struct wp_operand *to)
{
    return convert(d, coefficients, &(struct conversion){.pixels = from, .samples = to});
}

double wp_convert_write(const struct wp_description *d, bool coefficients,
                        const struct wp_operand *from, const struct wp_operand *to)
{
    return convert(d, coefficients,
                   &(struct conversion){.pixels = to, .samples = from, .write = true});
}
