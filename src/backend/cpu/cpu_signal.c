// A signal, in blocks that stay in the first-level cache: even and odd samples are separated, and
// vectors hold neighbors of one parity.
#include "cpu_batch_parts.h"

#include "threads.h"

#include <stdint.h>
#include <string.h>

enum {
    QUADS = 1024,         // of a block
    PARTS_PER_THREAD = 16 // of a level that threads share
};

// Quads first..end-1 of a level of a signal.
struct block {
    const struct wp_cpu_batch *batch;
    const struct wp_cpu_batch_level *level;
    const struct wp_cpu_axis *axis;
    int first, end;
    bool stream[2]; // of results: the low band or the samples, the high band
    wp_real *half[2]; // even and odd samples, from `first` on
    wp_real *converted;
    double *folded; // samples of the level that are sums of positions, as far as blocks have run
};

// Floats of half a block.
static size_t half_floats(const struct wp_cpu_batch *batch)
{
    const struct wp_cpu_batch_level *level = &batch->level[0]; // all are alike
    return wp_cpu_round_up((size_t)level->axis[WP_X].before) + WP_CPU_LINE +
           wp_cpu_round_up(QUADS + (size_t)level->axis[WP_X].after + WP_CPU_LINE + WP_CPU_SLACK);
}

size_t wp_cpu_signal_floats(const struct wp_cpu_batch *batch)
{
    int folded = 0;
    for (int l = 0; l < batch->levels; l++)
        folded = wp_max(folded, batch->level[l].axis[WP_X].folded.count);
    return 2 * half_floats(batch) +
           wp_cpu_round_up((size_t)folded * sizeof(double) / sizeof(wp_real));
}

size_t wp_cpu_signal_converted(const struct wp_cpu_batch *batch)
{
    return 2 * half_floats(batch);
}

static bool is_contiguous(const struct wp_operand *view)
{
    return view->type == WP_CPU_ELEMENT && view->stride[WP_X] == 1;
}

// Samples from..from+n-1 of a signal: in its memory, or converted.
static const wp_real *read_signal(const struct block *b, const struct wp_operand *view, int from,
                                  int n)
{
    if (is_contiguous(view))
        return (const wp_real *)view->data + from;
    wp_operand_read(b->batch->rows->elements, b->converted, view, from * view->stride[WP_X], false,
                    n);
    return b->converted;
}

// Where to write samples of a signal: to its memory, or to be converted by write_signal().
static wp_real *place_in_signal(const struct block *b, const struct wp_operand *view, int from)
{
    return is_contiguous(view) ? (wp_real *)view->data + from : b->converted;
}

static void write_signal(const struct block *b, const struct wp_operand *view, int from, int n)
{
    if (!is_contiguous(view))
        wp_operand_write(b->batch->rows->elements, view, from * view->stride[WP_X], b->converted,
                         false, n);
}

// Sample or coefficient at a position that is read.
static double read_position(const struct block *b, const struct wp_operand *samples,
                            const struct wp_operand bands[2], int position)
{
    if (b->batch->forward)
        return (double)*read_signal(b, samples, position - b->axis->origin, 1);
    const int cx = position & 1;
    const wp_real sample = *read_signal(b, &bands[cx], (position >> 1) - b->axis->first, 1);
    return (double)(b->level->scale_in[cx] * sample);
}

static wp_real *place_of(const struct block *b, int position)
{
    return b->half[position & 1] + (position >> 1) - b->first;
}

// Of positions from..end-1.
static void read_samples(const struct block *b, const struct wp_operand *samples, int from, int end)
{
    const int origin = b->axis->origin;
    from = wp_max(from, origin);
    const int n = wp_min(end, origin + b->axis->size) - from;
    if (n <= 0)
        return;
    const wp_real *in = read_signal(b, samples, from - origin, n);
    b->batch->rows->split(place_of(b, from), place_of(b, from + 1), in, n / 2);
    if (n % 2)
        *place_of(b, from + n - 1) = in[n - 1];
}

// Of quads from..end-1.
static void read_components(const struct block *b, const struct wp_operand bands[2], int from,
                            int end)
{
    from = wp_max(from, b->axis->first);
    for (int cx = 0; cx < 2; cx++) {
        const int n = wp_min(end, b->axis->first + b->axis->coefficients[cx]) - from;
        if (n > 0)
            b->batch->rows->scale(b->half[cx] + from - b->first,
                                  read_signal(b, &bands[cx], from - b->axis->first, n),
                                  b->level->scale_in[cx], n);
    }
}

// Sets the positions of from..end-1 that are beyond the ends.
static void extend(const struct block *b, const struct wp_operand *samples,
                   const struct wp_operand bands[2], int from, int end)
{
    const struct wp_cpu_sums *beyond = &b->axis->beyond;
    for (int i = 0; i < beyond->count; i++) {
        if (beyond->to[i] < from || beyond->to[i] >= end)
            continue;
        double sum = 0;
        for (int e = beyond->begin[i]; e < beyond->begin[i + 1]; e++)
            sum += beyond->entry[e].weight *
                   read_position(b, samples, bands, beyond->entry[e].from);
        *place_of(b, beyond->to[i]) = (wp_real)sum;
    }
}

static void write_components(const struct block *b, const struct wp_operand to[2])
{
    for (int cx = 0; cx < 2; cx++) {
        const int n = wp_min(b->end, b->axis->coefficients[cx]) - b->first;
        if (n <= 0)
            continue;
        const bool stream = b->stream[cx] && is_contiguous(&to[cx]);
        (stream ? b->batch->rows->scale_stream : b->batch->rows->scale)(
            place_in_signal(b, &to[cx], b->first), b->half[cx], b->level->scale_out[cx], n);
        write_signal(b, &to[cx], b->first, n);
    }
}

// Those that are no sums of positions.
static void write_samples(const struct block *b, const struct wp_operand *to)
{
    const int from = wp_max(2 * b->first, b->axis->run[0]);
    const int n = wp_min(2 * b->end, b->axis->run[1]) - from;
    if (n <= 0)
        return;
    wp_real *out = place_in_signal(b, to, from - b->axis->origin);
    (b->stream[0] && is_contiguous(to) ? b->batch->rows->merge_stream : b->batch->rows->merge)(
        out, place_of(b, from), place_of(b, from + 1), n / 2);
    if (n % 2)
        out[n - 1] = *place_of(b, from + n - 1);
    write_signal(b, to, from - b->axis->origin, n);
}

// Adds the block's positions to the others, which all blocks of the level do.
static void fold(const struct block *b)
{
    const struct wp_cpu_sums *folded = &b->axis->folded;
    for (int i = 0; i < folded->count; i++) {
        for (int e = folded->begin[i]; e < folded->begin[i + 1]; e++) {
            const struct wp_axis_entry *entry = &folded->entry[e];
            if (entry->from >= 2 * b->first && entry->from < 2 * b->end)
                b->folded[i] += entry->weight * (double)*place_of(b, entry->from);
        }
    }
}

static void write_folded(const struct block *b, const struct wp_operand *to)
{
    for (int i = 0; i < b->axis->folded.count; i++) {
        const int sample = b->axis->folded.to[i] - b->axis->origin;
        *place_in_signal(b, to, sample) = (wp_real)b->folded[i];
        write_signal(b, to, sample, 1);
    }
}

void wp_cpu_signal_lift(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level,
                        wp_real *const half[2], int n)
{
    const struct wp_lifting *lifting = &batch->program->lifting;
    const int before = level->axis[WP_X].before;
    if (level->chain[WP_X]) {
        batch->rows->chain_signal(half[0] - before, half[1] - before, level->chain[WP_X],
                                  before + n + level->axis[WP_X].after);
        return;
    }
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        wp_cpu_batch_step(batch, s, half[step->odd] - step->before,
                          half[!step->odd] - step->before, 1, step->before + n + step->after);
    }
}

static void run_block(const struct block *b, const struct wp_operand *samples,
                      const struct wp_operand bands[2])
{
    const int first = b->first - b->axis->before, end = b->end + b->axis->after;
    if (b->batch->forward)
        read_samples(b, samples, 2 * first, 2 * end);
    else
        read_components(b, bands, first, end);
    extend(b, samples, bands, 2 * first, 2 * end);
    wp_cpu_signal_lift(b->batch, b->level, b->half, b->end - b->first);
    if (b->batch->forward) {
        write_components(b, bands);
    } else {
        write_samples(b, samples);
        fold(b);
    }
}

// ---- levels ----

static int blocks_of(const struct wp_cpu_batch_level *level)
{
    return (level->axis[WP_X].quads + QUADS - 1) / QUADS;
}

// Parts of a level that threads share. Samples that are sums of positions need all blocks.
static int parts_of(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level)
{
    return level->axis[WP_X].folded.count
               ? 1
               : wp_min(blocks_of(level), PARTS_PER_THREAD * batch->threads);
}

// Runs blocks from..until-1 of a level in the memory of a thread.
static void run_blocks(const struct wp_cpu_batch_call *call, int l, int from, int until,
                       wp_real *memory, const struct wp_operand *samples,
                       const struct wp_operand bands[2])
{
    const struct wp_cpu_batch *batch = call->batch;
    const struct wp_cpu_batch_level *level = &batch->level[l];
    const bool end = batch->forward ? l + 1 == batch->levels : l == 0; // not between levels
    struct block b = {.batch = batch, .level = level, .axis = &level->axis[WP_X],
                      .stream = {call->stream && end, call->stream}};
    const int folded = b.axis->folded.count;
    b.folded = (double *)(void *)(memory + 2 * half_floats(batch));
    memset(b.folded, 0, (size_t)folded * sizeof *b.folded);
    b.converted = memory + batch->layout.converted;
    for (int cx = 0; cx < 2; cx++)
        b.half[cx] = memory + (size_t)cx * half_floats(batch) +
                     wp_cpu_round_up((size_t)level->axis[WP_X].before) + WP_CPU_LINE;
    for (int i = from; i < until; i++) {
        b.first = i * QUADS;
        b.end = wp_min(b.first + QUADS, level->axis[WP_X].quads);
        run_block(&b, samples, bands);
    }
    if (folded)
        write_folded(&b, samples);
}

static struct wp_operand slice_of(const struct wp_operand *view, int slice)
{
    struct wp_operand moved = *view;
    if (view->data)
        moved.data = wp_operand_at(view, slice * view->stride[WP_Z]);
    return moved;
}

static struct wp_operand floats_at(wp_real *data)
{
    return (struct wp_operand){.data = data, .type = WP_CPU_ELEMENT, .stride = {1}};
}

// The samples and the bands of a level; `memory` has the low bands between levels.
static struct wp_operand find_operands(const struct wp_cpu_batch_call *call, int l, int slice,
                                       wp_real *memory, struct wp_operand bands[2])
{
    const struct wp_cpu_batch *batch = call->batch;
    for (int cx = 0; cx < 2; cx++)
        bands[cx] = slice_of(&call->band[l][cx], slice);
    if (l + 1 < batch->levels)
        bands[0] = floats_at(memory + batch->layout.low[l]);
    if (l > 0)
        return floats_at(memory + batch->layout.low[l - 1]);
    return call->in_place ? floats_at(memory + batch->layout.stage)
                          : slice_of(&call->samples, slice);
}

void wp_cpu_signal_run(const struct wp_cpu_batch_call *call, int thread, int slice)
{
    const struct wp_cpu_batch *batch = call->batch;
    const struct wp_element_rows *elements = batch->rows->elements;
    const struct wp_operand signal = slice_of(&call->samples, slice);
    wp_real *const memory = wp_cpu_batch_memory(batch, thread);
    wp_real *const stage = memory + batch->layout.stage;
    const int n = batch->description.size[WP_X];
    if (call->in_place && batch->forward)
        wp_operand_read(elements, stage, &signal, 0, false, n);
    for (int i = 0; i < batch->levels; i++) {
        const int l = batch->forward ? i : batch->levels - 1 - i;
        struct wp_operand bands[2];
        const struct wp_operand samples = find_operands(call, l, slice, memory, bands);
        run_blocks(call, l, 0, blocks_of(&batch->level[l]), memory, &samples, bands);
    }
    if (call->in_place && !batch->forward)
        wp_operand_write(elements, &signal, 0, stage, false, n);
}

static void run_share(void *user, int i, int thread)
{
    const struct wp_cpu_batch_call *call = user;
    const struct wp_cpu_batch *batch = call->batch;
    const int64_t blocks = blocks_of(&batch->level[call->level]);
    struct wp_operand bands[2];
    const struct wp_operand samples =
        find_operands(call, call->level, call->slice, wp_cpu_batch_memory(batch, 0), bands);
    run_blocks(call, call->level, (int)(blocks * i / call->parts),
               (int)(blocks * (i + 1) / call->parts), wp_cpu_batch_memory(batch, thread), &samples,
               bands);
    if (call->stream)
        batch->rows->finish_stream();
}

void wp_cpu_signals_share(struct wp_cpu_batch_call *call)
{
    const struct wp_cpu_batch *batch = call->batch;
    for (call->slice = 0; call->slice < wp_description_depth(&batch->description); call->slice++) {
        for (int i = 0; i < batch->levels; i++) {
            call->level = batch->forward ? i : batch->levels - 1 - i;
            call->parts = parts_of(batch, &batch->level[call->level]);
            wp_threads_share(batch->threads, call->parts, run_share, call);
        }
    }
}
