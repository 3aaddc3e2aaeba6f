// An image with a border that sweeps do not support, row by row: a row is separated into even and
// odd samples in the cache, set beyond its ends and lifted along x. A ring of rows is lifted along y.
#include "cpu_batch_parts.h"

#include "threads.h"

#include <stdint.h>
#include <string.h>

enum {
    STRIP_BYTES = 1 << 17, // of rows that a chain processes at a time, in the second-level cache
    PARTS_PER_THREAD = 4,  // of a level, for load balancing
    CLEARED = 4 * WP_CPU_LANES_MAX, // samples after a row that vectors of a chain read
    PART_ROWS = 32,        // fewer rows of quads are not divided: parts read rows in common
};

// The memory of a thread for a level, as offsets in floats. Rows have the even samples from quad
// -before on, then the odd ones.
struct sizes {
    ptrdiff_t first, odd, pitch; // from a row to quad 0, to its odd samples, and to the next row
    int strip, ring;             // rows of quads that a chain processes, and in the ring
    size_t state, state_floats;  // along y, of the even and of the odd samples
    size_t sum, folded, all;     // of doubles: a row, and those that are sums of rows
};

// Rows of quads before the newest one that steps along y, or a chain, use.
static int rows_before(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    const struct wp_lifting *lifting = &batch->program->lifting;
    if (level->chain[WP_Y])
        return level->chain[WP_Y]->lag;
    int most = 0;
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        most = wp_max(most, step->lag - wp_min(step->low, 0));
    }
    return most;
}

static size_t in_floats(size_t doubles)
{
    return wp_cpu_round_up(doubles * (sizeof(double) / sizeof(wp_real)));
}

static struct sizes sizes_of(const struct wp_cpu_batch *batch,
                             const struct wp_cpu_batch_level *level)
{
    const struct wp_cpu_axis *x = &level->axis[WP_X], *y = &level->axis[WP_Y];
    struct sizes s = {0};
    s.first = (ptrdiff_t)wp_cpu_round_up((size_t)x->before) + WP_CPU_LINE;
    s.odd = s.first + (ptrdiff_t)wp_cpu_round_up((size_t)(x->quads + x->after)) + WP_CPU_SLACK +
            WP_CPU_LINE;
    s.pitch = 2 * s.odd + WP_CPU_LINE;
    s.strip = level->chain[WP_Y]
                  ? wp_max(STRIP_BYTES / (int)(2 * (size_t)s.pitch * sizeof(wp_real)), 1)
                  : 1;
    s.strip = wp_min(s.strip, y->before + y->quads + y->after);
    s.ring = s.strip + rows_before(batch, level);
    s.state = (2 * (size_t)s.ring + 1) * (size_t)s.pitch;
    s.state_floats = level->chain[WP_Y] ? (size_t)wp_cpu_chain_lines(level->chain[WP_Y]) *
                                              wp_cpu_round_up((size_t)x->quads)
                                        : 0;
    s.sum = s.state + 2 * s.state_floats;
    s.folded = s.sum + in_floats((size_t)x->size);
    s.all = s.folded + in_floats((size_t)x->size * (size_t)y->folded.count);
    return s;
}

size_t wp_cpu_image_floats(const struct wp_cpu_batch *batch)
{
    size_t most = 0;
    for (int l = 0; l < batch->levels; l++) {
        const size_t floats = sizes_of(batch, &batch->level[l]).all;
        most = floats > most ? floats : most;
    }
    return wp_cpu_round_up(most);
}

size_t wp_cpu_image_pointers(const struct wp_cpu_batch *batch)
{
    int most = 0;
    for (int l = 0; l < batch->levels; l++)
        most = wp_max(most, sizes_of(batch, &batch->level[l]).ring);
    return 2 * (size_t)most;
}

// Rows of quads first..end-1 of a level, which are independent of others.
struct part {
    const struct wp_cpu_batch *batch;
    const struct wp_cpu_batch_level *level;
    struct sizes size;
    struct wp_operand samples, band[WP_BAND_COUNT];
    int first, end;
    wp_real *memory, *converted, **pointer;
};

// ---- rows ----

// Quad 0 of the even samples of a row.
static wp_real *row_of(const struct part *p, int y)
{
    const int rows = 2 * p->size.ring;
    return p->memory + p->size.first + (y % rows + rows) % rows * p->size.pitch;
}

static wp_real *discarded_row(const struct part *p)
{
    return p->memory + p->size.first + 2 * p->size.ring * p->size.pitch;
}

static wp_real *place_of(const struct part *p, wp_real *row, int x)
{
    return row + (x & 1) * p->size.odd + (x >> 1);
}

static bool is_contiguous(const struct wp_operand *view)
{
    return view->type == WP_CPU_ELEMENT && view->stride[WP_X] == 1;
}

static const wp_real *read_row(const struct part *p, const struct wp_operand *view, int y, int n)
{
    const ptrdiff_t at = y * view->stride[WP_Y];
    if (is_contiguous(view))
        return (const wp_real *)view->data + at;
    wp_operand_read(p->batch->rows->elements, p->converted, view, at, false, n);
    return p->converted;
}

// Where to write a row: to its memory, or to be converted by write_row().
static wp_real *place_in_row(const struct part *p, const struct wp_operand *view, int y)
{
    return is_contiguous(view) ? (wp_real *)view->data + y * view->stride[WP_Y] : p->converted;
}

static void write_row(const struct part *p, const struct wp_operand *view, int y, int n)
{
    if (!is_contiguous(view))
        wp_operand_write(p->batch->rows->elements, view, y * view->stride[WP_Y], p->converted,
                         false, n);
}

// Reads a sum of rows of samples, or one.
static const wp_real *read_sum(const struct part *p, const struct wp_axis_entry *entry, int entries)
{
    const int n = p->level->axis[WP_X].size, origin = p->level->axis[WP_Y].origin;
    double *const sum = (double *)(void *)(p->memory + p->size.sum);
    if (entries == 1 && entry->weight == 1)
        return read_row(p, &p->samples, entry->from - origin, n);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int e = 0; e < entries; e++) {
        const wp_real *row = read_row(p, &p->samples, entry[e].from - origin, n);
        for (int i = 0; i < n; i++)
            sum[i] += entry[e].weight * (double)row[i];
    }
    for (int i = 0; i < n; i++)
        p->converted[i] = (wp_real)sum[i];
    return p->converted;
}

static void read_samples(const struct part *p, wp_real *to, const struct wp_axis_entry *entry,
                         int entries)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    const wp_real *row = read_sum(p, entry, entries);
    p->batch->rows->split(place_of(p, to, x->origin), place_of(p, to, x->origin + 1), row,
                          x->size / 2);
    if (x->size % 2)
        *place_of(p, to, x->origin + x->size - 1) = row[x->size - 1];
}

static void read_components(const struct part *p, wp_real *to, int position)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    for (int cx = 0; cx < 2; cx++) {
        const int c = cx + 2 * (position & 1), n = x->coefficients[cx];
        const wp_real *row =
            read_row(p, &p->band[c], (position >> 1) - p->level->axis[WP_Y].first, n);
        p->batch->rows->scale(to + cx * p->size.odd + x->first, row, p->level->scale_in[c], n);
    }
}

static double sum_of(const struct part *p, const struct wp_cpu_sums *sums, int i, wp_real *row)
{
    double sum = 0;
    for (int e = sums->begin[i]; e < sums->begin[i + 1]; e++)
        sum += sums->entry[e].weight * (double)*place_of(p, row, sums->entry[e].from);
    return sum;
}

// Along x. What follows the quads is cleared, since vectors process it, too.
static void lift_row(const struct part *p, wp_real *row)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    wp_real *const half[2] = {row, row + p->size.odd};
    for (int i = 0; i < x->beyond.count; i++)
        *place_of(p, row, x->beyond.to[i]) = (wp_real)sum_of(p, &x->beyond, i, row);
    for (int cx = 0; cx < 2; cx++)
        memset(half[cx] + x->quads + x->after, 0, CLEARED * sizeof *row);
    wp_cpu_signal_lift(p->batch, p->level, half, x->quads);
}

// Sets a row of the ring, which is lifted along x.
static void set_row(const struct part *p, int y)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const bool forward = p->batch->forward;
    const int begin = wp_cpu_axis_begin(axis, forward), n = wp_cpu_axis_count(axis, forward);
    const struct wp_axis_entry one = {y, 1}, *entry = &one;
    int entries = 1;
    if (y < begin || y >= begin + n) {
        const int i = y + 2 * axis->before - (y < begin ? 0 : n);
        entry = axis->beyond.entry + axis->beyond.begin[i];
        entries = axis->beyond.begin[i + 1] - axis->beyond.begin[i];
    }
    wp_real *const row = row_of(p, y);
    if (entries == 0) {
        for (int cx = 0; cx < 2; cx++)
            memset(row + cx * p->size.odd, 0,
                   (size_t)p->level->axis[WP_X].quads * sizeof *row);
        return;
    }
    if (forward)
        read_samples(p, row, entry, entries);
    else
        read_components(p, row, entry->from);
    lift_row(p, row);
}

static void write_components(const struct part *p, int y)
{
    for (int cx = 0; cx < 2; cx++) {
        const int c = cx + 2 * (y & 1), n = p->level->axis[WP_X].coefficients[cx];
        p->batch->rows->scale(place_in_row(p, &p->band[c], y >> 1),
                              row_of(p, y) + cx * p->size.odd, p->level->scale_out[c], n);
        write_row(p, &p->band[c], y >> 1, n);
    }
}

// Writes the samples of a row without gaps.
static void merge_row(const struct part *p, wp_real *row, wp_real *to)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    p->batch->rows->merge(to, place_of(p, row, x->origin), place_of(p, row, x->origin + 1),
                          x->size / 2);
    if (x->size % 2)
        to[x->size - 1] = *place_of(p, row, x->origin + x->size - 1);
    for (int i = 0; i < x->folded.count; i++)
        to[x->folded.to[i] - x->origin] = (wp_real)sum_of(p, &x->folded, i, row);
}

static void write_samples(const struct part *p, int y)
{
    const int sample = y - p->level->axis[WP_Y].origin;
    merge_row(p, row_of(p, y), place_in_row(p, &p->samples, sample));
    write_row(p, &p->samples, sample, p->level->axis[WP_X].size);
}

static double *folded_row(const struct part *p, int i)
{
    double *const first = (double *)(void *)(p->memory + p->size.folded);
    return first + (size_t)i * (size_t)p->level->axis[WP_X].size;
}

// Adds a row to those of the output that are sums of rows.
static void fold_row(const struct part *p, int y)
{
    const struct wp_cpu_sums *folded = &p->level->axis[WP_Y].folded;
    const int n = p->level->axis[WP_X].size;
    for (int i = 0; i < folded->count; i++) {
        for (int e = folded->begin[i]; e < folded->begin[i + 1]; e++) {
            if (folded->entry[e].from != y)
                continue;
            double *const sum = folded_row(p, i);
            merge_row(p, row_of(p, y), p->converted);
            for (int k = 0; k < n; k++)
                sum[k] += folded->entry[e].weight * (double)p->converted[k];
        }
    }
}

static void write_folded(const struct part *p)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const int n = p->level->axis[WP_X].size;
    for (int i = 0; i < axis->folded.count; i++) {
        const int y = axis->folded.to[i] - axis->origin;
        wp_real *const to = place_in_row(p, &p->samples, y);
        for (int k = 0; k < n; k++)
            to[k] = (wp_real)folded_row(p, i)[k];
        write_row(p, &p->samples, y, n);
    }
}

// Writes rows of quads first..end-1, as far as they are in the part.
static void write_rows(const struct part *p, int first, int end)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    for (int y = 2 * wp_max(first, p->first); y < 2 * wp_min(end, p->end); y++) {
        if (p->batch->forward)
            write_components(p, y);
        else if (y >= axis->run[0] && y < axis->run[1])
            write_samples(p, y);
        if (axis->folded.count)
            fold_row(p, y);
    }
}

// ---- along y ----

// The rows of `quads` rows of quads from `from` on, and those before them that the chain completes.
static void run_chain(const struct part *p, int from, int quads, int half)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const struct wp_cpu_chain *chain = p->level->chain[WP_Y];
    wp_real **const row = p->pointer + 2 * chain->lag;
    for (int i = -2 * chain->lag; i < 2 * quads; i++)
        row[i] = (2 * from + i < 2 * (p->first - axis->before) ? discarded_row(p)
                                                               : row_of(p, 2 * from + i)) +
                 half * p->size.odd;
    p->batch->rows->chain_columns(
        row, p->memory + p->size.state + (size_t)half * p->size.state_floats, chain, quads,
        p->level->axis[WP_X].quads);
}

static void run_chains(const struct part *p)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const int lag = p->level->chain[WP_Y]->lag, end = p->end + axis->after;
    memset(p->memory + p->size.state, 0, 2 * p->size.state_floats * sizeof(wp_real));
    for (int from = p->first - axis->before; from < end; from += p->size.strip) {
        const int quads = wp_min(p->size.strip, end - from);
        for (int y = 2 * from; y < 2 * (from + quads); y++)
            set_row(p, y);
        for (int half = 0; half < 2; half++)
            run_chain(p, from, quads, half);
        write_rows(p, from - lag, from + quads - lag);
    }
}

static void run_step(const struct part *p, int s, int quad)
{
    const struct wp_lifting_step *step = &p->batch->program->lifting.step[s];
    for (int half = 0; half < 2 && step->filter.count; half++) {
        const wp_real *in[WP_MAX_TAPS];
        for (int t = 0; t < step->filter.count; t++)
            in[t] = row_of(p, 2 * (quad + step->filter.tap[t].k) + !step->odd) +
                    half * p->size.odd;
        p->batch->rows->lift(row_of(p, 2 * quad + step->odd) + half * p->size.odd, in,
                             p->batch->program->c[s], step->filter.count,
                             p->level->axis[WP_X].quads);
    }
}

static void run_steps(const struct part *p)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const struct wp_lifting *lifting = &p->batch->program->lifting;
    const int lag = lifting->step[lifting->steps - 1].lag;
    for (int newest = p->first - axis->before; newest < p->end + lag; newest++) {
        for (int y = 2 * newest; y < 2 * newest + 2 && newest < p->end + axis->after; y++)
            set_row(p, y);
        for (int s = 0; s < lifting->steps; s++) {
            const struct wp_lifting_step *step = &lifting->step[s];
            const int quad = newest - step->lag;
            if (quad >= p->first - step->before && quad < p->end + step->after)
                run_step(p, s, quad);
        }
        write_rows(p, newest - lag, newest - lag + 1);
    }
}

// ---- levels ----

static struct wp_operand slice_of(const struct wp_operand *view, int slice)
{
    struct wp_operand moved = *view;
    if (view->data)
        moved.data = wp_operand_at(view, slice * view->stride[WP_Z]);
    return moved;
}

// The low band of a level, behind the memory of all threads.
static struct wp_operand low_of(const struct wp_cpu_batch *batch, int l)
{
    const ptrdiff_t width = batch->level[l].axis[WP_X].coefficients[0];
    return (struct wp_operand){.data = wp_cpu_batch_memory(batch, 0) + batch->layout.low[l],
                               .type = WP_CPU_ELEMENT,
                               .stride = {1, width}};
}

static void run_part(void *user, int i, int thread)
{
    const struct wp_cpu_batch_call *call = user;
    const struct wp_cpu_batch *batch = call->batch;
    const int l = call->level;
    struct part p = {.batch = batch, .level = &batch->level[l]};
    const int64_t rows = p.level->axis[WP_Y].quads;
    p.size = sizes_of(batch, p.level);
    p.samples = l ? low_of(batch, l - 1) : slice_of(&call->samples, call->slice);
    for (int b = 0; b < WP_BAND_COUNT; b++)
        p.band[b] = slice_of(&call->band[l][b], call->slice);
    if (l + 1 < batch->levels)
        p.band[WP_BAND_LL] = low_of(batch, l);
    p.first = (int)(rows * i / call->parts);
    p.end = (int)(rows * (i + 1) / call->parts);
    p.memory = wp_cpu_batch_memory(batch, thread);
    p.converted = p.memory + batch->layout.converted;
    p.pointer = batch->pointers + (size_t)thread * batch->layout.pointers;
    memset(p.memory + p.size.folded, 0, (p.size.all - p.size.folded) * sizeof *p.memory);
    (p.level->chain[WP_Y] ? run_chains : run_steps)(&p);
    write_folded(&p);
}

// Parts of a level that threads share. Rows that are sums of rows need all of them.
static int parts_of(const struct wp_cpu_batch *batch, const struct wp_cpu_axis *axis)
{
    const int most = wp_max(axis->quads / PART_ROWS, 1);
    return axis->folded.count || batch->threads == 1
               ? 1
               : wp_min(most, PARTS_PER_THREAD * batch->threads);
}

void wp_cpu_images_share(struct wp_cpu_batch_call *call)
{
    const struct wp_cpu_batch *batch = call->batch;
    for (call->slice = 0; call->slice < wp_description_depth(&batch->description); call->slice++) {
        for (int i = 0; i < batch->levels; i++) {
            call->level = batch->forward ? i : batch->levels - 1 - i;
            call->parts = parts_of(batch, &batch->level[call->level].axis[WP_Y]);
            wp_threads_share(batch->threads, call->parts, run_part, call);
        }
    }
}
