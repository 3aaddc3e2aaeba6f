// Signals that are neighbors in memory, so that sample x of all of them is a row: signals along an
// axis that is not the last one. Vectors hold neighbors, and blocks of rows stay in the cache.
#include "cpu_batch_parts.h"

#include "log.h"
#include "memory.h"
#include "threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 64,           // signals of a thread: complete cache lines, and pages are read once
    BLOCK_FLOATS = 1 << 15, // of a block, without the quads beyond its ends
    LOW_FLOATS = 1 << 23    // the most in the low bands of a thread
};

// The memory of a thread, as offsets in floats: even and odd samples of a block, the low bands of
// all levels but the last, the state of a chain, and a row of discarded output.
struct wp_cpu_columns {
    size_t half[2], low[WP_MAX_LEVELS], state, discarded, floats;
    int quads; // of a block
    size_t pointers;
    wp_real *memory, **row;
};

// Sample x of the first signal is at data[x * step].
struct rows {
    wp_real *data;
    ptrdiff_t step;
};

struct work {
    const struct wp_cpu_batch *batch;
    const struct wp_cpu_batch_level *level;
    const struct wp_cpu_columns *columns;
    wp_real *memory, **row;
    int count, pitch; // signals, and floats from one row of them to the next
    struct rows samples, band[2];
    int first, end;  // quads of the block
    wp_real *half[2];  // even and odd samples, from `first` on
};

// ---- memory

static size_t low_floats(const struct wp_cpu_batch *batch)
{
    size_t floats = 0;
    for (int l = 0; l + 1 < batch->levels; l++)
        floats += (size_t)batch->level[l].axis[WP_X].coefficients[0] * COLUMNS;
    return floats;
}

static struct wp_cpu_columns *create(const struct wp_cpu_batch *batch)
{
    const struct wp_cpu_axis *axis = &batch->level[0].axis[WP_X]; // steps of all are alike
    const int beyond = axis->before + axis->after;
    struct wp_cpu_columns *c = wp_allocate(1, sizeof *c, "a batch");
    if (!c)
        return NULL;
    for (int l = 0; l < batch->levels; l++)
        c->quads = wp_max(c->quads, batch->level[l].axis[WP_X].quads);
    c->quads = wp_min(BLOCK_FLOATS / (2 * COLUMNS), c->quads);
    size_t at = 0;
    for (int cx = 0; cx < 2; cx++) {
        c->half[cx] = at + (size_t)axis->before * COLUMNS;
        at += (size_t)(beyond + c->quads) * COLUMNS;
    }
    const size_t block = at;
    for (int l = 0; l + 1 < batch->levels; l++) {
        c->low[l] = at;
        at += (size_t)batch->level[l].axis[WP_X].coefficients[0] * COLUMNS;
    }
    c->state = at;
    c->discarded = at + WP_CPU_CHAIN_LINES * COLUMNS;
    c->floats = c->discarded + COLUMNS;
    c->pointers = 2 * (size_t)(WP_CPU_CHAIN_REACH + beyond + c->quads);
    c->memory = wp_allocate_pages(c->floats * (size_t)batch->threads, sizeof(wp_real),
                                  "the neighbors of a batch");
    c->row = wp_allocate(c->pointers * (size_t)batch->threads, sizeof(wp_real *),
                         "the rows of a batch");
    if (!c->memory || !c->row) {
        wp_cpu_columns_destroy(c);
        return NULL;
    }
    // Lanes without a signal are computed, too, and denormal numbers would be slow.
    for (int t = 0; t < batch->threads; t++)
        memset(c->memory + (size_t)t * c->floats, 0, block * sizeof *c->memory);
    return c;
}

void wp_cpu_columns_destroy(struct wp_cpu_columns *c)
{
    if (!c)
        return;
    free(c->memory);
    free(c->row);
    free(c);
}

// ---- a block

static const wp_real *at(const struct rows *rows, int x)
{
    return rows->data + x * rows->step;
}

static wp_real *place_of(const struct work *w, int x)
{
    return w->half[x & 1] + ((x >> 1) - w->first) * w->pitch;
}

// Reads position `from`, which is a sample or coefficient of the signals, to position x.
static void read_row(const struct work *w, int x, int from)
{
    const struct wp_cpu_batch *batch = w->batch;
    const struct wp_cpu_axis *axis = &w->level->axis[WP_X];
    if (batch->forward)
        memcpy(place_of(w, x), at(&w->samples, from - axis->origin),
               (size_t)w->count * sizeof(wp_real));
    else
        batch->rows->scale(place_of(w, x), at(&w->band[from & 1], (from >> 1) - axis->first),
                           w->level->scale_in[from & 1], w->count);
}

// Sets sum number i of positions that are read.
static void extend_row(const struct work *w, int i)
{
    const struct wp_cpu_axis *axis = &w->level->axis[WP_X];
    const struct wp_axis_entry *entry = axis->beyond.entry + axis->beyond.begin[i];
    const int entries = axis->beyond.begin[i + 1] - axis->beyond.begin[i], to = axis->beyond.to[i];
    if (entries == 0)
        memset(place_of(w, to), 0, (size_t)w->count * sizeof(wp_real));
    else if (entries == 1 && entry->weight == 1)
        read_row(w, to, entry->from);
    else // only of samples
        wp_cpu_batch_sum(place_of(w, to), at(&w->samples, -axis->origin), w->samples.step, entry,
                         entries, w->count);
}

static void write_row(const struct work *w, int x)
{
    const struct wp_cpu_axis *axis = &w->level->axis[WP_X];
    if (w->batch->forward)
        w->batch->rows->scale((wp_real *)at(&w->band[x & 1], x >> 1), place_of(w, x),
                              w->level->scale_out[x & 1], w->count);
    else
        memcpy((wp_real *)at(&w->samples, x - axis->origin), place_of(w, x),
               (size_t)w->count * sizeof(wp_real));
}

// The rows that a chain reads, and before them the row for discarded output.
static void run_chain(const struct work *w, const struct wp_cpu_chain *chain)
{
    const int before = w->level->axis[WP_X].before, lag = chain->lag;
    const int quads = before + w->end - w->first + w->level->axis[WP_X].after;
    wp_real **row = w->row + 2 * lag, *state = w->memory + w->columns->state;
    for (int i = -2 * lag; i < 2 * quads; i++)
        row[i] = i < 0 ? w->memory + w->columns->discarded
                       : w->half[i & 1] + ((i >> 1) - before) * w->pitch;
    memset(state, 0, WP_CPU_CHAIN_LINES * COLUMNS * sizeof *state);
    w->batch->rows->chain_neighbors(row, state, chain, quads, w->pitch);
}

static void lift(const struct work *w)
{
    const struct wp_lifting *lifting = &w->batch->program->lifting;
    const int n = w->end - w->first;
    if (w->level->chain[WP_X]) {
        run_chain(w, w->level->chain[WP_X]);
        return;
    }
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        const ptrdiff_t first = -step->before * w->pitch;
        wp_cpu_batch_step(w->batch, s, w->half[step->odd] + first, w->half[!step->odd] + first,
                          w->pitch, (step->before + n + step->after) * w->pitch);
    }
}

static void run_block(const struct work *w)
{
    const struct wp_cpu_axis *axis = &w->level->axis[WP_X];
    const bool forward = w->batch->forward;
    const int first = 2 * (w->first - axis->before), end = 2 * (w->end + axis->after);
    const int begin = wp_cpu_axis_begin(axis, forward);
    const int until = begin + wp_cpu_axis_count(axis, forward);
    for (int x = wp_max(first, begin); x < wp_min(end, until); x++)
        read_row(w, x, x);
    for (int i = 0; i < axis->beyond.count; i++)
        if (axis->beyond.to[i] >= first && axis->beyond.to[i] < end)
            extend_row(w, i);
    lift(w);
    const int from = forward ? 0 : axis->run[0], to = forward ? axis->coefficients[0] + axis->coefficients[1] : axis->run[1];
    for (int x = wp_max(2 * w->first, from); x < wp_min(2 * w->end, to); x++)
        write_row(w, x);
}

// ---- levels

// Rows of the signals from number `first` on.
static struct rows rows_at(const struct wp_operand *view, int first)
{
    return (struct rows){view->data ? (wp_real *)view->data + first : NULL, view->stride[WP_X]};
}

static void run_level(struct work *w, const struct wp_cpu_batch_call *call, int l, int first)
{
    const struct wp_cpu_batch *batch = w->batch;
    w->level = &batch->level[l];
    w->samples = l ? (struct rows){w->memory + w->columns->low[l - 1], w->pitch}
                   : rows_at(&call->samples, first);
    for (int cx = 0; cx < 2; cx++)
        w->band[cx] = rows_at(&call->band[l][cx], first);
    if (l + 1 < batch->levels)
        w->band[0] = (struct rows){w->memory + w->columns->low[l], w->pitch};
    const int quads = w->level->axis[WP_X].quads;
    for (w->first = 0; w->first < quads; w->first = w->end) {
        w->end = wp_min(w->first + w->columns->quads, quads);
        run_block(w);
    }
}

// Signals of a part: all threads have some.
static int part_size(const struct wp_cpu_batch *batch)
{
    const int signals = wp_description_depth(&batch->description), lanes = batch->rows->lanes;
    const int share = (signals + batch->threads - 1) / batch->threads;
    return wp_min(wp_round_up(share, lanes), COLUMNS);
}

static void run_part(void *user, int i, int thread)
{
    const struct wp_cpu_batch_call *call = user;
    const struct wp_cpu_batch *batch = call->batch;
    const struct wp_cpu_columns *columns = batch->columns;
    const int size = part_size(batch), first = i * size;
    struct work w = {.batch = batch, .columns = columns, .pitch = size};
    w.memory = columns->memory + (size_t)thread * columns->floats;
    w.row = columns->row + (size_t)thread * columns->pointers;
    w.count = wp_min(size, wp_description_depth(&batch->description) - first);
    for (int cx = 0; cx < 2; cx++)
        w.half[cx] = w.memory + columns->half[cx];
    for (int k = 0; k < batch->levels; k++)
        run_level(&w, call, batch->forward ? k : batch->levels - 1 - k, first);
}

static bool are_neighbors(const struct wp_operand *view)
{
    return view->type == WP_CPU_ELEMENT && view->stride[WP_Z] == 1;
}

// Do rows of neighbors save reading single samples? They have no sums of the output.
static bool fits(const struct wp_cpu_batch_call *call)
{
    const struct wp_cpu_batch *batch = call->batch;
    bool neighbors = are_neighbors(&call->samples) && call->samples.stride[WP_X] != 1;
    for (int l = 0; l < batch->levels; l++)
        for (int cx = l + 1 < batch->levels; cx < 2; cx++)
            neighbors = neighbors && batch->level[l].axis[WP_X].folded.count == 0 &&
                        (are_neighbors(&call->band[l][cx]) ||
                         batch->level[l].axis[WP_X].coefficients[cx] == 0);
    return neighbors && !call->in_place && batch->description.size[WP_Y] == 1 &&
           2 * wp_description_depth(&batch->description) >= batch->rows->lanes &&
           low_floats(batch) <= LOW_FLOATS;
}

bool wp_cpu_columns_run(struct wp_cpu_batch *batch, const struct wp_cpu_batch_call *call)
{
    const int size = part_size(batch);
    if (!fits(call))
        return false;
    wp_begin_attempt();
    if (!batch->columns)
        batch->columns = create(batch);
    wp_end_attempt();
    if (!batch->columns) {
        wp_clear_error(); // the signals can be transformed without that memory
        return false;
    }
    wp_threads_share(batch->threads,
                     (wp_description_depth(&batch->description) + size - 1) / size, run_part,
                     (void *)call);
    return true;
}
