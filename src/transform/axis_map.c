#include "axis_map.h"

#include "elements.h"
#include "memory.h"
#include "min_max.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

// ---- The rules of borders.

enum { ENTRIES_MOST = 3 }; // of a row of an extension

static int wrap(int i, int period)
{
    return (i % period + period) % period;
}

// Adds to the entries of a row, at most one per sample.
static int add(struct wp_axis_entry entry[ENTRIES_MOST], int count, int from, double weight)
{
    for (int e = 0; e < count; e++) {
        if (entry[e].from == from) {
            entry[e].weight += weight;
            return count;
        }
    }
    entry[count] = (struct wp_axis_entry){from, weight};
    return count + 1;
}

// A line through two samples at distance 1; `beyond` samples after the first one, `edge`.
static int add_line(struct wp_axis_entry entry[ENTRIES_MOST], int edge, int next, int beyond, int n)
{
    if (n == 1)
        return add(entry, 0, edge, 1);
    return add(entry, add(entry, 0, edge, 1.0 + beyond), next, -beyond);
}

// x[-k] = 2 x[0] - x[k] and the same at the other end, so that a period of 2 (n - 1) samples adds 2
// (x[n-1] - x[0]).
static int add_antireflected(struct wp_axis_entry entry[ENTRIES_MOST], int i, int n)
{
    const int period = 2 * (n - 1);
    if (n == 1)
        return add(entry, 0, 0, 1);
    const int inside = wrap(i, period), periods = (i - inside) / period;
    const bool mirrored = inside >= n;
    int count = add(entry, 0, mirrored ? period - inside : inside, mirrored ? -1 : 1);
    count = add(entry, count, n - 1, 2.0 * periods + (mirrored ? 2 : 0));
    return add(entry, count, 0, -2.0 * periods);
}

// The entries of sample i of an extended signal of n samples. Returns their number.
static int extend(enum wp_border border, int i, int n, struct wp_axis_entry entry[ENTRIES_MOST])
{
    const int half = wrap(i, 2 * n), whole = n > 1 ? wrap(i, 2 * (n - 1)) : 0;
    if (i >= 0 && i < n)
        return add(entry, 0, i, 1);
    switch (border) {
    case WP_BORDER_PYWT_SYMMETRIC: return add(entry, 0, half < n ? half : 2 * n - 1 - half, 1);
    case WP_BORDER_PYWT_ANTISYMMETRIC:
        return add(entry, 0, half < n ? half : 2 * n - 1 - half, half < n ? 1 : -1);
    case WP_BORDER_PYWT_REFLECT: return add(entry, 0, whole < n ? whole : 2 * (n - 1) - whole, 1);
    case WP_BORDER_PYWT_ANTIREFLECT: return add_antireflected(entry, i, n);
    case WP_BORDER_PYWT_PERIODIC: return add(entry, 0, wrap(i, n), 1);
    case WP_BORDER_PYWT_SMOOTH:
        return i < 0 ? add_line(entry, 0, 1, -i, n) : add_line(entry, n - 1, n - 2, i - n + 1, n);
    case WP_BORDER_PYWT_CONSTANT:
    case WP_BORDER_PYWT_PERIODIZATION: return add(entry, 0, i < 0 ? 0 : n - 1, 1);
    default: return 0; // zero
    }
}

// ---- Maps.

// Rows that are sums.
static int sums_of(const struct wp_axis_map *map)
{
    return map->to - map->count;
}

static bool allocate(struct wp_axis_map *map, size_t entries)
{
    map->begin = wp_allocate((size_t)sums_of(map) + 1, sizeof *map->begin, "the map of an axis");
    map->entry = wp_allocate(entries + 1, sizeof *map->entry, "the map of an axis");
    if (map->begin && map->entry)
        return true;
    wp_axis_map_free(map);
    return false;
}

void wp_axis_map_free(struct wp_axis_map *map)
{
    free(map->begin);
    free(map->entry);
    *map = (struct wp_axis_map){0};
}

// Sets the sizes and the run of a map whose row i is column i + shift, as far as that exists.
static struct wp_axis_map shifted(int from, int shift, int to)
{
    const int first = wp_min(wp_max(0, -shift), to),
              end = wp_max(first, wp_min(to, from - shift));
    return (struct wp_axis_map){from, to, first, end - first, first + shift, NULL, NULL};
}

struct wp_axis_map wp_axis_map_identity(int n)
{
    return shifted(n, 0, n);
}

bool wp_axis_map_shift(struct wp_axis_map *map, int from, int shift, int to)
{
    *map = shifted(from, shift, to);
    return allocate(map, 0);
}

bool wp_axis_map_ends(struct wp_axis_map *map, int n, double first, double last)
{
    first *= n > 1 ? 1 : last;
    const bool at_first = first != 1, at_last = last != 1 && n > 1;
    *map = (struct wp_axis_map){n, n, at_first, n - at_first - at_last, at_first, NULL, NULL};
    if (!allocate(map, 2))
        return false;
    if (at_first)
        map->entry[map->begin[1]++] = (struct wp_axis_entry){0, first};
    if (at_last)
        map->entry[at_first] = (struct wp_axis_entry){n - 1, last};
    map->begin[sums_of(map)] = at_first + at_last;
    return true;
}

bool wp_axis_map_extend(struct wp_axis_map *map, enum wp_border border, int n, int shift,
                        int length)
{
    *map = shifted(n, shift, length);
    if (!allocate(map, (size_t)ENTRIES_MOST * (size_t)sums_of(map)))
        return false;
    for (int i = 0; i < sums_of(map); i++) {
        const int row = i < map->run ? i : i + map->count;
        map->begin[i + 1] =
            map->begin[i] + extend(border, row + shift, n, map->entry + map->begin[i]);
    }
    return true;
}

int wp_axis_map_row(const struct wp_axis_map *map, int row, const struct wp_axis_entry **entry,
                    struct wp_axis_entry *one)
{
    if (row >= map->run && row < map->run + map->count) {
        *one = (struct wp_axis_entry){row - map->run + map->source, 1};
        *entry = one;
        return 1;
    }
    const int i = row < map->run ? row : row - map->count;
    *entry = map->entry + map->begin[i];
    return map->begin[i + 1] - map->begin[i];
}

// The longest part of the run without columns that other rows read, as rows of the transpose.
static void find_run(const struct wp_axis_map *map, const char *read, struct wp_axis_map *transpose)
{
    int from = map->source;
    for (int c = map->source; c <= map->source + map->count; c++) {
        if (c < map->source + map->count && !read[c])
            continue;
        if (c - from > transpose->count) {
            transpose->run = from;
            transpose->count = c - from;
            transpose->source = from - map->source + map->run;
        }
        from = c + 1;
    }
}

// Calls add_entry() for every entry that is not in the run of the transpose, by rows of the map.
static void transpose_entries(const struct wp_axis_map *map, struct wp_axis_map *transpose,
                              int *next, bool count_only)
{
    for (int row = 0; row < map->to; row++) {
        const struct wp_axis_entry *entry;
        struct wp_axis_entry one;
        const int entries = wp_axis_map_row(map, row, &entry, &one);
        for (int e = 0; e < entries; e++) {
            const int column = entry[e].from;
            if (column >= transpose->run && column < transpose->run + transpose->count)
                continue;
            int *at = &next[column < transpose->run ? column : column - transpose->count];
            if (!count_only)
                transpose->entry[*at] = (struct wp_axis_entry){row, entry[e].weight};
            ++*at;
        }
    }
}

bool wp_axis_map_transpose(struct wp_axis_map *transpose, const struct wp_axis_map *map)
{
    const int entries = map->begin ? map->begin[sums_of(map)] : 0;
    *transpose = (struct wp_axis_map){.from = map->to, .to = map->from};
    char *read = wp_allocate((size_t)map->from + 1, 1, "the map of an axis");
    for (int e = 0; e < entries && read; e++)
        read[map->entry[e].from] = 1;
    if (read)
        find_run(map, read, transpose);
    free(read);
    const int sums = sums_of(transpose), left = map->count - transpose->count;
    int *next = wp_allocate((size_t)sums + 1, sizeof *next, "the map of an axis");
    const bool ok = read && next && allocate(transpose, (size_t)entries + (size_t)left);
    if (ok) {
        transpose_entries(map, transpose, next, true);
        for (int i = 0; i < sums; i++) {
            transpose->begin[i + 1] = transpose->begin[i] + next[i];
            next[i] = transpose->begin[i];
        }
        transpose_entries(map, transpose, next, false);
    }
    free(next);
    return ok;
}

// ---- Application on the host, row by row along x.

// A row of the input, of an array or a sum of several rows.
#define MAP_ROW(name, type, real)                                                                  \
    static void name(const struct wp_axis_map *map, const void *source, void *target)              \
    {                                                                                              \
        const type *restrict from = source;                                                        \
        real *restrict to = target;                                                                \
        for (int i = 0; i < sums_of(map); i++) {                                                   \
            double sum = 0;                                                                        \
            for (int e = map->begin[i]; e < map->begin[i + 1]; e++)                                \
                sum += map->entry[e].weight * (double)from[map->entry[e].from];                    \
            to[i < map->run ? i : i + map->count] = (real)sum;                                     \
        }                                                                                          \
        for (int i = 0; i < map->count; i++)                                                       \
            to[map->run + i] = (real)from[map->source + i];                                        \
    }

MAP_ROW(map_floats, float, float)
MAP_ROW(map_sums, double, float)
MAP_ROW(map_doubles, double, double)

// Adds the products of a row and a weight to a row of sums.
#define ADD_ROW(name, real)                                                                        \
    static void name(double *restrict sum, double weight, const void *source, int n)               \
    {                                                                                              \
        const real *restrict row = source;                                                         \
        for (int i = 0; i < n; i++)                                                                \
            sum[i] += weight * (double)row[i];                                                     \
    }

ADD_ROW(add_floats, float)
ADD_ROW(add_doubles, double)

#define ACCESS_ROW(suffix, rows, convert)                                                          \
    static void read_##suffix(void *row, const struct wp_operand *from, ptrdiff_t at, int n)       \
    {                                                                                              \
        wp_operand_read##convert(&rows, row, from, at, false, n);                                  \
    }                                                                                              \
    static void write_##suffix(const struct wp_operand *to, ptrdiff_t at, const void *row, int n)  \
    {                                                                                              \
        wp_operand_write##convert(&rows, to, at, row, false, n);                                   \
    }

ACCESS_ROW(floats, wp_element_rows, )
ACCESS_ROW(doubles, wp_element_rows_f64, _f64)

// Rows are doubles if one operand has that type, else floats.
struct arithmetic {
    enum wp_element type;
    size_t bytes;
    void (*map)(const struct wp_axis_map *map, const void *from, void *to);
    void (*map_sums)(const struct wp_axis_map *map, const void *from, void *to);
    void (*add)(double *sum, double weight, const void *row, int n);
    void (*read)(void *row, const struct wp_operand *from, ptrdiff_t at, int n);
    void (*write)(const struct wp_operand *to, ptrdiff_t at, const void *row, int n);
};

static const struct arithmetic
    f32 = {WP_ELEMENT_F32, sizeof(float), map_floats, map_sums, add_floats, read_floats,
           write_floats},
    f64 = {WP_ELEMENT_F64, sizeof(double), map_doubles, map_doubles, add_doubles, read_doubles,
           write_doubles};

struct application {
    const struct wp_axis_maps *maps;
    const struct wp_operand *from, *to;
    const struct arithmetic *arithmetic;
    char *scratch; // of the threads
};

// Memory of a thread: a row of sums, and a row of the input and of the output. A row that is not
// used is NULL.
struct scratch {
    double *sum;
    void *in, *out;
};

static bool is_dense(const struct application *a, const struct wp_operand *operand)
{
    return operand->type == a->arithmetic->type && operand->stride[WP_X] == 1;
}

static const void *read_row(const struct application *a, ptrdiff_t at, void *row)
{
    if (is_dense(a, a->from))
        return wp_operand_at(a->from, at);
    a->arithmetic->read(row, a->from, at, a->maps->axis[WP_X].from);
    return row;
}

// The sum of products of the entries along y and z.
static void sum_rows(const struct application *a, ptrdiff_t at, const struct wp_axis_entry *y,
                     int count_y, const struct wp_axis_entry *z, int count_z,
                     const struct scratch *s)
{
    const int n = a->maps->axis[WP_X].from;
    memset(s->sum, 0, (size_t)n * sizeof *s->sum);
    for (int k = 0; k < count_z; k++) {
        for (int j = 0; j < count_y; j++) {
            const double weight = y[j].weight * z[k].weight;
            const void *row = read_row(
                a, at + y[j].from * a->from->stride[WP_Y] + z[k].from * a->from->stride[WP_Z],
                s->in);
            a->arithmetic->add(s->sum, weight, row, n);
        }
    }
}

static void map_row(const struct application *a, ptrdiff_t row, const struct scratch *s)
{
    const struct wp_axis_map *axis = a->maps->axis;
    const int iy = (int)(row % axis[WP_Y].to), iz = (int)(row / axis[WP_Y].to % axis[WP_Z].to);
    const ptrdiff_t plane = row / axis[WP_Y].to / axis[WP_Z].to;
    const ptrdiff_t in = plane * a->from->stride[WP_PLANE];
    const ptrdiff_t out =
        plane * a->to->stride[WP_PLANE] + iy * a->to->stride[WP_Y] + iz * a->to->stride[WP_Z];
    const struct wp_axis_entry *y, *z;
    struct wp_axis_entry one_y, one_z;
    const int count_y = wp_axis_map_row(&axis[WP_Y], iy, &y, &one_y);
    const int count_z = wp_axis_map_row(&axis[WP_Z], iz, &z, &one_z);
    void *to = is_dense(a, a->to) ? wp_operand_at(a->to, out) : s->out;
    if (count_y == 1 && count_z == 1 && y->weight * z->weight == 1) {
        const void *line = read_row(
            a, in + y->from * a->from->stride[WP_Y] + z->from * a->from->stride[WP_Z], s->in);
        a->arithmetic->map(&axis[WP_X], line, to);
    } else {
        sum_rows(a, in, y, count_y, z, count_z, s);
        a->arithmetic->map_sums(&axis[WP_X], s->sum, to);
    }
    if (!is_dense(a, a->to))
        a->arithmetic->write(a->to, out, to, axis[WP_X].to);
}

static ptrdiff_t rows_of(const struct wp_axis_maps *maps)
{
    return (ptrdiff_t)maps->axis[WP_Y].to * maps->axis[WP_Z].to * maps->planes;
}

// The bytes before the row of the input and before that of the output, and all.
struct parts {
    size_t in, out, all;
};

static struct parts parts_of(const struct application *a)
{
    const struct wp_axis_map *axis = a->maps->axis;
    const bool sums = sums_of(&axis[WP_Y]) > 0 || sums_of(&axis[WP_Z]) > 0;
    struct parts p = {.in = sums ? (size_t)axis[WP_X].from * sizeof(double) : 0};
    p.out = p.in + (is_dense(a, a->from) ? 0 : (size_t)axis[WP_X].from * a->arithmetic->bytes);
    p.all = p.out + (is_dense(a, a->to) ? 0 : (size_t)axis[WP_X].to * a->arithmetic->bytes);
    p.all = (p.all + 63) / 64 * 64;
    return p;
}

enum { ROWS = 16, SAMPLES = 1 << 15 }; // rows per task; fewer samples are mapped by one thread

static void map_rows(void *user, int i, int thread)
{
    const struct application *a = user;
    const struct parts p = parts_of(a);
    char *row_of = a->scratch + (size_t)thread * p.all;
    const struct scratch scratch = {(double *)(void *)row_of, row_of + p.in, row_of + p.out};
    const ptrdiff_t first = (ptrdiff_t)i * ROWS, rows = rows_of(a->maps);
    for (ptrdiff_t row = first; row < first + ROWS && row < rows; row++)
        map_row(a, row, &scratch);
}

bool wp_axis_maps_apply(const struct wp_axis_maps *maps, const struct wp_operand *from,
                        const struct wp_operand *to)
{
    const bool wide = from->type == WP_ELEMENT_F64 || to->type == WP_ELEMENT_F64;
    struct application a = {maps, from, to, wide ? &f64 : &f32, NULL};
    const int width = maps->axis[WP_X].to, tasks = (int)((rows_of(maps) + ROWS - 1) / ROWS);
    const bool small = rows_of(maps) * width < SAMPLES;
    const int threads = small ? 1 : wp_min(wp_threads_count(), tasks);
    if (width == 0 || tasks == 0)
        return true;
    a.scratch = wp_allocate((size_t)threads, parts_of(&a).all + 1, "rows at borders");
    if (a.scratch)
        wp_threads_share(threads, tasks, map_rows, &a);
    const bool ok = a.scratch;
    free(a.scratch);
    return ok;
}

void wp_axis_maps_free(struct wp_axis_maps *maps)
{
    for (int a = 0; a < WP_DIMS_MAX; a++)
        wp_axis_map_free(&maps->axis[a]);
}
