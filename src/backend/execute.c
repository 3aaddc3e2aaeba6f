#include "execute.h"

#include "clock.h"
#include "elements.h"
#include "memory.h"
#include "threads.h"

bool wp_backend_is_schemeless(const struct wp_backend *backend,
                              const struct wp_description *description)
{
    return backend->schemeless ||
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

struct wp_operand wp_convert_scratch(const struct wp_description *d, enum wp_element type,
                                     const char *purpose)
{
    struct wp_operand scratch = wp_operand_dense(d, NULL);
    scratch.type = type;
    scratch.data = wp_allocate_pages(
        wp_description_samples(d) * (size_t)wp_description_planes(d), wp_elements[type].bytes,
        purpose);
    return scratch;
}

// A conversion of the rows of an array, or of a band, from or to floats or doubles.
struct conversion {
    struct wp_operand pixels, samples;
    int width, height, depth;
    ptrdiff_t rows; // of all planes
    bool write, reversible;
};

enum { CONVERTED_ROWS = 64 };

static void convert_row(const struct conversion *c, ptrdiff_t row)
{
    const ptrdiff_t plane = row / c->height / c->depth, z = row / c->height % c->depth,
                    y = row % c->height;
    ptrdiff_t at[2]; // of the pixels, of the samples
    for (int i = 0; i < 2; i++) {
        const ptrdiff_t *stride = i ? c->samples.stride : c->pixels.stride;
        at[i] = y * stride[WP_Y] + z * stride[WP_Z] + plane * stride[WP_PLANE];
    }
    void *samples = wp_operand_at(&c->samples, at[1]);
    const bool wide = c->samples.type == WP_ELEMENT_F64;
    if (wide && c->write)
        wp_operand_write_f64(&wp_element_rows_f64, &c->pixels, at[0], samples, c->reversible,
                             c->width);
    else if (wide)
        wp_operand_read_f64(&wp_element_rows_f64, samples, &c->pixels, at[0], c->reversible,
                            c->width);
    else if (c->write)
        wp_operand_write(&wp_element_rows, &c->pixels, at[0], samples, c->reversible, c->width);
    else
        wp_operand_read(&wp_element_rows, samples, &c->pixels, at[0], c->reversible, c->width);
}

static void convert_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct conversion *c = user;
    const ptrdiff_t first = (ptrdiff_t)i * CONVERTED_ROWS;
    for (ptrdiff_t row = first; row < first + CONVERTED_ROWS && row < c->rows; row++)
        convert_row(c, row);
}

// Converts between an operand of the caller and an array without gaps: band by band if the operand
// has one array per subband. Samples of a row of the array are contiguous also in bands, since those
// have the layout "mallat".
static double convert(const struct wp_description *d, const struct wp_operand *pixels,
                      const struct wp_operand *samples, bool write)
{
    const double start = wp_clock_seconds();
    for (int i = 0; i < (pixels->band ? wp_subband_count(d) : 1); i++) {
        struct conversion c = {
            .pixels = *pixels,
            .samples = *samples,
            .width = d->size[WP_X],
            .height = d->size[WP_Y],
            .depth = wp_description_depth(d),
            .write = write,
            .reversible = d->reversible,
        };
        if (pixels->band) {
            enum wp_band band;
            const int level = wp_subband_at(d, i, &band);
            const struct wp_band_grid grid = wp_description_band(d, level, band);
            c.pixels = wp_operand_band(d, pixels, level, band, 0);
            c.samples = wp_operand_band(d, samples, level, band, 0);
            c.width = grid.size[WP_X];
            c.height = grid.size[WP_Y];
            c.depth = grid.size[WP_Z];
        }
        c.rows = (ptrdiff_t)c.height * c.depth * wp_description_planes(d);
        const ptrdiff_t parts = (c.rows + CONVERTED_ROWS - 1) / CONVERTED_ROWS;
        if (c.width > 0)
            wp_threads_share(wp_threads_count(), (int)parts, convert_rows, &c);
    }
    return wp_clock_seconds() - start;
}

double wp_convert_read(const struct wp_description *d, const struct wp_operand *from,
                       const struct wp_operand *to)
{
    return convert(d, from, to, false);
}

double wp_convert_write(const struct wp_description *d, const struct wp_operand *from,
                        const struct wp_operand *to)
{
    return convert(d, to, from, true);
}
