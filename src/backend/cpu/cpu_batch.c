#include "cpu_batch_parts.h"

#include "memory.h"
#include "threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    // The largest image: a group's rows are in the second-level cache, or not far beyond it.
    IMAGE_SAMPLES = 256 * 256,
    SMALL_SAMPLES = 128 * 128, // up to which a group is faster than its images in several threads
    IMAGES = 4,                // the smallest batch: fewer images leave too many lanes empty
    SIGNAL = 96,               // the shortest signal that fills vectors with its own samples
    SIGNAL_WHOLE = 1 << 16,    // the longest signal of which a thread transforms all levels
    PARTS_PER_THREAD = 16,     // for load balancing
};

// ---- creation ----

// Samples of a slice.
static size_t samples_of(const struct wp_description *d)
{
    return (size_t)d->size[WP_X] * (size_t)d->size[WP_Y];
}

// Not if y has one sample that is transformed (wp_description.axes).
static bool is_signal(const struct wp_description *d)
{
    return d->size[WP_Y] == 1 && d->size[WP_X] >= SIGNAL &&
           !(wp_description_transformed(d) >> WP_Y & 1);
}

// Does a thread transform all levels of a slice?
static bool is_whole(const struct wp_cpu_batch *batch)
{
    const struct wp_description *d = &batch->description;
    return batch->kind == WP_CPU_GROUPS ||
           (batch->kind == WP_CPU_SIGNALS && samples_of(d) <= SIGNAL_WHOLE &&
            wp_description_depth(d) > 1);
}

// A chain only along y fuses the scaling of its input with its first step, which rounds once less.
static bool is_column_chain(const struct wp_cpu_sweep *sweep)
{
    return sweep->chain.state && !sweep->along[WP_X];
}

// Are groups of images faster than the images one after the other?
static bool are_images(const struct wp_description *d, int lanes, int threads)
{
    const int images = wp_description_depth(d);
    return images >= IMAGES && samples_of(d) <= IMAGE_SAMPLES &&
           (samples_of(d) <= SMALL_SAMPLES || images >= lanes * threads);
}

static enum wp_cpu_batch_kind kind_of(const struct wp_description *d)
{
    if (is_signal(d))
        return WP_CPU_SIGNALS;
    const bool groups = d->size[WP_Y] == 1 || wp_description_taps(d) == 0 ||
                        (wp_description_depth(d) >= IMAGES && samples_of(d) <= IMAGE_SAMPLES);
    return groups ? WP_CPU_GROUPS : WP_CPU_IMAGES;
}

bool wp_cpu_batch_fits(const struct wp_description *d, const struct wp_cpu_level *level,
                       const struct wp_cpu_program *program, const struct wp_cpu_rows *rows,
                       int threads)
{
    const int levels = wp_description_levels(d);
    if (program->lifting.reversible || d->levels_z > 0 || levels == 0)
        return false;
    for (int l = 0; l < levels; l++)
        for (int s = 0; s < level[l].sweeps; s++)
            if (level[l].sweep[s].masked || is_column_chain(&level[l].sweep[s]))
                return false;
    return wp_description_taps(d) > 0 || is_signal(d) || are_images(d, rows->lanes, threads);
}

static void set_axis(const struct wp_cpu_batch *batch, struct wp_cpu_batch_level *level, int axis,
                     const struct wp_cpu_chain *chain)
{
    const struct wp_lifting *lifting = &batch->program->lifting;
    level->along[axis] = true;
    level->chain[axis] = chain->state ? &batch->program->chain : NULL;
    level->axis[axis].before = chain->state ? chain->before : lifting->before;
    level->axis[axis].after = chain->state ? chain->lag : lifting->after;
}

static bool set_level(struct wp_cpu_batch *batch, const struct wp_cpu_level *from, int l)
{
    struct wp_cpu_batch_level *level = &batch->level[l];
    const struct wp_cpu_sweep *last = &from->sweep[from->sweeps - 1];
    memcpy(level->scale_in, from->sweep[0].scale_in, sizeof level->scale_in);
    memcpy(level->scale_out, last->scale_out, sizeof level->scale_out);
    bool ok = true;
    for (int a = WP_X; a <= WP_Y; a++) {
        for (int s = 0; s < from->sweeps; s++)
            if (from->sweep[s].along[a])
                set_axis(batch, level, a, &from->sweep[s].chain);
        ok = wp_cpu_axis_set(&level->axis[a], &batch->description, l, a,
                             batch->program->lifting.extension) &&
             ok;
    }
    if (!ok || batch->kind != WP_CPU_GROUPS)
        return ok;
    level->row.before = level->axis[WP_X].before;
    level->row.after = level->axis[WP_X].after;
    ok = wp_cpu_axis_set(&level->row, &batch->description, l, WP_X,
                         batch->program->lifting.extension);
    if (ok)
        wp_cpu_group_set_level(batch, level);
    return ok;
}

// Lays out the low bands between levels, from float *at on.
static void lay_out_low(struct wp_cpu_batch *batch, size_t *at, size_t lanes)
{
    for (int l = 0; l + 1 < batch->levels; l++) {
        const struct wp_cpu_axis *axis = batch->level[l].axis;
        batch->layout.low[l] = *at;
        *at += wp_cpu_round_up((size_t)axis[WP_X].coefficients[0] *
                               (size_t)axis[WP_Y].coefficients[0] * lanes);
    }
}

// The longest row of samples or of coefficients.
static size_t width_of(const struct wp_cpu_batch *batch)
{
    int width = batch->level[0].axis[WP_X].size;
    for (int l = 0; l < batch->levels; l++)
        width = wp_max(width, batch->level[l].axis[WP_X].coefficients[0]);
    return (size_t)width;
}

static void lay_out(struct wp_cpu_batch *batch)
{
    struct wp_cpu_batch_layout *layout = &batch->layout;
    const bool groups = batch->kind == WP_CPU_GROUPS, signals = batch->kind == WP_CPU_SIGNALS;
    const size_t lanes = groups ? (size_t)batch->rows->lanes : 1;
    size_t at = groups    ? wp_cpu_group_floats(batch)
                : signals ? wp_cpu_signal_floats(batch)
                          : wp_cpu_image_floats(batch);
    if (is_whole(batch))
        lay_out_low(batch, &at, lanes);
    layout->stage = at;
    at += is_whole(batch) ? wp_cpu_round_up(samples_of(&batch->description) * lanes) : 0;
    layout->converted = at;
    layout->converted_pitch =
        signals ? wp_cpu_signal_converted(batch) : wp_cpu_round_up(width_of(batch));
    layout->floats = at + layout->converted_pitch * lanes + WP_CPU_LINE;
    layout->pointers = groups    ? wp_cpu_group_pointers(batch)
                       : signals ? 1
                                 : wp_cpu_image_pointers(batch);
    layout->all = layout->floats * (size_t)batch->threads;
    if (!is_whole(batch))
        lay_out_low(batch, &layout->all, lanes);
}

static bool allocate(struct wp_cpu_batch *batch)
{
    const size_t threads = (size_t)batch->threads, line = WP_CPU_LINE * sizeof(wp_real);
    batch->memory = wp_allocate(batch->layout.all + WP_CPU_LINE, sizeof(wp_real),
                                "the images of a group");
    batch->pointers =
        wp_allocate(batch->layout.pointers * threads, sizeof(wp_real *), "the rows of a group");
    if (!batch->memory || !batch->pointers)
        return false;
    batch->aligned =
        batch->memory + (line - (uintptr_t)batch->memory % line) % line / sizeof(wp_real);
    return true;
}

struct wp_cpu_batch *wp_cpu_batch_create(const struct wp_description *d,
                                         const struct wp_cpu_level *level,
                                         const struct wp_cpu_program *program,
                                         const struct wp_cpu_rows *rows, int threads)
{
    struct wp_cpu_batch *batch = wp_allocate(1, sizeof *batch, "a batch");
    if (!batch)
        return NULL;
    batch->description = *d;
    batch->program = program;
    batch->rows = rows;
    batch->threads = threads;
    batch->levels = wp_description_levels(d);
    batch->forward = d->direction == WP_FORWARD;
    batch->kind = kind_of(d);
    bool ok = true;
    for (int l = 0; l < batch->levels && ok; l++)
        ok = set_level(batch, &level[l], l);
    if (ok)
        lay_out(batch);
    if (!ok || !allocate(batch)) {
        wp_cpu_batch_destroy(batch);
        return NULL;
    }
    return batch;
}

void wp_cpu_batch_destroy(struct wp_cpu_batch *batch)
{
    if (!batch)
        return;
    for (int l = 0; l < batch->levels; l++) {
        wp_cpu_axis_free(&batch->level[l].axis[WP_X]);
        wp_cpu_axis_free(&batch->level[l].axis[WP_Y]);
        wp_cpu_axis_free(&batch->level[l].row);
    }
    free(batch->memory);
    free(batch->pointers);
    wp_cpu_columns_destroy(batch->columns);
    free(batch);
}

// ---- calls ----

static void bind(struct wp_cpu_batch_call *call, const struct wp_operand *samples,
                 const struct wp_operand *coefficients)
{
    const struct wp_description *d = &call->batch->description;
    const int levels = call->batch->levels;
    call->samples = wp_operand_band(d, samples, 0, WP_BAND_LL, 0);
    call->coefficients = coefficients->band ? (struct wp_operand){0} : *coefficients;
    for (int l = 0; l < levels; l++)
        for (int b = l + 1 < levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++)
            if (((unsigned)b & ~wp_description_axes(d, l + 1)) == 0)
                call->band[l][b] = wp_operand_band(d, coefficients, l + 1, (enum wp_band)b, 0);
}

bool wp_cpu_batch_in_place(const struct wp_cpu_batch *batch, const struct wp_operand *from,
                           const struct wp_operand *to)
{
    return is_whole(batch) && !from->band && !to->band && from->data == to->data &&
           from->type == to->type &&
           memcmp(from->stride, to->stride, sizeof from->stride) == 0;
}

// Slices that are transformed together.
static int group_size(const struct wp_cpu_batch *batch)
{
    return batch->kind == WP_CPU_GROUPS ? batch->rows->lanes : 1;
}

static int groups_of(const struct wp_cpu_batch *batch)
{
    const int size = group_size(batch);
    return (wp_description_depth(&batch->description) + size - 1) / size;
}

static void run_part(void *user, int i, int thread)
{
    const struct wp_cpu_batch_call *call = user;
    const struct wp_cpu_batch *batch = call->batch;
    const int groups = groups_of(batch), size = group_size(batch);
    const int first = (int)((int64_t)groups * i / call->parts);
    const int end = (int)((int64_t)groups * (i + 1) / call->parts);
    for (int g = first; g < end; g++) {
        const int left = wp_description_depth(&batch->description) - g * size;
        if (batch->kind == WP_CPU_SIGNALS)
            wp_cpu_signal_run(call, thread, g);
        else
            wp_cpu_group_run(call, thread, g * size, wp_min(size, left));
    }
    if (call->stream)
        batch->rows->finish_stream();
}

void wp_cpu_batch_run(struct wp_cpu_batch *batch, const struct wp_operand *from,
                      const struct wp_operand *to, bool in_place)
{
    struct wp_cpu_batch_call call = {.batch = batch, .in_place = in_place};
    const size_t slices = (size_t)wp_description_depth(&batch->description);
    call.stream = batch->kind == WP_CPU_SIGNALS && !in_place &&
                  samples_of(&batch->description) * slices * sizeof(wp_real) >
                      WP_CPU_STREAMED_BYTES;
    bind(&call, batch->forward ? from : to, batch->forward ? to : from);
    if (wp_cpu_columns_run(batch, &call))
        return;
    if (!is_whole(batch)) {
        (batch->kind == WP_CPU_SIGNALS ? wp_cpu_signals_share : wp_cpu_images_share)(&call);
        return;
    }
    call.parts = wp_min(groups_of(batch), PARTS_PER_THREAD * batch->threads);
    wp_threads_share(batch->threads, call.parts, run_part, &call);
}
