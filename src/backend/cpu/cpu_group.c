// A group of images, one per lane: rows are transposed into vectors of one sample of all images, so
// that steps need no neighbors within a vector, whatever the size.
#include "cpu_batch_parts.h"

#include "memory.h"

#include <string.h>

enum {
    LANES_MAX = WP_CPU_LANES_MAX,
    STRIP_BYTES = 1 << 18,  // of rows that a chain processes at a time, in the second-level cache
    FETCHED_SAMPLES = 4096  // of the largest image that fetch_images() reads
};

struct group {
    const struct wp_cpu_batch *batch;
    wp_real *memory, **pointers;
    int first, count;
};

// ---- rows of all images ----

// One image per lane: of the caller, or without gaps in a thread's memory.
struct lanes {
    struct wp_operand view;  // of the first image
    int count;               // lanes with images; the others repeat the last one
    wp_real *image[LANES_MAX]; // of floats
};

static struct lanes make_lanes(const struct wp_operand *view, int count, int lanes)
{
    struct lanes made = {.view = *view, .count = count};
    for (int i = 0; i < lanes && view->type == WP_CPU_ELEMENT && view->data; i++)
        made.image[i] =
            (wp_real *)view->data + wp_min(i, count - 1) * view->stride[WP_Z];
    return made;
}

static struct lanes lanes_of(const struct group *g, const struct wp_operand *view)
{
    struct wp_operand first = *view;
    if (view->data)
        first.data = wp_operand_at(view, g->first * view->stride[WP_Z]);
    return make_lanes(&first, g->count, g->batch->rows->lanes);
}

static struct lanes lanes_at(const struct group *g, size_t offset, int width)
{
    const int lanes = g->batch->rows->lanes;
    const struct wp_operand view = {.data = g->memory + offset,
                                    .type = WP_CPU_ELEMENT,
                                    .stride = {lanes, (ptrdiff_t)lanes * width, 1}};
    return make_lanes(&view, lanes, lanes);
}

static wp_real *converted_row(const struct group *g, int i)
{
    const struct wp_cpu_batch_layout *layout = &g->batch->layout;
    return g->memory + layout->converted + (size_t)i * layout->converted_pitch;
}

// Reads row y of all images: sample x times `scale` is at to[x % 2] + x / 2 * step.
static void read_row(const struct group *g, const struct lanes *from, int y, int n,
                     wp_real *const to[2], ptrdiff_t step, wp_real scale)
{
    const struct wp_cpu_rows *rows = g->batch->rows;
    const struct wp_operand *view = &from->view;
    const ptrdiff_t at = y * view->stride[WP_Y];
    wp_real *converted[LANES_MAX] = {NULL};
    if (view->type == WP_CPU_ELEMENT) {
        rows->interleave(to, step, (const wp_real *const *)from->image, at, view->stride[WP_X],
                         scale, n);
        return;
    }
    for (int i = 0; i < rows->lanes; i++) {
        converted[i] = converted_row(g, wp_min(i, from->count - 1));
        if (i < from->count)
            wp_operand_read(rows->elements, converted[i], view, at + i * view->stride[WP_Z], false,
                            n);
    }
    rows->interleave(to, step, (const wp_real *const *)converted, 0, 1, scale, n);
}

static void write_row(const struct group *g, const struct lanes *to, int y, int n,
                      const wp_real *const from[2], ptrdiff_t step, wp_real scale)
{
    const struct wp_cpu_rows *rows = g->batch->rows;
    const struct wp_operand *view = &to->view;
    const ptrdiff_t at = y * view->stride[WP_Y];
    wp_real *converted[LANES_MAX] = {NULL};
    if (view->type == WP_CPU_ELEMENT) {
        rows->separate(to->image, to->count, at, view->stride[WP_X], from, step, scale, n);
        return;
    }
    for (int i = 0; i < to->count; i++)
        converted[i] = converted_row(g, i);
    rows->separate(converted, to->count, 0, 1, from, step, scale, n);
    for (int i = 0; i < to->count; i++)
        wp_operand_write(rows->elements, view, at + i * view->stride[WP_Z], converted[i], false, n);
}

// Reads a sample of each cache line of small images, in the order of memory: hardware does not
// fetch ahead if rows of several bands are read in turn. Prefetch instructions are slower.
static void fetch_images(const struct group *g, const struct wp_operand *view)
{
    const struct wp_description *d = &g->batch->description;
    const int size[] = {wp_description_extent(d, WP_X), wp_description_extent(d, WP_Y)};
    if (!view->data || view->type != WP_CPU_ELEMENT || view->stride[WP_X] != 1 ||
        size[WP_X] * size[WP_Y] > FETCHED_SAMPLES)
        return;
    for (int i = g->first; i < g->first + g->count; i++) {
        for (int y = 0; y < size[WP_Y]; y++) {
            const volatile wp_real *const row =
                (wp_real *)view->data + i * view->stride[WP_Z] + y * view->stride[WP_Y];
            for (int x = 0; x < size[WP_X]; x += WP_CPU_LINE)
                (void)row[x];
        }
    }
}

// ---- the rows of a level ----

// A row has even samples, then odd ones, each with those beyond the ends. Rows begin in different
// sets of the first-level cache.
struct plane {
    const struct group *group;
    const struct wp_cpu_batch_level *level;
    wp_real *origin;        // of quad 0 of row 0
    ptrdiff_t pitch, odd; // to the next row, and to odd samples
};

static int extended_quads(const struct wp_cpu_batch_level *level, int axis)
{
    const struct wp_cpu_axis *a = &level->axis[axis];
    return a->before + a->quads + a->after;
}

static size_t pitch_of(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    return 2 * (size_t)extended_quads(level, WP_X) * (size_t)batch->rows->lanes + WP_CPU_LINE;
}

// The state of a chain along y follows the rows, of which the last one is for discarded output.
static size_t state_floats(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    return level->chain[WP_Y]
               ? (size_t)wp_cpu_chain_lines(level->chain[WP_Y]) * pitch_of(batch, level)
               : 0;
}

static size_t level_floats(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    return (2 * (size_t)extended_quads(level, WP_Y) + 1) * pitch_of(batch, level);
}

size_t wp_cpu_group_floats(const struct wp_cpu_batch *batch)
{
    size_t most = 0;
    for (int l = 0; l < batch->levels; l++) {
        const struct wp_cpu_batch_level *level = &batch->level[l];
        const size_t floats = level_floats(batch, level) + state_floats(batch, level);
        most = floats > most ? floats : most;
    }
    return wp_cpu_round_up(most) + WP_CPU_LINE;
}

size_t wp_cpu_group_pointers(const struct wp_cpu_batch *batch)
{
    int most = 0;
    for (int l = 0; l < batch->levels; l++)
        most = wp_max(most, 2 * extended_quads(&batch->level[l], WP_Y));
    return (size_t)most + 2 * WP_CPU_CHAIN_REACH;
}

static struct plane plane_of(const struct group *g, const struct wp_cpu_batch_level *level)
{
    const ptrdiff_t lanes = g->batch->rows->lanes;
    struct plane p = {.group = g, .level = level};
    p.pitch = (ptrdiff_t)pitch_of(g->batch, level);
    p.odd = extended_quads(level, WP_X) * lanes;
    p.origin = g->memory + level->axis[WP_X].before * lanes +
               2 * level->axis[WP_Y].before * p.pitch;
    return p;
}

static wp_real *row_of(const struct plane *p, int y)
{
    return p->origin + y * p->pitch;
}

// The row after all others.
static wp_real *discarded_row(const struct plane *p)
{
    return row_of(p, 2 * (p->level->axis[WP_Y].quads + p->level->axis[WP_Y].after));
}

static wp_real *state_of(const struct plane *p)
{
    return p->group->memory + level_floats(p->group->batch, p->level);
}

// Floats from the first even to the last odd sample of a row.
static int row_floats(const struct plane *p)
{
    return (int)p->odd + p->level->axis[WP_X].quads * p->group->batch->rows->lanes;
}

// Floats of a row from quad 0 of its even samples to position x.
static int offset_of(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level,
                     int x)
{
    return ((x & 1) * extended_quads(level, WP_X) + (x >> 1)) * batch->rows->lanes;
}

static void set_offsets(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level,
                        struct wp_cpu_sums *sums)
{
    for (int i = 0; i < sums->count; i++) {
        sums->to[i] = offset_of(batch, level, sums->to[i]);
        for (int e = sums->begin[i]; e < sums->begin[i + 1]; e++)
            sums->entry[e].from = offset_of(batch, level, sums->entry[e].from);
    }
}

void wp_cpu_group_set_level(const struct wp_cpu_batch *batch, struct wp_cpu_batch_level *level)
{
    set_offsets(batch, level, &level->row.beyond);
    set_offsets(batch, level, &level->row.folded);
}

// Sets sum number i of rows.
static void sum_row(const struct plane *p, const struct wp_cpu_sums *sums, int i)
{
    const struct wp_axis_entry *entry = sums->entry + sums->begin[i];
    const int entries = sums->begin[i + 1] - sums->begin[i], n = row_floats(p);
    wp_real *const to = row_of(p, sums->to[i]);
    if (entries == 0)
        memset(to, 0, (size_t)n * sizeof *to);
    else if (entries == 1 && entry->weight == 1)
        memcpy(to, row_of(p, entry->from), (size_t)n * sizeof *to);
    else
        wp_cpu_batch_sum(to, p->origin, p->pitch, entry, entries, n);
}

// The compiler knows the sizes.
static void copy_vector(wp_real *to, const wp_real *from, int lanes)
{
    if (lanes == LANES_MAX)
        memcpy(to, from, LANES_MAX * sizeof *to);
    else if (lanes == LANES_MAX / 2)
        memcpy(to, from, LANES_MAX / 2 * sizeof *to);
    else
        memcpy(to, from, LANES_MAX / 4 * sizeof *to);
}

// Sets positions of a row that are sums.
static void sum_vectors(const struct plane *p, const struct wp_cpu_sums *sums, wp_real *row)
{
    const int lanes = p->group->batch->rows->lanes;
    for (int i = 0; i < sums->count; i++) {
        const struct wp_axis_entry *entry = sums->entry + sums->begin[i];
        const int entries = sums->begin[i + 1] - sums->begin[i];
        wp_real *const to = row + sums->to[i];
        if (entries == 0)
            memset(to, 0, (size_t)lanes * sizeof *to);
        else if (entries == 1 && entry->weight == 1)
            copy_vector(to, row + entry->from, lanes);
        else
            wp_cpu_batch_sum(to, row, 1, entry, entries, lanes);
    }
}

static void lift_row(const struct plane *p, wp_real *row)
{
    const struct wp_cpu_batch *batch = p->group->batch;
    const struct wp_cpu_batch_level *level = p->level;
    const int lanes = batch->rows->lanes;
    sum_vectors(p, &level->row.beyond, row);
    if (level->chain[WP_X]) {
        wp_real *const first = row - level->axis[WP_X].before * lanes;
        batch->rows->chain_row(first, first + p->odd, level->chain[WP_X],
                               extended_quads(level, WP_X));
        return;
    }
    for (int s = 0; level->along[WP_X] && s < batch->program->lifting.steps; s++) {
        const struct wp_lifting_step *step = &batch->program->lifting.step[s];
        wp_real *const first = row - step->before * lanes;
        wp_cpu_batch_step(batch, s, first + step->odd * p->odd, first + !step->odd * p->odd, lanes,
                          (step->before + level->axis[WP_X].quads + step->after) * lanes);
    }
}

// Runs all steps along y that row `newest` of quads makes possible.
static void step_down(const struct plane *p, int newest)
{
    const struct wp_cpu_batch *batch = p->group->batch;
    for (int s = 0; s < batch->program->lifting.steps; s++) {
        const struct wp_lifting_step *step = &batch->program->lifting.step[s];
        const int quad = newest - step->lag;
        if (quad >= -step->before && quad < p->level->axis[WP_Y].quads + step->after)
            wp_cpu_batch_step(batch, s, row_of(p, 2 * quad + step->odd),
                              row_of(p, 2 * quad + !step->odd), 2 * p->pitch, row_floats(p));
    }
}

// Rows of quads that a chain along y processes at a time.
static int strip_rows(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    return wp_max(STRIP_BYTES / (2 * (int)(pitch_of(batch, level) * sizeof(wp_real))), 1);
}

// Points to the rows that a chain along y reads, and before them to the row for discarded output.
static wp_real **start_chain(const struct plane *p)
{
    const struct wp_cpu_batch_level *level = p->level;
    const int lag = level->chain[WP_Y]->lag;
    wp_real **const row = p->group->pointers + 2 * lag;
    const int first = -2 * level->axis[WP_Y].before, rows = 2 * extended_quads(level, WP_Y);
    for (int y = -2 * lag; y < rows; y++)
        row[y] = y < 0 ? discarded_row(p) : row_of(p, first + y);
    memset(state_of(p), 0, state_floats(p->group->batch, level) * sizeof(wp_real));
    return row;
}

// ---- levels ----

// The addresses of the first two samples of a row, which others follow.
static void place_samples(const struct plane *p, wp_real *row, wp_real *place[2])
{
    for (int i = 0; i < 2; i++)
        place[i] = row + offset_of(p->group->batch, p->level, p->level->axis[WP_X].origin + i);
}

static void read_samples(const struct plane *p, const struct lanes *from, int y)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    wp_real *to[2];
    place_samples(p, row_of(p, y), to);
    read_row(p->group, from, y - p->level->axis[WP_Y].origin, x->size, to,
             p->group->batch->rows->lanes, 1);
}

// Sums are in a copy of the row, since steps along y may still read the row itself.
static void write_samples(const struct plane *p, const struct lanes *to, int y)
{
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    wp_real *row = row_of(p, y), *from[2];
    if (p->level->row.folded.count) {
        row = memcpy(discarded_row(p), row, (size_t)row_floats(p) * sizeof *row);
        sum_vectors(p, &p->level->row.folded, row);
    }
    place_samples(p, row, from);
    write_row(p->group, to, y - p->level->axis[WP_Y].origin, x->size,
              (const wp_real *const *)from, p->group->batch->rows->lanes, 1);
}

// Components are contiguous in a row of a plane.
static void read_components(const struct plane *p, const struct lanes from[WP_BAND_COUNT], int y)
{
    const ptrdiff_t lanes = p->group->batch->rows->lanes;
    const struct wp_cpu_axis *x = &p->level->axis[WP_X];
    for (int cx = 0; cx < 2; cx++) {
        const int c = cx + 2 * (y & 1);
        wp_real *const row = row_of(p, y) + cx * p->odd + x->first * lanes;
        wp_real *const to[2] = {row, row + lanes};
        read_row(p->group, &from[c], (y >> 1) - p->level->axis[WP_Y].first, x->coefficients[cx],
                 to, 2 * lanes, p->level->scale_in[c]);
    }
}

static void write_components(const struct plane *p, const struct lanes to[WP_BAND_COUNT], int y)
{
    const ptrdiff_t lanes = p->group->batch->rows->lanes;
    for (int cx = 0; cx < 2; cx++) {
        const int c = cx + 2 * (y & 1);
        const wp_real *const row = row_of(p, y) + cx * p->odd, *const from[2] = {row, row + lanes};
        write_row(p->group, &to[c], y >> 1, p->level->axis[WP_X].coefficients[cx], from, 2 * lanes,
                  p->level->scale_out[c]);
    }
}

// Writes the rows of quads first..end-1, as far as there are coefficients or samples that are no
// sums of rows.
static void write_rows(const struct plane *p, const struct lanes *samples,
                       const struct lanes bands[WP_BAND_COUNT], int first, int end)
{
    const struct wp_cpu_axis *axis = &p->level->axis[WP_Y];
    const bool forward = p->group->batch->forward;
    const int from = forward ? 0 : axis->run[0];
    const int until = forward ? axis->coefficients[0] + axis->coefficients[1] : axis->run[1];
    for (int y = wp_max(2 * first, from); y < wp_min(2 * end, until); y++) {
        if (forward)
            write_components(p, bands, y);
        else
            write_samples(p, samples, y);
    }
}

static void finish_chain(const struct plane *p, const struct lanes *samples,
                         const struct lanes bands[WP_BAND_COUNT])
{
    const struct wp_cpu_batch *batch = p->group->batch;
    const struct wp_cpu_batch_level *level = p->level;
    const struct wp_cpu_chain *chain = level->chain[WP_Y];
    const int quads = extended_quads(level, WP_Y), size = strip_rows(batch, level);
    wp_real **const row = start_chain(p);
    for (int from = 0; from < quads; from += size) {
        const int n = wp_min(size, quads - from), first = from - level->axis[WP_Y].before;
        batch->rows->chain_columns(row + 2 * from, state_of(p), chain, n, row_floats(p));
        write_rows(p, samples, bands, first - chain->lag, first + n - chain->lag);
    }
}

static void finish_steps(const struct plane *p, const struct lanes *samples,
                         const struct lanes bands[WP_BAND_COUNT])
{
    const struct wp_cpu_batch_level *level = p->level;
    const struct wp_lifting *lifting = &p->group->batch->program->lifting;
    const int lag = lifting->step[lifting->steps - 1].lag;
    const struct wp_cpu_axis *axis = &level->axis[WP_Y];
    for (int newest = -axis->before; newest < axis->quads + lag; newest++) {
        step_down(p, newest);
        write_rows(p, samples, bands, newest - lag, newest - lag + 1);
    }
}

// Along x while rows are read, then along y while they are written.
static void run_level(const struct group *g, int l, const struct lanes *samples,
                      const struct lanes bands[WP_BAND_COUNT])
{
    const struct wp_cpu_batch_level *level = &g->batch->level[l];
    const struct plane p = plane_of(g, level);
    const struct wp_cpu_axis *axis = &level->axis[WP_Y];
    const int begin = wp_cpu_axis_begin(axis, g->batch->forward);
    const int end = begin + wp_cpu_axis_count(axis, g->batch->forward);
    for (int y = begin; y < end; y++) {
        if (g->batch->forward)
            read_samples(&p, samples, y);
        else
            read_components(&p, bands, y);
        lift_row(&p, row_of(&p, y));
    }
    if (!level->along[WP_Y]) {
        write_rows(&p, samples, bands, 0, axis->quads);
        return;
    }
    for (int i = 0; i < axis->beyond.count; i++)
        sum_row(&p, &axis->beyond, i);
    (level->chain[WP_Y] ? finish_chain : finish_steps)(&p, samples, bands);
    for (int i = 0; i < axis->folded.count; i++) {
        sum_row(&p, &axis->folded, i);
        write_samples(&p, samples, axis->folded.to[i]);
    }
}

// Copies the samples of a transform in place.
static void copy_samples(const struct group *g, const struct lanes *caller,
                         const struct lanes *stage)
{
    const int *size = g->batch->description.size;
    const ptrdiff_t lanes = g->batch->rows->lanes;
    for (int y = 0; y < size[WP_Y]; y++) {
        wp_real *const row = stage->image[0] + y * stage->view.stride[WP_Y];
        wp_real *const both[2] = {row, row + lanes};
        if (g->batch->forward)
            read_row(g, caller, y, size[WP_X], both, 2 * lanes, 1);
        else
            write_row(g, caller, y, size[WP_X], (const wp_real *const *)both, 2 * lanes, 1);
    }
}

void wp_cpu_group_run(const struct wp_cpu_batch_call *call, int thread, int first, int count)
{
    const struct wp_cpu_batch *batch = call->batch;
    const struct wp_cpu_batch_layout *layout = &batch->layout;
    const struct group g = {
        .batch = batch,
        .memory = wp_cpu_batch_memory(batch, thread),
        .pointers = batch->pointers + (size_t)thread * layout->pointers,
        .first = first,
        .count = count,
    };
    const struct lanes caller = lanes_of(&g, &call->samples);
    const struct lanes stage = lanes_at(&g, layout->stage, batch->description.size[WP_X]);
    if (!batch->forward)
        fetch_images(&g, &call->coefficients);
    if (call->in_place && batch->forward)
        copy_samples(&g, &caller, &stage);
    for (int i = 0; i < batch->levels; i++) {
        const int l = batch->forward ? i : batch->levels - 1 - i;
        struct lanes bands[WP_BAND_COUNT];
        for (int b = 0; b < WP_BAND_COUNT; b++)
            bands[b] = lanes_of(&g, &call->band[l][b]);
        if (l + 1 < batch->levels)
            bands[WP_BAND_LL] =
                lanes_at(&g, layout->low[l], batch->level[l].axis[WP_X].coefficients[0]);
        const struct lanes low =
            lanes_at(&g, l ? layout->low[l - 1] : 0, batch->level[l].axis[WP_X].size);
        run_level(&g, l, l ? &low : call->in_place ? &stage : &caller, bands);
    }
    if (call->in_place && !batch->forward)
        copy_samples(&g, &caller, &stage);
}
