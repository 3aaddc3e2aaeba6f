// The parts of a batch: levels, and the work of a thread. Internal to cpu_batch.c, cpu_group.c,
// cpu_signal.c, cpu_image.c and cpu_columns.c.
#ifndef WP_CPU_BATCH_PARTS_H
#define WP_CPU_BATCH_PARTS_H

#include "cpu_axis.h"
#include "cpu_batch.h"
#include "min_max.h"
#include "operand.h"

struct wp_cpu_batch_level {
    struct wp_cpu_axis axis[2];
    struct wp_cpu_axis row; // of groups: as along x, with offsets in floats instead of positions
    bool along[2];                       // axes that are transformed,
    const struct wp_cpu_chain *chain[2]; // by a chain; NULL: by single steps
    wp_real scale_in[WP_BAND_COUNT], scale_out[WP_BAND_COUNT];
};

// The memory of a thread, as offsets in floats: of the rows of a level (a group, an image) or of a
// block (a signal), which are at 0, the low bands of all levels but the last, the samples of a transform in
// place, and rows of floats that are converted from and to elements. If threads share a slice, its
// low bands are behind the memory of all of them.
struct wp_cpu_batch_layout {
    size_t low[WP_MAX_LEVELS], stage, converted, converted_pitch, floats;
    size_t all; // floats of all threads
    size_t pointers; // to rows, in memory of their own
};

struct wp_cpu_batch {
    struct wp_description description;
    const struct wp_cpu_program *program;
    const struct wp_cpu_rows *rows;
    int threads, levels;
    bool forward;
    enum wp_cpu_batch_kind { WP_CPU_GROUPS, WP_CPU_SIGNALS, WP_CPU_IMAGES } kind;
    struct wp_cpu_batch_level level[WP_MAX_LEVELS];
    struct wp_cpu_batch_layout layout;
    wp_real *memory, *aligned; // of all threads
    wp_real **pointers;
    struct wp_cpu_columns *columns; // NULL before the first use
};

// The operands of a call: samples, and bands by level (from 0) without the low bands between.
struct wp_cpu_batch_call {
    const struct wp_cpu_batch *batch;
    struct wp_operand samples, band[WP_MAX_LEVELS][WP_BAND_COUNT];
    struct wp_operand coefficients; // one array of all bands; without data if there is none
    bool in_place;
    bool stream; // results of signals are written past the caches
    int parts;
    int level, slice; // of a slice that threads share
};

// The memory of a thread.
static inline wp_real *wp_cpu_batch_memory(const struct wp_cpu_batch *batch, int thread)
{
    return batch->aligned + (size_t)thread * batch->layout.floats;
}

// Runs a single step for n floats of `target`; samples of neighboring quads of the other parity are
// `pitch` floats apart.
static inline void wp_cpu_batch_step(const struct wp_cpu_batch *batch, int s, wp_real *target,
                                     const wp_real *other, ptrdiff_t pitch, int n)
{
    const struct wp_filter *filter = &batch->program->lifting.step[s].filter;
    const wp_real *in[WP_MAX_TAPS];
    for (int t = 0; t < filter->count; t++)
        in[t] = other + filter->tap[t].k * pitch;
    if (filter->count)
        batch->rows->lift(target, in, batch->program->c[s], filter->count, n);
}

// to[i] = the sum of weight * from[entry.from * step + i] over the entries, at least one, in double
// precision, for n floats. An entry may be `to` itself.
static inline void wp_cpu_batch_sum(wp_real *to, const wp_real *from, ptrdiff_t step,
                                    const struct wp_axis_entry *entry, int entries, int n)
{
    enum { BLOCK = 128 };
    for (int first = 0; first < n; first += BLOCK) {
        const int count = wp_min(n - first, BLOCK);
        double sum[BLOCK];
        for (int e = 0; e < entries; e++) {
            const wp_real *in = from + entry[e].from * step + first;
            for (int i = 0; i < count; i++)
                sum[i] = (e > 0 ? sum[i] : 0) + entry[e].weight * (double)in[i];
        }
        for (int i = 0; i < count; i++)
            to[first + i] = (wp_real)sum[i];
    }
}

// ---- groups of images (cpu_group.c) ----

// Floats of the rows of any level, and pointers to them.
size_t wp_cpu_group_floats(const struct wp_cpu_batch *batch);
size_t wp_cpu_group_pointers(const struct wp_cpu_batch *batch);

// Changes the sums of level->row, which are those along x, from positions to offsets.
void wp_cpu_group_set_level(const struct wp_cpu_batch *batch, struct wp_cpu_batch_level *level);

// Transforms images first..first+count-1, at most one per lane.
void wp_cpu_group_run(const struct wp_cpu_batch_call *call, int thread, int first, int count);

// ---- signals (cpu_signal.c) ----

size_t wp_cpu_signal_floats(const struct wp_cpu_batch *batch);
// Floats of a row to be converted.
size_t wp_cpu_signal_converted(const struct wp_cpu_batch *batch);

// Lifts n even and odd samples and those that are read before and after them, as
// wp_cpu_rows.chain_signal().
void wp_cpu_signal_lift(const struct wp_cpu_batch *batch, const struct wp_cpu_batch_level *level,
                        wp_real *const half[2], int n);

// Transforms a signal in one thread.
void wp_cpu_signal_run(const struct wp_cpu_batch_call *call, int thread, int slice);
// Transforms all signals one after the other; threads share each of their levels. Low bands have
// offsets from the memory of thread 0.
void wp_cpu_signals_share(struct wp_cpu_batch_call *call);

// ---- images with borders (cpu_image.c) ----

size_t wp_cpu_image_floats(const struct wp_cpu_batch *batch);
size_t wp_cpu_image_pointers(const struct wp_cpu_batch *batch);

// Transforms all images as wp_cpu_signals_share().
void wp_cpu_images_share(struct wp_cpu_batch_call *call);

// ---- signals that are neighbors (cpu_columns.c) ----

// Transforms all signals. False if the operands do not have that arrangement, or without memory.
bool wp_cpu_columns_run(struct wp_cpu_batch *batch, const struct wp_cpu_batch_call *call);
void wp_cpu_columns_destroy(struct wp_cpu_columns *columns); // accepts NULL

#endif
