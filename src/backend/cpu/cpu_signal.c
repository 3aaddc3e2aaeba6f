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
    int first, end;
    wp_real *half[2]; // even and odd samples, from `first` on
    wp_real *converted;
};

// Floats of half a block.
static size_t half_floats(const struct wp_cpu_batch *batch)
{
    const struct wp_cpu_batch_level *level = &batch->level[0]; // all are alike
    return wp_cpu_round_up((size_t)level->before[WP_X]) + WP_CPU_LINE +
           wp_cpu_round_up(QUADS + (size_t)level->after[WP_X] + WP_CPU_LINE + WP_CPU_SLACK);
}

size_t wp_cpu_signal_floats(const struct wp_cpu_batch *batch)
{
    return 2 * half_floats(batch);
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

static void read_samples(const struct block *b, const struct wp_operand *from)
{
    const struct wp_cpu_batch_level *level = b->level;
    const int first = wp_cpu_larger(b->first - level->before[WP_X], 0), at = first - b->first;
    const int n = wp_cpu_smaller(b->end + level->after[WP_X], level->size[WP_X] / 2) - first;
    if (n > 0)
        b->batch->rows->split(b->half[0] + at, b->half[1] + at,
                              read_signal(b, from, 2 * first, 2 * n), n);
}

static void read_components(const struct block *b, const struct wp_operand from[2])
{
    const struct wp_cpu_batch_level *level = b->level;
    const int first = wp_cpu_larger(b->first - level->before[WP_X], 0), at = first - b->first;
    for (int cx = 0; cx < 2; cx++) {
        const int extent = wp_cpu_extent(level->size[WP_X], cx);
        const int n = wp_cpu_smaller(b->end + level->after[WP_X], extent) - first;
        if (n > 0)
            b->batch->rows->scale(b->half[cx] + at, read_signal(b, &from[cx], first, n),
                                  level->scale_in[cx], n);
    }
}

// Sets quads first..end-1, which are beyond the ends of the signal.
static void extend(const struct block *b, const struct wp_operand *samples,
                   const struct wp_operand bands[2], int first, int end)
{
    const enum wp_extension extension = b->batch->program->lifting.extension;
    const struct wp_cpu_batch_level *level = b->level;
    for (int x = 2 * first; x < 2 * end; x++) {
        const int s = wp_extend(extension, x, level->size[WP_X]);
        wp_real *to = b->half[x & 1] + (x >> 1) - b->first;
        if (s < 0)
            *to = 0;
        else if (b->batch->forward)
            *to = *read_signal(b, samples, s, 1);
        else
            *to = level->scale_in[s & 1] * *read_signal(b, &bands[s & 1], s >> 1, 1);
    }
}

static void write_components(const struct block *b, const struct wp_operand to[2])
{
    for (int cx = 0; cx < 2; cx++) {
        const int extent = wp_cpu_extent(b->level->size[WP_X], cx);
        const int n = wp_cpu_smaller(b->end, extent) - b->first;
        if (n <= 0)
            continue;
        b->batch->rows->scale(place_in_signal(b, &to[cx], b->first), b->half[cx],
                              b->level->scale_out[cx], n);
        write_signal(b, &to[cx], b->first, n);
    }
}

static void write_samples(const struct block *b, const struct wp_operand *to)
{
    const int n = b->end - b->first;
    const int full = wp_cpu_smaller(b->end, b->level->size[WP_X] / 2) - b->first;
    wp_real *out = place_in_signal(b, to, 2 * b->first);
    b->batch->rows->merge(out, b->half[0], b->half[1], full);
    if (full < n)
        out[2 * full] = b->half[0][full];
    write_signal(b, to, 2 * b->first, n + full);
}

static void lift(const struct block *b)
{
    const struct wp_cpu_batch_level *level = b->level;
    const struct wp_lifting *lifting = &b->batch->program->lifting;
    const int n = b->end - b->first, before = level->before[WP_X];
    if (level->chain[WP_X]) {
        b->batch->rows->chain_signal(b->half[0] - before, b->half[1] - before, level->chain[WP_X],
                                     before + n + level->after[WP_X]);
        return;
    }
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        wp_cpu_batch_step(b->batch, s, b->half[step->odd] - step->before,
                          b->half[!step->odd] - step->before, 1, step->before + n + step->after);
    }
}

static void run_block(const struct block *b, const struct wp_operand *samples,
                      const struct wp_operand bands[2])
{
    const struct wp_cpu_batch_level *level = b->level;
    const int first = b->first - level->before[WP_X], end = b->end + level->after[WP_X];
    if (b->batch->forward)
        read_samples(b, samples);
    else
        read_components(b, bands);
    extend(b, samples, bands, first, wp_cpu_smaller(0, end));
    extend(b, samples, bands, wp_cpu_larger(level->size[WP_X] / 2, first), end);
    lift(b);
    if (b->batch->forward)
        write_components(b, bands);
    else
        write_samples(b, samples);
}

// ---- levels ----

static int blocks_of(const struct wp_cpu_batch_level *level)
{
    return (level->quads[WP_X] + QUADS - 1) / QUADS;
}

// Runs blocks from..until-1 of a level in the memory of a thread.
static void run_blocks(const struct wp_cpu_batch *batch, int l, int from, int until,
                       wp_real *memory, const struct wp_operand *samples,
                       const struct wp_operand bands[2])
{
    const struct wp_cpu_batch_level *level = &batch->level[l];
    struct block b = {.batch = batch, .level = level};
    b.converted = memory + batch->layout.converted;
    for (int cx = 0; cx < 2; cx++)
        b.half[cx] = memory + (size_t)cx * half_floats(batch) +
                     wp_cpu_round_up((size_t)level->before[WP_X]) + WP_CPU_LINE;
    for (int i = from; i < until; i++) {
        b.first = i * QUADS;
        b.end = wp_cpu_smaller(b.first + QUADS, level->quads[WP_X]);
        run_block(&b, samples, bands);
    }
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
    const int n = batch->level[0].size[WP_X];
    if (call->in_place && batch->forward)
        wp_operand_read(elements, stage, &signal, 0, false, n);
    for (int i = 0; i < batch->levels; i++) {
        const int l = batch->forward ? i : batch->levels - 1 - i;
        struct wp_operand bands[2];
        const struct wp_operand samples = find_operands(call, l, slice, memory, bands);
        run_blocks(batch, l, 0, blocks_of(&batch->level[l]), memory, &samples, bands);
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
    run_blocks(batch, call->level, (int)(blocks * i / call->parts),
               (int)(blocks * (i + 1) / call->parts), wp_cpu_batch_memory(batch, thread), &samples,
               bands);
}

void wp_cpu_signals_share(struct wp_cpu_batch_call *call)
{
    const struct wp_cpu_batch *batch = call->batch;
    for (call->slice = 0; call->slice < wp_description_depth(&batch->description); call->slice++) {
        for (int i = 0; i < batch->levels; i++) {
            call->level = batch->forward ? i : batch->levels - 1 - i;
            call->parts = wp_cpu_smaller(blocks_of(&batch->level[call->level]),
                                         PARTS_PER_THREAD * batch->threads);
            wp_threads_share(batch->threads, call->parts, run_share, call);
        }
    }
}
