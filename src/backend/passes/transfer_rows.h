// wp_transfer_load() and wp_transfer_store() for operands and quads of type `real`. The including
// file defines REAL, and TRANSFER(name), the name of both functions.
#include "schedule_internal.h"

#include <string.h>

typedef REAL real;

// The source of a sample of a quad along one axis: its parity and its index in the band of that
// parity; index -1 for zero.
struct origin {
    int parity, index;
};

static struct origin find_origin(enum wp_extension extension, int sample, int size)
{
    const int found = wp_extend(extension, sample, size);
    return found < 0 ? (struct origin){0, -1} : (struct origin){found & 1, found >> 1};
}

// The samples of one component, for volumes of one slice, in the caller's memory. `data` is NULL
// if the transfer has none.
struct samples {
    real *data;
    ptrdiff_t step[2];
    int size[2];
};

// The source of the transfer's current slice.
static struct origin find_slice(const struct wp_transfer *transfer)
{
    const int slice = wp_transfer_slice(transfer);
    return slice < 0 ? (struct origin){0, -1} : (struct origin){slice & 1, slice >> 1};
}

static int count_of(const struct wp_transfer_band *band, const struct wp_band_grid *grid, int axis)
{
    return (grid->size[axis] - band->first[axis] + band->every[axis] - 1) / band->every[axis];
}

static struct samples find_samples(const struct wp_description *d,
                                   const struct wp_transfer *transfer,
                                   const struct wp_operand *operand, int plane, int quad_component,
                                   struct origin slice)
{
    const int component = quad_component + WP_BAND_COUNT * slice.parity;
    const struct wp_transfer_band *band = &transfer->band[component];
    struct samples samples = {0};
    if (!transfer->used[component] || slice.index < 0)
        return samples;
    const struct wp_band_grid grid = wp_description_band(d, band->level, band->band);
    if (slice.index >= count_of(band, &grid, WP_Z))
        return samples;
    const struct wp_operand view = wp_operand_band(d, operand, band->level, band->band, plane);
    if (!view.data)
        return samples; // a band without samples
    samples.data = view.data;
    samples.data += (band->first[WP_Z] + slice.index * band->every[WP_Z]) * view.stride[WP_Z];
    for (int a = WP_X; a <= WP_Y; a++) {
        samples.data += band->first[a] * view.stride[a];
        samples.step[a] = band->every[a] * view.stride[a];
        samples.size[a] = count_of(band, &grid, a);
    }
    return samples;
}

static real *row_of(const struct samples *samples, int y)
{
    return samples->data + y * samples->step[WP_Y];
}

static real fetch(const struct samples from[WP_BAND_COUNT], struct origin x, struct origin y)
{
    const struct samples *samples = &from[x.parity + 2 * y.parity];
    if (x.index < 0 || y.index < 0 || !samples->data)
        return 0;
    return row_of(samples, y.index)[x.index * samples->step[WP_X]];
}

// Quad by quad: component by component takes 1.6 times as long.
static void interleave(const real *const in[WP_BAND_COUNT], const ptrdiff_t step[WP_BAND_COUNT],
                       int count, real *quads)
{
    for (int i = 0; i < count; i++) {
        const real quad[WP_BAND_COUNT] = {in[0][i * step[0]], in[1][i * step[1]],
                                          in[2][i * step[2]], in[3][i * step[3]]};
        memcpy(quads + 4 * i, quad, sizeof quad);
    }
}

// Loads `count` quads of a row that are completely inside the samples, from quad `first` on.
static void load_inside(const struct samples from[WP_BAND_COUNT], const struct origin y[2],
                        int first, int count, real *quads)
{
    static const real zero = 0;
    const real *in[WP_BAND_COUNT];
    ptrdiff_t step[WP_BAND_COUNT];
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct origin row = y[c >> 1];
        const struct samples *samples = &from[(c & 1) + 2 * row.parity];
        const bool some = samples->data && row.index >= 0;
        in[c] = some ? row_of(samples, row.index) + first * samples->step[WP_X] : &zero;
        step[c] = some ? samples->step[WP_X] : 0;
    }
    interleave(in, step, count, quads);
}

// Loads the bands of a row of samples.
static void load_aligned(const struct samples from[WP_BAND_COUNT], int y, int count, real *texels)
{
    static const real zero = 0;
    const real *in[WP_BAND_COUNT];
    ptrdiff_t step[WP_BAND_COUNT];
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        in[c] = from[c].data ? row_of(&from[c], y) : &zero;
        step[c] = from[c].data ? from[c].step[WP_X] : 0;
    }
    interleave(in, step, count, texels);
}

static void load_samples(const struct wp_transfer *transfer, const struct samples *from,
                         int first_row, int rows, real *samples)
{
    for (int row = 0; row < rows; row++) {
        const real *in = row_of(from, first_row + row);
        real *out = samples + (size_t)row * (size_t)transfer->domain.width;
        for (int x = 0; x < from->size[WP_X]; x++)
            out[x] = in[x * from->step[WP_X]];
        for (int x = from->size[WP_X]; x < transfer->domain.width; x++)
            out[x] = 0;
    }
}

void TRANSFER(load)(const struct wp_description *d, const struct wp_transfer *transfer,
                    const struct wp_operand *operand, int plane, int first_row, int rows,
                    real *quads)
{
    const struct origin slice = find_slice(transfer);
    struct samples from[WP_BAND_COUNT];
    for (int c = 0; c < WP_BAND_COUNT; c++)
        from[c] = find_samples(d, transfer, operand, plane, c, slice);
    if (transfer->planes) {
        load_samples(transfer, &from[0], first_row, rows, quads);
        return;
    }
    for (int row = 0; row < rows && transfer->aligned; row++)
        load_aligned(from, first_row + row, transfer->width,
                     quads + (size_t)row * (size_t)transfer->width * 4);
    if (transfer->aligned)
        return;
    // Quads first..end-1 of a row are completely inside the samples.
    const struct wp_rect *domain = &transfer->domain;
    const int first = domain->x < 0 ? 0 : domain->x;
    const int full_quads = transfer->width / 2, right = domain->x + domain->width;
    const int end = right < full_quads ? right : full_quads;
    for (int row = 0; row < rows; row++) {
        const int sample_y = 2 * (domain->y + first_row + row);
        const struct origin y[2] = {find_origin(transfer->extension, sample_y, transfer->height),
                                    find_origin(transfer->extension, sample_y + 1,
                                                transfer->height)};
        real *out = quads + (size_t)row * (size_t)domain->width * 4;
        for (int x = domain->x; x < right; x++) {
            if (x == first && first < end) {
                load_inside(from, y, first, end - first, out + 4 * (first - domain->x));
                x = end - 1;
                continue;
            }
            for (int c = 0; c < WP_BAND_COUNT; c++)
                out[4 * (x - domain->x) + c] =
                    fetch(from,
                          find_origin(transfer->extension, 2 * x + (c & 1), transfer->width),
                          y[c >> 1]);
        }
    }
}

// Inline, so that `stride` is constant: otherwise it takes 1.5 times as long.
static inline void store_row(real *out, ptrdiff_t step, const real *in, int stride, int count)
{
    for (int x = 0; x < count; x++)
        out[x * step] = in[stride * x];
}

void TRANSFER(store)(const struct wp_description *d, const struct wp_transfer *transfer,
                     const real *quads, int first_row, int rows,
                     const struct wp_operand *operand, int plane)
{
    // Components of quads are interleaved; a transfer of planes has one component.
    const int components = transfer->planes ? 1 : WP_BAND_COUNT;
    const struct origin slice = find_slice(transfer);
    struct samples to[WP_BAND_COUNT];
    for (int c = 0; c < components; c++)
        to[c] = find_samples(d, transfer, operand, plane, c, slice);
    for (int row = 0; row < rows; row++) {
        const int y = transfer->domain.y + first_row + row;
        const real *in = quads + (size_t)row * (size_t)(transfer->domain.width * components);
        for (int c = 0; c < components; c++) {
            if (!to[c].data || y >= to[c].size[WP_Y])
                continue;
            real *out = row_of(&to[c], y);
            const real *first = in + components * -transfer->domain.x + c;
            if (components == WP_BAND_COUNT)
                store_row(out, to[c].step[WP_X], first, WP_BAND_COUNT, to[c].size[WP_X]);
            else
                store_row(out, to[c].step[WP_X], first, 1, to[c].size[WP_X]);
        }
    }
}
