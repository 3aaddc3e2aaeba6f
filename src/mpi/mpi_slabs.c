#include "mpi_slabs.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

struct wp_slabs wp_slabs_of(const struct wp_lifting *lifting, bool has_steps, int margin,
                            int height, int ranks, const int *start)
{
    return (struct wp_slabs){
        .direction = lifting->direction,
        .extension = lifting->extension,
        .before = has_steps ? lifting->before : 0,
        .after = has_steps ? lifting->after : 0,
        .margin = has_steps ? margin : 0,
        .height = height,
        .ranks = ranks,
        .start = start,
    };
}

void wp_slabs_next(const struct wp_slabs *slabs, int *start)
{
    for (int r = 0; r <= slabs->ranks; r++)
        start[r] = slabs->start[r] / 2 + slabs->start[r] % 2;
}

struct wp_slab_rows wp_slabs_quads(const struct wp_slabs *slabs, int rank)
{
    const int first = slabs->start[rank] / 2 + slabs->start[rank] % 2;
    const int end = slabs->start[rank + 1] / 2 + slabs->start[rank + 1] % 2;
    return (struct wp_slab_rows){first, end - first};
}

static struct wp_slab_rows samples_of(const struct wp_slabs *slabs, int rank)
{
    return (struct wp_slab_rows){slabs->start[rank],
                                 slabs->start[rank + 1] - slabs->start[rank]};
}

struct wp_slab_rows wp_slabs_rows_of_rank(const struct wp_slabs *slabs, int rank)
{
    if (slabs->direction == WP_FORWARD)
        return samples_of(slabs, rank);
    const struct wp_slab_rows quads = wp_slabs_quads(slabs, rank);
    const int end = smaller(2 * (quads.first + quads.count), slabs->height);
    return (struct wp_slab_rows){2 * quads.first, larger(end - 2 * quads.first, 0)};
}

// The quads that a process computes. For the inverse these are all quads that contain one of its
// rows, so that two processes may compute the same quad.
static struct wp_slab_rows computed(const struct wp_slabs *slabs, int rank)
{
    if (slabs->direction == WP_FORWARD)
        return wp_slabs_quads(slabs, rank);
    const struct wp_slab_rows rows = samples_of(slabs, rank);
    const int first = rows.first / 2, end = (rows.first + rows.count + 1) / 2;
    return (struct wp_slab_rows){first, rows.count ? end - first : 0};
}

// The rows that quads read, extended by `more` pairs at both ends. They may be outside of the
// level.
static struct wp_slab_rows rows_read(const struct wp_slabs *slabs, struct wp_slab_rows quads,
                                     int more)
{
    const int first = 2 * (quads.first - slabs->before - more);
    return (struct wp_slab_rows){
        first, 2 * (quads.first + quads.count + slabs->after + more) - first};
}

// Maps rows outside of the level to the rows that the boundary extension reads instead. The result
// consists of complete quads, except at the end of the level.
static struct wp_slab_rows extend_rows(const struct wp_slabs *slabs, struct wp_slab_rows rows)
{
    const int height = slabs->height;
    int first = rows.first, last = rows.first + rows.count - 1;
    if (slabs->extension == WP_EXTEND_WRAP) {
        if (rows.count >= height)
            return (struct wp_slab_rows){0, height};
        return (struct wp_slab_rows){(first % height + height) % height, rows.count};
    }
    if (slabs->extension == WP_EXTEND_MIRROR && height > 1) {
        const int below = first < 0 ? -first : 0, above = last >= height ? 2 * (height - 1) - last
                                                                         : height - 1;
        first = smaller(first, above);
        last = larger(last, below);
    }
    first = larger(first, 0) / 2 * 2;
    last = smaller(last | 1, height - 1);
    first = smaller(first, last / 2 * 2);
    return (struct wp_slab_rows){first, last - first + 1};
}

// Adds a quad if there is only one row, since a tile of one row would not be transformed along y.
static struct wp_slab_rows at_least_two(const struct wp_slabs *slabs, struct wp_slab_rows rows)
{
    if (rows.count > 1 || slabs->height == 1)
        return rows;
    return (struct wp_slab_rows){rows.first - 2, rows.count + 2};
}

static bool within(const struct wp_slab_rows *rows, const struct wp_slab_rows *owned)
{
    return rows->first >= owned->first &&
           rows->first + rows->count <= owned->first + owned->count;
}

// True if a process computes a quad only from its own rows, and for the inverse only writes own
// rows.
static bool is_inner(const struct wp_slabs *slabs, int rank, int quad)
{
    const struct wp_slab_rows owned = wp_slabs_rows_of_rank(slabs, rank);
    const struct wp_slab_rows read =
        extend_rows(slabs, rows_read(slabs, (struct wp_slab_rows){quad, 1}, slabs->margin));
    const struct wp_slab_rows samples = samples_of(slabs, rank);
    const struct wp_slab_rows written = {2 * quad, smaller(2, slabs->height - 2 * quad)};
    return within(&read, &owned) && (slabs->direction == WP_FORWARD || within(&written, &samples));
}

struct wp_slab_part wp_slabs_part(const struct wp_slabs *slabs, int rank, int part)
{
    const struct wp_slab_rows all = computed(slabs, rank);
    const int end = all.first + all.count;
    int first = all.first, last = end;
    // Between two inner quads all quads are inner.
    while (first < end && (slabs->single_part || !is_inner(slabs, rank, first)))
        first++;
    while (last > first && !is_inner(slabs, rank, last - 1))
        last--;
    const struct wp_slab_rows quads[WP_SLAB_PARTS] = {
        [WP_SLAB_ABOVE] = {all.first, first - all.first},
        [WP_SLAB_BELOW] = {last, end - last},
        [WP_SLAB_INSIDE] = {first, last - first},
    };
    struct wp_slab_part result = {.quads = quads[part]};
    if (result.quads.count) {
        result.rows = extend_rows(slabs, rows_read(slabs, result.quads, 0));
        result.padded = extend_rows(slabs, rows_read(slabs, result.quads, slabs->margin));
        if (slabs->single_part)
            result.rows = result.padded = at_least_two(slabs, result.rows);
    }
    return result;
}

static struct wp_slab_rows intersect(struct wp_slab_rows a, struct wp_slab_rows b)
{
    const int first = larger(a.first, b.first);
    const int end = smaller(a.first + a.count, b.first + b.count);
    return (struct wp_slab_rows){first, larger(end - first, 0)};
}

int wp_slabs_runs(const struct wp_slabs *slabs, int rank, int part, int owner,
                  struct wp_slab_rows run[WP_SLAB_RUNS])
{
    const struct wp_slab_rows owned = wp_slabs_rows_of_rank(slabs, owner);
    const struct wp_slab_rows rows = wp_slabs_part(slabs, rank, part).rows;
    const int end = smaller(rows.first + rows.count, slabs->height);
    const int rest = rows.first + rows.count - end;
    const struct wp_slab_rows piece[] = {{rows.first, end - rows.first}, {0, rest}};
    int count = 0;
    for (int i = 0; i < 2 && owner != rank && rows.count; i++) {
        run[count] = intersect(piece[i], owned);
        count += run[count].count > 0;
    }
    return count;
}

int wp_slabs_locate(const struct wp_slabs *slabs, const struct wp_slab_rows *rows, int row)
{
    return row - rows->first + (row < rows->first ? slabs->height : 0);
}
