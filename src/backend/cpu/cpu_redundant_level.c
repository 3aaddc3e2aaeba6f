#include "cpu_redundant_level.h"

#include <string.h>

enum { TAPS = 2 * WP_BANK_TAPS_MOST, TASK_SAMPLES = 1 << 15 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void wp_cpu_redundant_set(struct wp_cpu_redundant *r, const struct wp_description *d)
{
    const struct wp_redundant_filter *low = &r->bank.filter[0], *high = &r->bank.filter[1];
    const bool both = high->count > 0;
    const int end = both ? larger(low->first + low->count, high->first + high->count)
                         : low->first + low->count;
    r->rows = wp_cpu_rows_get(0);
    r->taps.first = both ? smaller(low->first, high->first) : low->first;
    r->taps.count = end - r->taps.first;
    memset(r->taps.tap, 0, sizeof r->taps.tap);
    for (int f = 0; f < 1 + both; f++) {
        const struct wp_redundant_filter *filter = &r->bank.filter[f];
        for (int i = 0; i < filter->count; i++)
            r->taps.tap[f][filter->first - r->taps.first + i] = (wp_real)filter->tap[i];
    }
    for (int a = 0; a < WP_DIMS_MAX; a++)
        r->size[a] = wp_description_size(d, a, 0);
}

static bool has_axis(const struct wp_cpu_redundant *r, int axis)
{
    return r->bank.axes >> axis & 1;
}

// Bands that a filter along the axis makes or reads.
static int bands_along(const struct wp_cpu_redundant *r, int axis)
{
    const bool both = r->bank.rule == WP_LEVEL_SPLIT || r->bank.rule == WP_LEVEL_JOIN;
    return has_axis(r, axis) && both ? 2 : 1;
}

// ---- scratch memory: slices of one thread, then rows with margins, then rows of the output

static size_t row_size(const struct wp_cpu_redundant *r)
{
    return wp_cpu_round_up((size_t)r->size[WP_X]);
}

static size_t margined_size(const struct wp_cpu_redundant *r)
{
    return 3 * row_size(r);
}

// Slices that the filter along z writes.
static int slices_of(const struct wp_cpu_redundant *r)
{
    return !has_axis(r, WP_Z)                ? 0
           : r->bank.rule == WP_LEVEL_JOIN ? bands_along(r, WP_X) * bands_along(r, WP_Y)
                                             : bands_along(r, WP_Z);
}

static struct wp_cpu_array scratch_slice(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    const ptrdiff_t row = (ptrdiff_t)row_size(r), slice = row * r->size[WP_Y];
    return (struct wp_cpu_array){scratch + i * slice, row, slice};
}

// Row 0 or 1 with margins of up to its length on both sides.
static wp_real *scratch_margined(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    return scratch_slice(r, scratch, slices_of(r)).data + (size_t)i * margined_size(r) +
           row_size(r);
}

static wp_real *scratch_row(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    return scratch_slice(r, scratch, slices_of(r)).data + 2 * margined_size(r) +
           (size_t)i * row_size(r);
}

size_t wp_cpu_redundant_scratch(const struct wp_cpu_redundant *r)
{
    return row_size(r) * (size_t)r->size[WP_Y] * (size_t)slices_of(r) + 2 * margined_size(r) +
           2 * row_size(r);
}

// ---- output

void wp_cpu_redundant_weight(const struct wp_cpu_redundant *r, int y, int z, bool divide,
                             wp_real *row)
{
    const int width = r->size[WP_X];
    double weight = has_axis(r, WP_Y) ? wp_redundant_weight(y, r->size[WP_Y]) : 1;
    weight *= has_axis(r, WP_Z) ? wp_redundant_weight(z, r->size[WP_Z]) : 1;
    if (!r->bank.weighted)
        return;
    for (int x = 0; weight < 1 && x < width; x++)
        row[x] *= (wp_real)(divide ? 1 / weight : weight);
    const double end = has_axis(r, WP_X) ? wp_redundant_weight(0, width) : 1;
    row[0] *= (wp_real)(divide ? 1 / end : end);
    if (width > 1)
        row[width - 1] *= (wp_real)(divide ? 1 / end : end);
}

wp_real *wp_cpu_sink_row(const struct wp_cpu_sink *sink, int y, int z, wp_real *scratch)
{
    const struct wp_cpu_array *array = &sink->array;
    return array->data && !sink->stream ? array->data + y * array->row + z * array->slice
                                        : scratch;
}

void wp_cpu_sink_commit(const struct wp_cpu_redundant *r, const struct wp_cpu_sink *sink, int y,
                        int z, wp_real *row)
{
    const struct wp_operand *operand = sink->operand;
    const struct wp_cpu_array *array = &sink->array;
    if (array->data && sink->stream)
        r->rows->stream(array->data + y * array->row + z * array->slice, row, r->size[WP_X]);
    if (array->data)
        return;
    if (sink->weighted)
        wp_cpu_redundant_weight(r, y, z, false, row);
    wp_operand_write(r->rows->elements, operand,
                     y * operand->stride[WP_Y] + z * operand->stride[WP_Z], row, false,
                     r->size[WP_X]);
}

// ---- filters

static int position(const struct wp_cpu_redundant_level *l, int tap)
{
    return (l->redundant->taps.first + tap) * wp_redundant_dilation(l->level);
}

// Rows at the taps of a filter along y or z, of slice z.
static void rows_at(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *array,
                    int axis, int y, int z, const wp_real *row[TAPS])
{
    const struct wp_cpu_redundant *r = l->redundant;
    for (int t = 0; t < r->taps.count; t++) {
        const int from = wp_extend(r->bank.extension, (axis == WP_Y ? y : z) + position(l, t),
                                   r->size[axis]);
        row[t] = array->data + (axis == WP_Y ? from : y) * array->row +
                 (axis == WP_Y ? z : from) * array->slice;
    }
}

// The distance of a tap along x, reduced by the period of the extension to at most the width.
static int reduced(const struct wp_cpu_redundant *r, int position)
{
    const int n = r->size[WP_X];
    const int period = r->bank.extension == WP_EXTEND_WRAP ? n : larger(2 * (n - 1), 1);
    const int rest = (position % period + period) % period;
    return rest > period / 2 ? rest - period : rest;
}

// Extends a row with margins to both sides.
static void extend(const struct wp_cpu_redundant_level *l, wp_real *row)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int n = r->size[WP_X];
    int left = 0, right = 0;
    for (int t = 0; t < r->taps.count; t++) {
        const int at = reduced(r, position(l, t));
        left = larger(left, -at);
        right = larger(right, at);
    }
    for (int i = 1; i <= left; i++)
        row[-i] = row[wp_extend(r->bank.extension, -i, n)];
    for (int i = 0; i < right; i++)
        row[n + i] = row[wp_extend(r->bank.extension, n + i, n)];
}

static void taps_along_x(const struct wp_cpu_redundant_level *l, const wp_real *row,
                         const wp_real *at[TAPS])
{
    const struct wp_cpu_redundant *r = l->redundant;
    for (int t = 0; t < r->taps.count; t++)
        at[t] = row + reduced(r, position(l, t));
}

// Filters rows to those of both bands, or of the low band if `high` is NULL.
static void filter(const struct wp_cpu_redundant *r, const wp_real *const *in, wp_real *low,
                   wp_real *high)
{
    const struct wp_cpu_taps *taps = &r->taps;
    if (high)
        r->rows->sums(low, high, in, taps->tap[0], taps->tap[1], taps->count, r->size[WP_X]);
    else
        r->rows->sum(low, in, taps->tap[0], taps->count, r->size[WP_X]);
}

// Sums rows of the low band and, from in[taps.count] on, rows of the high band; `bands`: 1 or 2.
static void join_rows(const struct wp_cpu_redundant *r, const wp_real **in, int bands, wp_real *out)
{
    wp_real c[2 * TAPS];
    const int count = r->taps.count;
    for (int b = 0; b < bands; b++)
        memcpy(c + b * count, r->taps.tap[b], (size_t)count * sizeof *c);
    r->rows->sum(out, in, c, bands * count, r->size[WP_X]);
}

// ---- a row of the level

static void put_row(const struct wp_cpu_redundant_level *l, unsigned band, int y, int z,
                    wp_real *row)
{
    const struct wp_cpu_redundant *r = l->redundant;
    wp_cpu_sink_commit(r, &l->to[band], y, z, row);
}

static void finish_starlet(const struct wp_cpu_redundant_level *l, int y, int z, wp_real *smooth,
                           wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    static const wp_real difference[2] = {1, -1}, sum[2] = {1, 1};
    const bool merge = r->bank.rule == WP_LEVEL_MERGE;
    const struct wp_cpu_array *array = &l->from[merge ? r->bank.axes : 0];
    const wp_real *in[2] = {array->data + y * array->row + z * array->slice, smooth};
    wp_real *out = merge ? smooth
                         : wp_cpu_sink_row(&l->to[r->bank.axes], y, z, scratch_row(r, scratch, 1));
    r->rows->sum(out, in, merge ? sum : difference, 2, r->size[WP_X]);
    if (!merge)
        put_row(l, r->bank.axes, y, z, out);
}

// Filters along x; `row` has margins if it is filtered.
static void split_row(const struct wp_cpu_redundant_level *l, unsigned band, int y, int z,
                      wp_real *row, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int bands = bands_along(r, WP_X);
    const wp_real *in[TAPS];
    wp_real *out[2] = {NULL};
    for (int b = 0; b < bands; b++)
        out[b] = wp_cpu_sink_row(&l->to[band + (unsigned)b], y, z, scratch_row(r, scratch, b));
    if (has_axis(r, WP_X)) {
        extend(l, row);
        taps_along_x(l, row, in);
        filter(r, in, out[0], out[1]);
    } else {
        memcpy(out[0], row, (size_t)r->size[WP_X] * sizeof *row);
    }
    if (r->bank.rule != WP_LEVEL_SPLIT)
        finish_starlet(l, y, z, out[0], scratch);
    for (int b = 0; b < bands; b++)
        put_row(l, band + (unsigned)b, y, z, out[b]);
}

// Row y of the slice `from` (z of the level), which the filter along z has made for band bit z.
static void split_columns(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *from,
                          unsigned band, int y, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int bands = bands_along(r, WP_Y);
    wp_real *row[2] = {scratch_margined(r, scratch, 0),
                       bands > 1 ? scratch_margined(r, scratch, 1) : NULL};
    if (has_axis(r, WP_Y)) {
        const wp_real *in[TAPS];
        rows_at(l, from, WP_Y, y, 0, in);
        filter(r, in, row[0], row[1]);
    } else {
        memcpy(row[0], from->data + y * from->row, (size_t)r->size[WP_X] * sizeof *row[0]);
    }
    for (int b = 0; b < bands; b++)
        split_row(l, band | (unsigned)b << WP_Y, y, z, row[b], scratch);
}

// Row y from the slices of bands: slice[by * bands along x + bx].
static void join_columns(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *slice,
                         int y, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int along_x = bands_along(r, WP_X), along_y = bands_along(r, WP_Y);
    const wp_real *down[2 * TAPS], *across[2 * TAPS];
    wp_real *out = wp_cpu_sink_row(&l->to[0], y, z, scratch_row(r, scratch, 0));
    for (int x = 0; x < along_x; x++) {
        wp_real *row = scratch_margined(r, scratch, x);
        for (int b = 0; b < along_y && has_axis(r, WP_Y); b++)
            rows_at(l, &slice[b * along_x + x], WP_Y, y, 0, down + b * r->taps.count);
        if (has_axis(r, WP_Y))
            join_rows(r, down, along_y, row);
        else
            memcpy(row, slice[x].data + y * slice[x].row, (size_t)r->size[WP_X] * sizeof *row);
        if (!has_axis(r, WP_X))
            continue;
        extend(l, row);
        taps_along_x(l, row, across + x * r->taps.count);
    }
    if (has_axis(r, WP_X))
        join_rows(r, across, along_x, out);
    else
        memcpy(out, scratch_margined(r, scratch, 0), (size_t)r->size[WP_X] * sizeof *out);
    put_row(l, 0, y, z, out);
}

// ---- tasks: slices if z is filtered, else parts of all rows

static int rows_of_task(const struct wp_cpu_redundant *r)
{
    return larger(1, TASK_SAMPLES / r->size[WP_X]);
}

int wp_cpu_redundant_tasks(const struct wp_cpu_redundant *r)
{
    const int rows = rows_of_task(r);
    return has_axis(r, WP_Z) ? r->size[WP_Z] : (r->size[WP_Y] + rows - 1) / rows;
}

static void split_slice(const struct wp_cpu_redundant_level *l, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int bands = bands_along(r, WP_Z);
    struct wp_cpu_array slice[2];
    for (int b = 0; b < bands; b++)
        slice[b] = scratch_slice(r, scratch, b);
    for (int y = 0; y < r->size[WP_Y]; y++) {
        const wp_real *in[TAPS];
        rows_at(l, &l->from[0], WP_Z, y, z, in);
        filter(r, in, slice[0].data + y * slice[0].row,
               bands > 1 ? slice[1].data + y * slice[1].row : NULL);
    }
    for (int b = 0; b < bands; b++)
        for (int y = 0; y < r->size[WP_Y]; y++)
            split_columns(l, &slice[b], (unsigned)b << WP_Z, y, z, scratch);
}

static void join_slice(const struct wp_cpu_redundant_level *l, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int along_x = bands_along(r, WP_X), along_y = bands_along(r, WP_Y);
    struct wp_cpu_array slice[4];
    const wp_real *in[2 * TAPS];
    for (int i = 0; i < along_x * along_y; i++) {
        const int band = i % along_x | i / along_x << WP_Y;
        slice[i] = scratch_slice(r, scratch, i);
        for (int y = 0; y < r->size[WP_Y]; y++) {
            rows_at(l, &l->from[band], WP_Z, y, z, in);
            rows_at(l, &l->from[band | 1 << WP_Z], WP_Z, y, z, in + r->taps.count);
            join_rows(r, in, 2, slice[i].data + y * slice[i].row);
        }
    }
    for (int y = 0; y < r->size[WP_Y]; y++)
        join_columns(l, slice, y, z, scratch);
}

// The bands of a level without a filter along z, in the order of join_columns().
static void join_row(const struct wp_cpu_redundant_level *l, int y, wp_real *scratch)
{
    const int along_x = bands_along(l->redundant, WP_X);
    struct wp_cpu_array slice[4];
    for (int i = 0; i < 4; i++)
        slice[i] = l->from[along_x == 2 ? i : i << WP_Y & (WP_OCTET_BANDS - 1)];
    join_columns(l, slice, y, 0, scratch);
}

// A part of the rows.
static void run_rows(const struct wp_cpu_redundant_level *l, int task, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const bool join = r->bank.rule == WP_LEVEL_JOIN;
    const int height = r->size[WP_Y], rows = rows_of_task(r);
    const int step = smaller(wp_redundant_dilation(l->level), height);
    const int first = task * rows, end = smaller(first + rows, height);
    // Row number i in the order of the header.
    int y = 0, begin = 0, i = 0;
    for (; i + (height - begin + step - 1) / step <= first; begin++)
        i += (height - begin + step - 1) / step;
    y = begin + (first - i) * step;
    for (i = first; i < end; i++) {
        if (join)
            join_row(l, y, scratch);
        else
            split_columns(l, &l->from[0], 0, y, 0, scratch);
        y += step;
        if (y >= height)
            y = ++begin;
    }
}

void wp_cpu_redundant_task(const struct wp_cpu_redundant_level *l, int task, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    if (has_axis(r, WP_Z))
        (r->bank.rule == WP_LEVEL_JOIN ? join_slice : split_slice)(l, task, scratch);
    else
        run_rows(l, task, scratch);
    r->rows->finish_stream();
}
