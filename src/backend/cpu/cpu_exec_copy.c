#include "cpu_exec_parts.h"

#include "memory.h"
#include "threads.h"

// A copy of rows between the caller's memory and the backend's.
struct exchange {
    struct wp_operand view;
    const struct wp_cpu_exec *exec;
    int size[WP_DIMS_MAX];
    wp_real *data;
    ptrdiff_t pitch, slice;
    bool to_caller;
};

enum { EXCHANGE_ROWS = 64 };

static void exchange_row(const struct exchange *e, wp_real *data, int y, int z)
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

static void share_rows(struct exchange *e)
{
    const int parts = (e->size[WP_Y] + EXCHANGE_ROWS - 1) / EXCHANGE_ROWS;
    wp_threads_share(e->exec->threads, parts * e->size[WP_Z], exchange_rows, e);
}

// Copies a band of a level, or for level 0 the samples.
static void exchange_band(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                          int level, enum wp_band band, bool to_caller)
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
    share_rows(&e);
}

void wp_cpu_exec_copy(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                      bool to_caller)
{
    const int levels = wp_cpu_exec_levels(exec);
    if (wp_cpu_exec_is_samples(exec, !to_caller)) {
        exchange_band(exec, operand, 0, WP_BAND_LL, to_caller);
        return;
    }
    for (int l = 1; l <= levels; l++)
        for (int b = l < levels ? WP_BAND_HL : WP_BAND_LL; b < WP_OCTET_BANDS; b++)
            if (wp_cpu_exec_has_band(&exec->description, l - 1, b))
                exchange_band(exec, operand, l, (enum wp_band)b, to_caller);
}

static void copy_band(const struct wp_cpu_exec *exec, const struct wp_operand *from, int level,
                      enum wp_band band, const struct wp_operand *copy)
{
    const struct wp_description *d = &exec->description;
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    const struct wp_operand to = wp_operand_band(d, copy, level, band, 0);
    struct exchange e = {
        .view = wp_operand_band(d, from, level, band, 0),
        .exec = exec,
        .size = {grid.size[WP_X], grid.size[WP_Y], grid.size[WP_Z]},
        .data = to.data,
        .pitch = to.stride[WP_Y],
        .slice = to.stride[WP_Z],
    };
    share_rows(&e);
}

bool wp_cpu_exec_copy_input(const struct wp_cpu_exec *exec, const struct wp_operand *from,
                            struct wp_operand *copy)
{
    const struct wp_description *d = &exec->description;
    const int levels = wp_cpu_exec_levels(exec);
    const bool samples = wp_cpu_exec_is_samples(exec, true);
    const size_t count = samples ? wp_description_samples(d) : wp_description_coefficients(d);
    *copy = (samples ? wp_operand_dense : wp_operand_coefficients)(d, NULL);
    copy->type = WP_CPU_ELEMENT;
    copy->data = wp_allocate_pages(count, sizeof(wp_real), "the copied input");
    if (!copy->data)
        return false;
    if (samples)
        copy_band(exec, from, 0, WP_BAND_LL, copy);
    for (int l = 1; l <= levels && !samples; l++)
        for (int b = l < levels ? WP_BAND_HL : WP_BAND_LL; b < WP_OCTET_BANDS; b++)
            if (wp_cpu_exec_has_band(d, l - 1, b))
                copy_band(exec, from, l, (enum wp_band)b, copy);
    return true;
}

// Binds one component to the caller's memory. False if samples of a row are not contiguous.
static bool bind(const struct wp_cpu_exec *exec, const struct wp_operand *operand, int level,
                 enum wp_band band, struct wp_cpu_quads *quads)
{
    const struct wp_operand view = wp_operand_band(&exec->description, operand, level, band, 0);
    quads->data[band] = view.data;
    quads->pitch[band] = view.stride[WP_Y];
    quads->slice[band] = view.stride[WP_Z];
    return view.stride[WP_X] == 1;
}

// Binds a component of an image whose elements are not floats.
static bool bind_typed(const struct wp_cpu_exec *exec, const struct wp_operand *operand, int level,
                       enum wp_band band, struct wp_cpu_quads *quads, struct wp_operand *typed)
{
    *typed = wp_operand_band(&exec->description, operand, level, band, 0);
    quads->typed[band] = typed;
    return true;
}

// Sweeps can convert elements.
static bool supports_typed(const struct wp_cpu_exec *exec)
{
    return exec->level[0].sweeps && wp_description_depth(&exec->description) == 1;
}

bool wp_cpu_exec_bind(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                      bool samples, struct wp_cpu_operands *operands)
{
    const int levels = wp_cpu_exec_levels(exec);
    const bool typed = operand->type != WP_CPU_ELEMENT;
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
            if (wp_cpu_exec_has_band(&exec->description, l, b))
                ok = (typed ? bind_typed(exec, operand, l + 1, (enum wp_band)b,
                                         &operands->bands[l], &operands->typed[l][b])
                            : bind(exec, operand, l + 1, (enum wp_band)b, &operands->bands[l])) &&
                     ok;
    }
    return ok;
}
