// Redundant banks: memory, levels and threads. cpu_redundant_level.h has the arithmetic.
#include "cpu_exec.h"

#include "clock.h"
#include "cpu_memory.h"
#include "cpu_redundant_level.h"
#include "memory.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

// Threads do not share a slice if there are that many slices per thread.
enum { SLICES_PER_THREAD = 4, PARTS_PER_THREAD = 16 };

// The memory of a slice, or of a volume with levels along z: of one thread, or shared by all.
struct memory {
    struct wp_cpu_block low[2]; // low bands between levels
    wp_real *scratch;           // of the first thread
};

struct wp_cpu_exec {
    struct wp_description description; // its wavelet may no longer exist
    struct wp_cpu_redundant redundant;
    int threads;
    int slices;  // that are independent
    int parts;   // slices at once, each by one thread; 1: all threads share a slice
    size_t samples; // of a slice, or of a volume with levels along z
    size_t scratch_size;
    struct wp_cpu_block scratch; // of all threads
    struct wp_cpu_reach *reach;  // of level l at l - 1
    struct wp_operand (*view)[WP_OCTET_BANDS]; // of a call: bands of level l at l, samples at 0
    struct memory *memory;       // of each part
    struct wp_cpu_block buffer[2]; // samples and coefficients; allocated on first use
};

static void release(struct wp_cpu_exec *exec)
{
    if (!exec)
        return;
    for (int i = 0; exec->memory && i < exec->parts; i++)
        for (int k = 0; k < 2; k++)
            wp_cpu_block_free(&exec->memory[i].low[k]);
    free(exec->memory);
    free(exec->reach);
    free(exec->view);
    wp_cpu_block_free(&exec->scratch);
    for (int k = 0; k < 2; k++)
        wp_cpu_block_free(&exec->buffer[k]);
    free(exec);
}

// Is there a low band between two levels? `which`: of these, the first or the second.
static bool needs_low(const struct wp_cpu_exec *exec, int which)
{
    const enum wp_level_rule rule = exec->redundant.bank.rule;
    const int most = exec->redundant.bank.levels - (rule != WP_LEVEL_MERGE);
    return rule != WP_LEVEL_SUM && rule != WP_LEVEL_REPEAT &&
           (most > which || (rule == WP_LEVEL_MERGE && which == 1));
}

static struct wp_cpu_exec *prepare(const struct wp_description *d,
                                   const struct wp_cpu_method *method, int threads)
{
    struct wp_cpu_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    (void)method;
    if (!exec)
        return NULL;
    exec->description = *d;
    exec->threads = threads;
    bool ok = wp_redundant_make(d, &exec->redundant.bank);
    if (!ok) {
        release(exec);
        return NULL;
    }
    const bool along_z = exec->redundant.bank.axes >> WP_Z & 1;
    wp_cpu_redundant_set(&exec->redundant, d);
    exec->slices = along_z ? 1 : wp_description_depth(d);
    exec->parts = exec->slices >= SLICES_PER_THREAD * threads ? threads : 1;
    exec->samples = wp_description_samples(d) / (size_t)exec->slices;
    exec->scratch_size = wp_cpu_redundant_scratch(&exec->redundant);
    const size_t levels = (size_t)exec->redundant.bank.levels;
    exec->memory = wp_allocate((size_t)exec->parts, sizeof *exec->memory, "the parts");
    exec->reach = wp_allocate(levels + 1, sizeof *exec->reach, "the taps of levels");
    exec->view = wp_allocate(levels + 1, sizeof *exec->view, "the bands of levels");
    ok = exec->memory && exec->reach && exec->view &&
         wp_cpu_block_allocate(&exec->scratch, (size_t)threads * exec->scratch_size,
                               sizeof(wp_real), threads, "the rows of a level");
    for (int l = 1; l <= (int)levels && ok; l++)
        wp_cpu_redundant_reach(&exec->redundant, l, &exec->reach[l - 1]);
    for (int i = 0; i < exec->parts && ok; i++) {
        exec->memory[i].scratch =
            (wp_real *)exec->scratch.data + (size_t)i * exec->scratch_size;
        for (int k = 0; k < 2 && ok; k++)
            ok = !needs_low(exec, k) ||
                 wp_cpu_block_allocate(&exec->memory[i].low[k], exec->samples, sizeof(wp_real),
                                       exec->parts == 1 ? threads : 1, "the levels between");
    }
    if (ok)
        return exec;
    release(exec);
    return NULL;
}

// ---- operands

static bool is_samples(const struct wp_cpu_exec *exec, bool in)
{
    return in == (exec->description.direction == WP_FORWARD);
}

static int bands_of(const struct wp_cpu_exec *exec, bool samples)
{
    return samples ? 1 : wp_subband_count(&exec->description);
}

// Band number i of an operand of coefficients, or the samples.
static struct wp_operand band_at(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                                 bool samples, int i)
{
    enum wp_band band = WP_BAND_LL;
    const int level = samples ? 0 : wp_subband_at(&exec->description, i, &band);
    return wp_operand_band(&exec->description, operand, level, band, 0);
}

static bool is_direct(const struct wp_operand *view)
{
    return view->type == WP_CPU_ELEMENT && view->stride[WP_X] == 1;
}

static bool is_direct_operand(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                              bool samples)
{
    bool direct = true;
    for (int i = 0; i < bands_of(exec, samples) && direct; i++) {
        const struct wp_operand view = band_at(exec, operand, samples, i);
        direct = is_direct(&view);
    }
    return direct;
}

static struct wp_cpu_array array_of(const struct wp_operand *view)
{
    return (struct wp_cpu_array){view->data, view->stride[WP_Y], view->stride[WP_Z]};
}

// The execution's own samples or coefficients. False after WP_ERROR_TOO_LARGE.
static bool own_operand(struct wp_cpu_exec *exec, bool samples, struct wp_operand *own)
{
    const struct wp_description *d = &exec->description;
    struct wp_cpu_block *block = &exec->buffer[samples];
    if (!block->data &&
        !wp_cpu_block_allocate(
            block, samples ? wp_description_samples(d) : wp_description_coefficients(d),
            sizeof(wp_real), exec->threads, samples ? "the image" : "its coefficients"))
        return false;
    *own = samples ? wp_operand_dense(d, block->data) : wp_operand_coefficients(d, block->data);
    own->type = WP_CPU_ELEMENT;
    return true;
}

// ---- copies of operands, with the weights of the input

struct copy {
    const struct wp_cpu_exec *exec;
    struct wp_operand own, view;
    bool to_caller;
};

static void copy_slice_row(void *user, int i, int thread)
{
    const struct copy *copy = user;
    const struct wp_cpu_redundant *r = &copy->exec->redundant;
    const int y = i % r->size[WP_Y], z = i / r->size[WP_Y];
    const ptrdiff_t at = y * copy->view.stride[WP_Y] + z * copy->view.stride[WP_Z];
    wp_real *row = (wp_real *)copy->own.data + y * copy->own.stride[WP_Y] +
                   z * copy->own.stride[WP_Z];
    (void)thread;
    if (copy->to_caller) {
        wp_operand_write(r->rows->elements, &copy->view, at, row, false, r->size[WP_X]);
        return;
    }
    wp_operand_read(r->rows->elements, row, &copy->view, at, false, r->size[WP_X]);
    wp_cpu_redundant_weight(r, y, z, true, row);
}

static bool copy_operand(struct wp_cpu_exec *exec, const struct wp_operand *operand, bool samples,
                         bool to_caller)
{
    struct wp_operand own;
    if (!own_operand(exec, samples, &own))
        return false;
    for (int i = 0; i < bands_of(exec, samples); i++) {
        struct copy copy = {exec, band_at(exec, &own, samples, i),
                            band_at(exec, operand, samples, i), to_caller};
        wp_threads_share(exec->threads,
                         exec->redundant.size[WP_Y] * exec->redundant.size[WP_Z], copy_slice_row,
                         &copy);
    }
    return true;
}

// ---- levels

// A slice, or a volume with levels along z, in the memory of a part.
struct slice {
    const struct wp_cpu_exec *exec;
    const struct memory *memory;
    int z, threads;
};

static struct wp_operand view_of(const struct slice *s, bool in, int level, unsigned band)
{
    const bool samples = is_samples(s->exec, in);
    const struct wp_operand *view = &s->exec->view[samples ? 0 : level][samples ? 0 : band];
    return wp_operand_advance(view, WP_Z, s->z, NULL);
}

// Are that many slices written past the caches?
static bool streams(const struct slice *s, int slices)
{
    return s->exec->samples * (size_t)slices * sizeof(wp_real) > WP_CPU_STREAMED_BYTES;
}

// A view as a sink; `view` must outlive it.
static struct wp_cpu_sink sink_of(const struct slice *s, const struct wp_operand *view)
{
    const bool weighted = s->exec->redundant.bank.weighted;
    struct wp_cpu_sink sink = {.operand = view, .weighted = weighted};
    if (is_direct(view) && !weighted)
        sink.array = array_of(view);
    sink.stream = streams(s, s->exec->slices);
    return sink;
}

static struct wp_cpu_array low_of(const struct slice *s, int which)
{
    const int *size = s->exec->redundant.size;
    return (struct wp_cpu_array){s->memory->low[which].data, size[WP_X],
                                 (ptrdiff_t)size[WP_X] * size[WP_Y]};
}

// The low band between two levels, which is `c` of the next one.
static struct wp_cpu_sink low_sink(const struct slice *s, int which, struct wp_cpu_array *c)
{
    *c = low_of(s, which);
    return (struct wp_cpu_sink){.array = *c, .stream = streams(s, 1)};
}

struct tasks {
    const struct slice *slice;
    const struct wp_cpu_redundant_level *level;
};

// Other threads read what a task has written after it; the thread itself does so at once.
static void finish_task(const struct slice *s)
{
    if (s->threads > 1)
        s->exec->redundant.rows->finish_stream();
}

static void run_task(void *user, int i, int thread)
{
    const struct tasks *tasks = user;
    wp_cpu_redundant_task(tasks->level, i,
                          tasks->slice->memory->scratch +
                              (size_t)thread * tasks->slice->exec->scratch_size);
    finish_task(tasks->slice);
}

static void run_level(const struct slice *s, struct wp_cpu_redundant_level *level)
{
    level->redundant = &s->exec->redundant;
    level->reach = &s->exec->reach[level->level - 1];
    struct tasks tasks = {s, level};
    wp_threads_share(s->threads, wp_cpu_redundant_tasks(level), run_task, &tasks);
}

static bool is_band(const struct wp_redundant *bank, unsigned band)
{
    const bool starlet = bank->rule != WP_LEVEL_SPLIT && bank->rule != WP_LEVEL_JOIN;
    return band > 0 && (starlet ? band == bank->axes : (band & ~bank->axes) == 0);
}

// WP_LEVEL_SPLIT, WP_LEVEL_DIFFERENCE.
static void run_forward(const struct slice *s)
{
    const struct wp_redundant *bank = &s->exec->redundant.bank;
    const struct wp_operand samples = view_of(s, true, 0, 0);
    struct wp_cpu_array c = array_of(&samples);
    for (int l = 1; l <= bank->levels; l++) {
        struct wp_operand view[WP_OCTET_BANDS];
        struct wp_cpu_redundant_level level = {.level = l, .from = {c}};
        for (unsigned b = 0; b < WP_OCTET_BANDS; b++) {
            if (!is_band(bank, b) && (b > 0 || l < bank->levels))
                continue;
            view[b] = view_of(s, false, l, b);
            level.to[b] = sink_of(s, &view[b]);
        }
        if (l < bank->levels)
            level.to[0] = low_sink(s, l % 2 == 0, &c);
        run_level(s, &level);
    }
}

static void run_join(const struct slice *s)
{
    const struct wp_redundant *bank = &s->exec->redundant.bank;
    const struct wp_operand to = view_of(s, false, 0, 0);
    struct wp_operand low = view_of(s, true, bank->levels, 0);
    struct wp_cpu_array c = array_of(&low);
    for (int l = bank->levels; l > 0; l--) {
        struct wp_cpu_redundant_level level = {.level = l, .from = {c}};
        for (unsigned b = 1; b < WP_OCTET_BANDS; b++) {
            if (!is_band(bank, b))
                continue;
            const struct wp_operand view = view_of(s, true, l, b);
            level.from[b] = array_of(&view);
        }
        if (l > 1)
            level.to[0] = low_sink(s, (bank->levels - l) % 2, &c);
        else
            level.to[0] = sink_of(s, &to);
        run_level(s, &level);
    }
}

// ---- rules that need no filter

// out = sum of weight[i] in[i], for all rows.
struct sum {
    const struct slice *slice;
    int count;
    struct wp_cpu_array in[WP_MAX_LEVELS + 1];
    wp_real weight[WP_MAX_LEVELS + 1];
    struct wp_cpu_sink to;
};

static void sum_row(void *user, int i, int thread)
{
    const struct sum *sum = user;
    const struct wp_cpu_redundant *r = &sum->slice->exec->redundant;
    const int y = i % r->size[WP_Y], z = i / r->size[WP_Y];
    const wp_real *in[WP_MAX_LEVELS + 1];
    wp_real *out = wp_cpu_sink_row(&sum->to, y, z,
                                   sum->slice->memory->scratch +
                                       (size_t)thread * sum->slice->exec->scratch_size);
    for (int k = 0; k < sum->count; k++)
        in[k] = sum->in[k].data + y * sum->in[k].row + z * sum->in[k].slice;
    r->rows->sum(out, in, sum->weight, sum->count, r->size[WP_X],
                 sum->to.stream && sum->to.array.data);
    wp_cpu_sink_commit(r, &sum->to, y, z, out);
    finish_task(sum->slice);
}

static void add_term(struct sum *sum, const struct wp_cpu_array *in, wp_real weight)
{
    sum->in[sum->count] = *in;
    sum->weight[sum->count++] = weight;
}

static void run_sum(const struct slice *s, struct sum *sum)
{
    const int *size = s->exec->redundant.size;
    const bool along_z = s->exec->redundant.bank.axes >> WP_Z & 1;
    sum->slice = s;
    wp_threads_share(s->threads, size[WP_Y] * (along_z ? size[WP_Z] : 1), sum_row, sum);
}

// WP_LEVEL_SUM, all levels at once.
static void run_sum_of_bands(const struct slice *s)
{
    const struct wp_redundant *bank = &s->exec->redundant.bank;
    const struct wp_operand to = view_of(s, false, 0, 0);
    struct sum sum = {.to = sink_of(s, &to)};
    for (int l = bank->levels; l > 0; l--) {
        const struct wp_operand low = view_of(s, true, l, 0);
        const struct wp_operand band = view_of(s, true, l, bank->axes);
        const struct wp_cpu_array c = array_of(&low), w = array_of(&band);
        if (l == bank->levels)
            add_term(&sum, &c, 1);
        add_term(&sum, &w, 1);
    }
    run_sum(s, &sum);
}

static void run_repeat(const struct slice *s)
{
    const struct wp_redundant *bank = &s->exec->redundant.bank;
    const struct wp_operand from = view_of(s, true, 0, 0);
    const struct wp_cpu_array c = array_of(&from);
    for (int l = 0; l <= bank->levels; l++) {
        const struct wp_operand view =
            view_of(s, false, l > 0 ? l : bank->levels, l > 0 ? bank->axes : 0);
        struct sum sum = {.to = sink_of(s, &view)};
        add_term(&sum, &c, 1);
        run_sum(s, &sum);
    }
}

static void run_merge(const struct slice *s)
{
    const struct wp_redundant *bank = &s->exec->redundant.bank;
    const struct wp_operand to = view_of(s, false, 0, 0), low = view_of(s, true, bank->levels, 0);
    const struct wp_cpu_array rest = low_of(s, 1);
    struct wp_cpu_array c = array_of(&low);
    for (int l = bank->levels; l > 0; l--) {
        const struct wp_operand view = view_of(s, true, l, bank->axes);
        const struct wp_cpu_array band = array_of(&view);
        struct sum difference = {.to = {.array = rest}};
        add_term(&difference, &c, 1);
        add_term(&difference, &band, -1);
        run_sum(s, &difference);
        struct wp_cpu_redundant_level level = {.level = l, .from = {rest}};
        level.from[bank->axes] = band;
        if (l > 1)
            level.to[0] = low_sink(s, 0, &c);
        else
            level.to[0] = sink_of(s, &to);
        run_level(s, &level);
    }
}

static void run_slice(const struct slice *s)
{
    switch (s->exec->redundant.bank.rule) {
    case WP_LEVEL_SPLIT:
    case WP_LEVEL_DIFFERENCE: run_forward(s); break;
    case WP_LEVEL_JOIN: run_join(s); break;
    case WP_LEVEL_SUM: run_sum_of_bands(s); break;
    case WP_LEVEL_MERGE: run_merge(s); break;
    case WP_LEVEL_REPEAT: run_repeat(s); break;
    }
}

// ---- execution

// More than threads, so that these finish together.
static int parts_of(const struct wp_cpu_exec *exec)
{
    const int most = PARTS_PER_THREAD * exec->parts;
    return exec->slices < most ? exec->slices : most;
}

// The slices of one of these parts.
static void run_part(void *user, int i, int thread)
{
    const struct wp_cpu_exec *exec = user;
    const int parts = parts_of(exec), end = (int)((int64_t)exec->slices * (i + 1) / parts);
    for (int z = (int)((int64_t)exec->slices * i / parts); z < end; z++) {
        const struct slice slice = {exec, &exec->memory[thread], z, 1};
        run_slice(&slice);
    }
    exec->redundant.rows->finish_stream();
}

// Bands of the coefficients and the samples, for all slices.
static void set_views(struct wp_cpu_exec *exec, const struct wp_operand *samples,
                      const struct wp_operand *coefficients)
{
    const struct wp_description *d = &exec->description;
    const struct wp_redundant *bank = &exec->redundant.bank;
    exec->view[0][0] = wp_operand_band(d, samples, 0, WP_BAND_LL, 0);
    for (int l = 1; l <= bank->levels; l++)
        for (unsigned b = 0; b < WP_OCTET_BANDS; b++)
            if (is_band(bank, b) || (b == 0 && l == bank->levels))
                exec->view[l][b] = wp_operand_band(d, coefficients, l, (enum wp_band)b, 0);
}

// Transforms operands that can be read in place.
static double run_operands(struct wp_cpu_exec *exec, const struct wp_operand *from,
                           const struct wp_operand *to)
{
    const double start = wp_clock_seconds();
    const bool forward = is_samples(exec, true);
    set_views(exec, forward ? from : to, forward ? to : from);
    if (exec->parts > 1)
        wp_threads_share(exec->parts, parts_of(exec), run_part, exec);
    for (int z = 0; exec->parts == 1 && z < exec->slices; z++) {
        const struct slice slice = {exec, &exec->memory[0], z, exec->threads};
        run_slice(&slice);
    }
    exec->redundant.rows->finish_stream();
    return wp_clock_seconds() - start;
}

static bool load(struct wp_cpu_exec *exec, const struct wp_operand *from)
{
    return copy_operand(exec, from, is_samples(exec, true), false);
}

static bool store(struct wp_cpu_exec *exec, const struct wp_operand *to)
{
    return copy_operand(exec, to, is_samples(exec, false), true);
}

static bool run(struct wp_cpu_exec *exec, double *seconds)
{
    struct wp_operand from, to;
    if (!own_operand(exec, is_samples(exec, true), &from) ||
        !own_operand(exec, is_samples(exec, false), &to))
        return false;
    const double elapsed = run_operands(exec, &from, &to);
    if (seconds)
        *seconds = elapsed;
    return true;
}

// Input is copied if it cannot be read in place, overlaps the output or is weighted.
static bool transform(struct wp_cpu_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds)
{
    const bool samples = is_samples(exec, true);
    const bool copy = exec->redundant.bank.weighted || !is_direct_operand(exec, from, samples) ||
                      wp_operand_overlaps(&exec->description, from, to);
    struct wp_operand own;
    if (copy && (!load(exec, from) || !own_operand(exec, samples, &own)))
        return false;
    const double elapsed = run_operands(exec, copy ? &own : from, to);
    if (seconds)
        *seconds = elapsed;
    return true;
}

const struct wp_cpu_arithmetic wp_cpu_redundant_f32 = {prepare, release, load,
                                                       run,     store,   transform};
