#include "cpu_redundant_level.h"

#include "min_max.h"

#include <stdint.h>
#include <string.h>

enum { TAPS = 2 * WP_BANK_TAPS_MOST, TASK_SAMPLES = 1 << 15 };

void wp_cpu_redundant_set(struct wp_cpu_redundant *r, const struct wp_description *d)
{
    const struct wp_redundant_filter *low = &r->bank.filter[0], *high = &r->bank.filter[1];
    const bool both = high->count > 0;
    const int end = both ? wp_max(low->first + low->count, high->first + high->count)
                         : low->first + low->count;
    r->rows = wp_cpu_rows_get(0);
    r->taps.first = both ? wp_min(low->first, high->first) : low->first;
    r->taps.count = end - r->taps.first;
    memset(r->taps.tap, 0, sizeof r->taps.tap);
    for (int f = 0; f < 1 + both; f++) {
        const struct wp_redundant_filter *filter = &r->bank.filter[f];
        r->taps.begin[f] = filter->first - r->taps.first;
        r->taps.end[f] = r->taps.begin[f] + filter->count;
        for (int i = 0; i < filter->count; i++)
            r->taps.tap[f][r->taps.begin[f] + i] = (wp_real)filter->tap[i];
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

// Rows with margins: of two bands, of JOIN also of the next row.
enum { MARGINED = 4 };

static size_t row_size(const struct wp_cpu_redundant *r)
{
    return wp_cpu_round_up((size_t)r->size[WP_X]);
}

// A few lines more than three rows, so that rows of 2^k samples do not share the sets of a cache.
static size_t margined_size(const struct wp_cpu_redundant *r)
{
    return 3 * row_size(r) + 5 * WP_CPU_LINE;
}

// Bands along x and y.
static int bands_of_slices(const struct wp_cpu_redundant *r)
{
    return bands_along(r, WP_X) * bands_along(r, WP_Y);
}

// Slices that the filter along z writes.
static int slices_of(const struct wp_cpu_redundant *r)
{
    return !has_axis(r, WP_Z)                ? 0
           : r->bank.rule == WP_LEVEL_JOIN ? bands_of_slices(r)
                                             : bands_along(r, WP_Z);
}

static struct wp_cpu_array scratch_slice(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    const ptrdiff_t row = (ptrdiff_t)row_size(r), slice = row * r->size[WP_Y];
    return (struct wp_cpu_array){scratch + i * slice, row, slice};
}

// Row i of MARGINED with margins of up to its length on both sides.
static wp_real *scratch_margined(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    return scratch_slice(r, scratch, slices_of(r)).data + (size_t)i * margined_size(r) +
           row_size(r);
}

static wp_real *scratch_row(const struct wp_cpu_redundant *r, wp_real *scratch, int i)
{
    return scratch_slice(r, scratch, slices_of(r)).data + MARGINED * margined_size(r) +
           (size_t)i * row_size(r);
}

size_t wp_cpu_redundant_scratch(const struct wp_cpu_redundant *r)
{
    return row_size(r) * (size_t)r->size[WP_Y] * (size_t)slices_of(r) +
           MARGINED * margined_size(r) +
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
    return array->data ? array->data + y * array->row + z * array->slice : scratch;
}

void wp_cpu_sink_commit(const struct wp_cpu_redundant *r, const struct wp_cpu_sink *sink, int y,
                        int z, wp_real *row)
{
    const struct wp_operand *operand = sink->operand;
    if (sink->array.data)
        return;
    if (sink->weighted)
        wp_cpu_redundant_weight(r, y, z, false, row);
    wp_operand_write(r->rows->elements, operand,
                     y * operand->stride[WP_Y] + z * operand->stride[WP_Z], row, false,
                     r->size[WP_X]);
}

// ---- filters

static int position(const struct wp_cpu_redundant *r, int level, int tap)
{
    return (r->taps.first + tap) * wp_redundant_dilation(&r->bank, level);
}

// Rows at taps begin..end-1 of a filter along y or z, of slice z.
static void rows_at(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *array,
                    int axis, int y, int z, int begin, int end, const wp_real **row)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const bool along_y = axis == WP_Y;
    const int n = r->size[axis], here = along_y ? y : z;
    const ptrdiff_t step = along_y ? array->row : array->slice;
    const wp_real *data = array->data + (along_y ? z * array->slice : y * array->row);
    for (int t = begin; t < end; t++) {
        const int at = here + position(r, l->level, t);
        *row++ = data + (at >= 0 && at < n ? at : wp_extend(r->bank.extension, at, n)) * step;
    }
}

// The distance of a tap along x, reduced by the period of the extension to at most the width.
static int reduced(const struct wp_cpu_redundant *r, int position)
{
    const int n = r->size[WP_X];
    const int period = r->bank.extension == WP_EXTEND_WRAP ? n : wp_max(2 * (n - 1), 1);
    const int rest = (position % period + period) % period;
    return rest > period / 2 ? rest - period : rest;
}

void wp_cpu_redundant_reach(const struct wp_cpu_redundant *r, int level,
                            struct wp_cpu_reach *reach)
{
    reach->step = wp_min(wp_redundant_dilation(&r->bank, level), r->size[WP_Y]);
    reach->left = reach->right = 0;
    for (int t = 0; t < r->taps.count && has_axis(r, WP_X); t++) {
        const int at = reach->tap[t] = reduced(r, position(r, level, t));
        reach->left = wp_max(reach->left, -at);
        reach->right = wp_max(reach->right, at);
    }
}

// Extends a row with margins to both sides, by less than the period of the extension.
static void extend(const struct wp_cpu_redundant_level *l, wp_real *row)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int n = r->size[WP_X], left = l->reach->left, right = l->reach->right;
    if (r->bank.extension == WP_EXTEND_WRAP) {
        memcpy(row - left, row + n - left, (size_t)left * sizeof *row);
        memcpy(row + n, row, (size_t)right * sizeof *row);
        return;
    }
    for (int i = 1; i <= left; i++)
        row[-i] = row[i];
    for (int i = 1; i <= right; i++)
        row[n - 1 + i] = row[n - 1 - i];
}

// The row at taps begin..end-1.
static void taps_along_x(const struct wp_cpu_redundant_level *l, const wp_real *row, int begin,
                         int end, const wp_real **at)
{
    for (int t = begin; t < end; t++)
        *at++ = row + l->reach->tap[t];
}

// Filters rows to those of both bands, or of the low band if `high` is NULL.
static void filter(const struct wp_cpu_redundant *r, const wp_real *const *in, wp_real *low,
                   wp_real *high, unsigned stream)
{
    const struct wp_cpu_taps *taps = &r->taps;
    if (high)
        r->rows->sums(low, high, in, taps->tap[0], taps->tap[1], taps->count, r->size[WP_X],
                      stream);
    else
        r->rows->sum(low, in, taps->tap[0], taps->count, r->size[WP_X], stream != 0);
}

// ---- joins of bands

// Rows of JOIN that are summed to one or two rows: at the taps of the low filter and, if there are
// two bands, at those of the high one; if there are two results, also at one tap more of each.
struct terms {
    const wp_real *row[2 * TAPS + 2], *tap[2];
    int count[2];
};

static void set_taps(const struct wp_cpu_redundant *r, struct terms *terms)
{
    for (int f = 0; f < 2; f++) {
        terms->tap[f] = r->taps.tap[f] + r->taps.begin[f];
        terms->count[f] = r->taps.end[f] - r->taps.begin[f];
    }
}

// The bands `low` and `high` along y or z: rows y, z, and with `results` == 2 also the next rows
// in the order of visits.
static void join_from(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *low,
                      const struct wp_cpu_array *high, int axis, int y, int z, int results,
                      wp_real *const *out)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int *begin = r->taps.begin, *end = r->taps.end;
    struct terms terms;
    set_taps(r, &terms);
    const int second = terms.count[0] + results - 1;
    rows_at(l, low, axis, y, z, begin[0], end[0] + results - 1, terms.row);
    rows_at(l, high, axis, y, z, begin[1], end[1] + results - 1, terms.row + second);
    r->rows->join(out, results, terms.row, terms.tap, terms.count, r->size[WP_X], false);
}

// Rows of both bands along x, which have margins.
static void join_along_x(const struct wp_cpu_redundant_level *l, wp_real *low, wp_real *high,
                         wp_real *out, bool stream)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int *begin = r->taps.begin, *end = r->taps.end;
    struct terms terms;
    set_taps(r, &terms);
    extend(l, low);
    extend(l, high);
    taps_along_x(l, low, begin[0], end[0], terms.row);
    taps_along_x(l, high, begin[1], end[1], terms.row + terms.count[0]);
    r->rows->join(&out, 1, terms.row, terms.tap, terms.count, r->size[WP_X], stream);
}

// ---- a row of the level

// Is the sink an array that is written past the caches?
static bool streams(const struct wp_cpu_sink *sink)
{
    return sink->stream && sink->array.data;
}

// The bits of `stream` of wp_cpu_rows.
static unsigned streams_both(const struct wp_cpu_sink *low, const struct wp_cpu_sink *high)
{
    return (unsigned)streams(low) | (unsigned)streams(high) << 1;
}

static void put_row(const struct wp_cpu_redundant_level *l, unsigned band, int y, int z,
                    wp_real *row)
{
    const struct wp_cpu_redundant *r = l->redundant;
    wp_cpu_sink_commit(r, &l->to[band], y, z, row);
}

static const wp_real *row_at(const struct wp_cpu_array *array, int y, int z)
{
    return array->data + y * array->row + z * array->slice;
}

// The row of the smoothed input and, of WP_LEVEL_DIFFERENCE, that of the band from the rows at the
// taps.
static void finish_starlet(const struct wp_cpu_redundant_level *l, int y, int z,
                           const wp_real *const *in, int taps, const wp_real *c, wp_real *low,
                           wp_real *band)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const unsigned axes = r->bank.axes;
    static const wp_real sum[2] = {1, 1};
    if (r->bank.rule == WP_LEVEL_MERGE) {
        r->rows->sum(low, in, c, taps, r->size[WP_X], false);
        const wp_real *const terms[2] = {row_at(&l->from[axes], y, z), low};
        r->rows->sum(low, terms, sum, 2, r->size[WP_X], false);
    } else {
        r->rows->smooth(low, band, row_at(&l->from[0], y, z), in, c, taps, r->size[WP_X],
                        streams_both(&l->to[0], &l->to[axes]));
    }
}

// Filters along x a row that has margins.
static void split_row(const struct wp_cpu_redundant_level *l, unsigned band, int y, int z,
                      wp_real *row, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const bool along_x = has_axis(r, WP_X), starlet = r->bank.rule != WP_LEVEL_SPLIT;
    const unsigned other = starlet ? r->bank.axes : band | (unsigned)along_x;
    const int rows = bands_along(r, WP_X) + (r->bank.rule == WP_LEVEL_DIFFERENCE);
    static const wp_real one[1] = {1};
    const wp_real *in[TAPS];
    wp_real *out[2] = {NULL};
    for (int i = 0; i < rows; i++)
        out[i] = wp_cpu_sink_row(&l->to[i ? other : band], y, z, scratch_row(r, scratch, i));
    in[0] = row;
    if (along_x)
        taps_along_x(l, row, 0, r->taps.count, in);
    const int taps = along_x ? r->taps.count : 1;
    const wp_real *c = along_x ? r->taps.tap[0] : one;
    if (starlet)
        finish_starlet(l, y, z, in, taps, c, out[0], out[1]);
    else if (along_x)
        filter(r, in, out[0], out[1], streams_both(&l->to[band], &l->to[other]));
    else
        memcpy(out[0], row, (size_t)r->size[WP_X] * sizeof *row);
    for (int i = 0; i < rows; i++)
        put_row(l, i ? other : band, y, z, out[i]);
}

static void copy_row(const struct wp_cpu_redundant *r, wp_real *to, const wp_real *from)
{
    memcpy(to, from, (size_t)r->size[WP_X] * sizeof *to);
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
        rows_at(l, from, WP_Y, y, 0, 0, r->taps.count, in);
        filter(r, in, row[0], row[1], 0);
    } else {
        copy_row(r, row[0], row_at(from, y, 0));
    }
    for (int b = 0; b < bands; b++) {
        if (has_axis(r, WP_X))
            extend(l, row[b]);
        split_row(l, band | (unsigned)b << WP_Y, y, z, row[b], scratch);
    }
}

// Row y and, if there are two, the next one in the order of visits from the rows of the bands along x.
static void join_rows(const struct wp_cpu_redundant_level *l, wp_real *row[2][2], int y,
                      int rows, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    for (int i = 0; i < rows; i++) {
        const int at = y + i * l->reach->step;
        wp_real *out = wp_cpu_sink_row(&l->to[0], at, z, scratch_row(r, scratch, 0));
        if (has_axis(r, WP_X))
            join_along_x(l, row[0][i], row[1][i], out, streams(&l->to[0]));
        else
            copy_row(r, out, row[0][i]);
        put_row(l, 0, at, z, out);
    }
}

// Row y and, if there are two, the next one in the order of visits from the slices of bands:
// slice[by * bands along x + bx].
static void join_columns(const struct wp_cpu_redundant_level *l, const struct wp_cpu_array *slice,
                         int y, int rows, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int along_x = bands_along(r, WP_X);
    wp_real *row[2][2]; // of each band, of each of `rows`
    for (int x = 0; x < along_x; x++) {
        for (int i = 0; i < rows; i++)
            row[x][i] = scratch_margined(r, scratch, 2 * x + i);
        if (has_axis(r, WP_Y))
            join_from(l, &slice[x], &slice[along_x + x], WP_Y, y, 0, rows, row[x]);
        else
            for (int i = 0; i < rows; i++)
                copy_row(r, row[x][i], row_at(&slice[x], y + i * l->reach->step, 0));
    }
    join_rows(l, row, y, rows, z, scratch);
}

// ---- inverses of volumes: strips of rows, down all slices
//
// Rows of a strip stay in a cache while the filter along z passes, so that each is read from memory
// once. It also filters the rows around the strip that the filter along y reads.

enum {
    STRIP_BYTES = 1 << 21, // of rows that a strip reads and writes: in a second-level cache
    STRIP_SLICES = 64      // at least, so that few are read again
};

// Strips of rows that are filtered in all slices before the next strip. A strip has rows of one
// phase: their distance is reach.step. If `count` is 0, slices are filtered one after the other.
struct strips {
    int count;  // strips per phase
    int rows;   // that a strip writes
    int around; // further rows that it reads
    int parts;  // groups of slices, which are tasks of their own
};

static struct strips strips_of(const struct wp_cpu_redundant_level *l)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int *begin = r->taps.begin, *end = r->taps.end, height = r->size[WP_Y];
    const int all = (height + l->reach->step - 1) / l->reach->step;
    const int around = has_axis(r, WP_Y) ? r->taps.count - 1 : 0;
    // Of each band, rows of two results and those at their taps.
    const int lines = bands_of_slices(r) * (end[0] - begin[0] + end[1] - begin[1] + 4);
    const size_t most = STRIP_BYTES / (row_size(r) * sizeof(wp_real)) / (size_t)lines;
    if (r->bank.rule != WP_LEVEL_JOIN || !has_axis(r, WP_Z) || most >= (size_t)height)
        return (struct strips){0};
    const int rows = wp_min((int)most, height / 2) - around; // within the scratch slices
    if (rows < wp_max(around / 4, 1) || all < 2 * around)
        return (struct strips){0};
    const int count = (all + rows - 1) / rows;
    return (struct strips){count, (all + count - 1) / count, around,
                           wp_max(r->size[WP_Z] / STRIP_SLICES, 1)};
}

// Visit i of n positions in the order 0, step, 2 step, ..., 1, 1 + step, ...
static int visit(int i, int n, int step)
{
    const int most = (n + step - 1) / step, longer = most * ((n - 1) % step + 1);
    return i < longer ? i / most + i % most * step
                      : (n - 1) % step + 1 + (i - longer) / (most - 1) +
                            (i - longer) % (most - 1) * step;
}

// Row k of band b (by + bands along x) of result i of the filter along z, from the first one around
// the strip on.
static wp_real *strip_row(const struct wp_cpu_redundant *r, const struct strips *s, wp_real *scratch,
                          int i, int b, int k)
{
    return scratch_slice(r, scratch, 0).data +
           (size_t)((i * bands_of_slices(r) + b) * (s->rows + s->around) + k) * row_size(r);
}

// Rows of a strip from row k on, one or two, from result i; the first one is y of the level.
static void join_strip_rows(const struct wp_cpu_redundant_level *l, const struct strips *s, int i,
                            int k, int y, int rows, int z, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int along_x = bands_along(r, WP_X), *begin = r->taps.begin, *end = r->taps.end;
    struct terms terms;
    wp_real *row[2][2];
    set_taps(r, &terms);
    for (int x = 0; x < along_x; x++) {
        for (int j = 0; j < rows; j++)
            row[x][j] = scratch_margined(r, scratch, 2 * x + j);
        int count = 0;
        for (int f = 0; f < 2 && has_axis(r, WP_Y); f++)
            for (int t = begin[f]; t < end[f] + rows - 1; t++)
                terms.row[count++] = strip_row(r, s, scratch, i, f * along_x + x, k + t);
        if (has_axis(r, WP_Y))
            r->rows->join(row[x], rows, terms.row, terms.tap, terms.count, r->size[WP_X], false);
        else
            for (int j = 0; j < rows; j++)
                copy_row(r, row[x][j], strip_row(r, s, scratch, i, x, k + j));
    }
    join_rows(l, row, y, rows, z, scratch);
}

static void join_strip(const struct wp_cpu_redundant_level *l, const struct strips *s, int task,
                       wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const int height = r->size[WP_Y], depth = r->size[WP_Z], step = l->reach->step;
    const int phase = task / s->parts / s->count, part = task % s->parts;
    const int first = phase + task / s->parts % s->count * s->rows * step;
    const int rows = wp_min(s->rows, (height - first + step - 1) / step);
    const int step_z = wp_min(wp_redundant_dilation(&r->bank, l->level), depth);
    const int bands = bands_of_slices(r), along_x = bands_along(r, WP_X);
    const int until = (int)((int64_t)depth * (part + 1) / s->parts);
    int results;
    for (int i = (int)((int64_t)depth * part / s->parts); i < until && rows > 0; i += results) {
        const int z = visit(i, depth, step_z);
        results = i + 1 < until && z + step_z < depth ? 2 : 1;
        for (int b = 0; b < bands; b++) {
            const int band = b % along_x | b / along_x << WP_Y;
            for (int k = 0; k < rows + s->around; k++) {
                const int before = s->around ? r->taps.first : 0;
                const int y = wp_extend(r->bank.extension, first + (k + before) * step, height);
                wp_real *out[2] = {strip_row(r, s, scratch, 0, b, k),
                                   strip_row(r, s, scratch, 1, b, k)};
                join_from(l, &l->from[band], &l->from[band | 1 << WP_Z], WP_Z, y, z, results, out);
            }
        }
        for (int j = 0; j < results; j++)
            for (int k = 0; k < rows; k += 2)
                join_strip_rows(l, s, j, k, first + k * step, wp_min(rows - k, 2), z + j * step_z,
                                scratch);
    }
}

// ---- tasks: strips or slices if z is filtered, else parts of all rows

static int rows_of_task(const struct wp_cpu_redundant *r)
{
    return wp_max(1, TASK_SAMPLES / r->size[WP_X]);
}

int wp_cpu_redundant_tasks(const struct wp_cpu_redundant_level *l)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const struct strips strips = strips_of(l);
    const int rows = rows_of_task(r);
    if (strips.count)
        return l->reach->step * strips.count * strips.parts;
    return has_axis(r, WP_Z) ? r->size[WP_Z] : (r->size[WP_Y] + rows - 1) / rows;
}

// The number of rows that can be joined at once, from row y on.
static int rows_at_once(const struct wp_cpu_redundant_level *l, int y, int end)
{
    return y + l->reach->step < end ? 2 : 1;
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
        rows_at(l, &l->from[0], WP_Z, y, z, 0, r->taps.count, in);
        filter(r, in, slice[0].data + y * slice[0].row,
               bands > 1 ? slice[1].data + y * slice[1].row : NULL, 0);
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
    for (int i = 0; i < along_x * along_y; i++) {
        const int band = i % along_x | i / along_x << WP_Y;
        slice[i] = scratch_slice(r, scratch, i);
        for (int y = 0; y < r->size[WP_Y]; y++) {
            wp_real *out = slice[i].data + y * slice[i].row;
            join_from(l, &l->from[band], &l->from[band | 1 << WP_Z], WP_Z, y, z, 1, &out);
        }
    }
    for (int y = 0; y < r->size[WP_Y]; y++)
        join_columns(l, slice, y, 1, z, scratch);
}

// A part of the rows, without a filter along z.
static void run_rows(const struct wp_cpu_redundant_level *l, int task, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const bool join = r->bank.rule == WP_LEVEL_JOIN;
    const int height = r->size[WP_Y], rows = rows_of_task(r), step = l->reach->step;
    const int first = task * rows, end = wp_min(first + rows, height);
    struct wp_cpu_array slice[4]; // the bands in the order of join_columns()
    for (int i = 0; i < 4 && join; i++)
        slice[i] = l->from[bands_along(r, WP_X) == 2 ? i : i << WP_Y & (WP_OCTET_BANDS - 1)];
    // Row number i in the order of the header.
    int y = 0, begin = 0, i = 0;
    for (; i + (height - begin + step - 1) / step <= first; begin++)
        i += (height - begin + step - 1) / step;
    y = begin + (first - i) * step;
    for (i = first; i < end;) {
        const int count = join && i + 1 < end ? rows_at_once(l, y, height) : 1;
        if (join)
            join_columns(l, slice, y, count, 0, scratch);
        else
            split_columns(l, &l->from[0], 0, y, 0, scratch);
        i += count;
        y += count * step;
        if (y >= height)
            y = ++begin;
    }
}

void wp_cpu_redundant_task(const struct wp_cpu_redundant_level *l, int task, wp_real *scratch)
{
    const struct wp_cpu_redundant *r = l->redundant;
    const struct strips strips = strips_of(l);
    if (strips.count)
        join_strip(l, &strips, task, scratch);
    else if (has_axis(r, WP_Z))
        (r->bank.rule == WP_LEVEL_JOIN ? join_slice : split_slice)(l, task, scratch);
    else
        run_rows(l, task, scratch);
}
