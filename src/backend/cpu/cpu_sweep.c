#include "cpu_sweep_parts.h"

#include "cpu_chain.h"
#include "min_max.h"

#include <string.h>

// Columns that are processed by all steps while they are in the first-level cache.
enum { CHUNK = 2048 / sizeof(wp_real) };

void wp_cpu_program_set(struct wp_cpu_program *program, const struct wp_lifting *lifting)
{
    program->lifting = *lifting;
    for (int s = 0; s < lifting->steps; s++)
        for (int t = 0; t < lifting->step[s].filter.count; t++)
            program->c[s][t] = (wp_real)lifting->step[s].filter.tap[t].c;
    program->chain = wp_cpu_chain_make(lifting);
}

static void set_lifting_ring(struct wp_cpu_sweep *sweep)
{
    const struct wp_lifting *lifting = &sweep->program->lifting;
    for (int a = WP_X; a <= WP_Y; a++) {
        sweep->low[a] = sweep->along[a] ? lifting->before : 0;
        sweep->high[a] = sweep->along[a] ? lifting->after : 0;
    }
    const int steps = sweep->along[WP_Y] ? lifting->steps : 0;
    sweep->lag = steps ? lifting->step[steps - 1].lag : 0;
    sweep->rows = sweep->lag + 1;
    for (int s = 0; s < steps; s++)
        sweep->rows = wp_max(sweep->rows, lifting->step[s].lag - lifting->step[s].low + 1);
}

// A chain of pairs requires rows that are split and merged as in wp_cpu_rows.chain().
static void set_sweep_chain(struct wp_cpu_sweep *sweep)
{
    const bool x = sweep->along[WP_X], y = sweep->along[WP_Y];
    const struct wp_cpu_chain *chain = &sweep->program->chain;
    sweep->chain.state = 0;
    if (sweep->masked || !(x || y) || !chain->state)
        return;
    if (!wp_cpu_chain_has_steps(chain) &&
        (sweep->from.samples != (x && !chain->mirrored) ||
         (sweep->to.samples != (y && chain->mirrored) && (x || sweep->to.samples))))
        return;
    sweep->chain = *chain;
    sweep->low[WP_Y] = y ? chain->before : 0;
    sweep->high[WP_Y] = sweep->lag = y ? chain->lag : 0;
}

static void set_mask_ring(struct wp_cpu_sweep *sweep)
{
    for (int a = WP_X; a <= WP_Y; a++)
        sweep->low[a] = sweep->high[a] = 0;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        for (int t = 0; t < sweep->mask[b].count; t++) {
            const struct wp_cpu_term *term = &sweep->mask[b].term[t];
            for (int a = WP_X; a <= WP_Y; a++) {
                sweep->low[a] = wp_max(sweep->low[a], -term->at[a]);
                sweep->high[a] = wp_max(sweep->high[a], term->at[a]);
            }
        }
    }
    sweep->lag = sweep->high[WP_Y];
    sweep->rows = sweep->low[WP_Y] + sweep->high[WP_Y] + 1;
}

static int round_up(int n)
{
    return (int)wp_cpu_round_up((size_t)n);
}

void wp_cpu_sweep_finish(struct wp_cpu_sweep *sweep)
{
    if (sweep->masked)
        set_mask_ring(sweep);
    else
        set_lifting_ring(sweep);
    set_sweep_chain(sweep);
    const int quads = sweep->size[WP_X] / 2 + sweep->size[WP_X] % 2;
    sweep->pad = round_up(sweep->low[WP_X]) + WP_CPU_LINE;
    sweep->stride = sweep->pad + round_up(quads + sweep->high[WP_X]) + WP_CPU_LINE;
}

// For masks, pointers to the input rows follow the ring.
static size_t ring_floats(const struct wp_cpu_sweep *sweep)
{
    return WP_CPU_SLACK + (size_t)sweep->rows * WP_BAND_COUNT * (size_t)sweep->stride;
}

static size_t scratch_floats(const struct wp_cpu_sweep *sweep)
{
    if (sweep->chain.state)
        return wp_cpu_sweep_chain_floats(sweep);
    size_t extra = WP_CPU_SLACK;
    for (int b = 0; sweep->masked && b < WP_BAND_COUNT; b++) {
        const size_t rows = (size_t)sweep->mask[b].count * sizeof(wp_real *) / sizeof(wp_real);
        extra = rows > extra ? rows : extra;
    }
    return ring_floats(sweep) + extra;
}

static size_t convert_floats(const struct wp_cpu_sweep *sweep)
{
    return sweep->typed ? WP_CPU_CONVERT_ROWS * wp_cpu_convert_pitch(sweep) : 0;
}

size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep)
{
    return scratch_floats(sweep) + 2 * convert_floats(sweep);
}

// Quad 0 of a row in the ring: cx is 1 for odd columns, cy for odd rows.
static wp_real *at(const struct wp_cpu_row_sweep *w, int row, int cx, int cy)
{
    const int slot = (row - w->origin) % w->sweep->rows;
    return w->ring + (size_t)(slot * WP_BAND_COUNT + cx + 2 * cy) * (size_t)w->sweep->stride +
           w->sweep->pad;
}

// An input row of samples.
struct source {
    bool samples;
    const wp_real *in[2]; // by the parity of x; for samples only the first
    wp_real scale[2];
};

static wp_real sample(const struct source *source, int x)
{
    if (x < 0)
        return 0;
    return source->samples ? source->in[0][x] : source->scale[x & 1] * source->in[x & 1][x >> 1];
}

static struct source source_of(const struct wp_cpu_row_sweep *w, int y)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const struct wp_cpu_quads *from = &sweep->from;
    if (from->samples)
        return (struct source){.samples = true,
                               .in = {wp_cpu_sweep_row_in(w, 0, y, w->convert_in)}};
    struct source source = {0};
    for (int cx = 0; cx < 2; cx++) {
        const int component = cx + 2 * (y & 1);
        source.in[cx] = wp_cpu_sweep_row_in(w, component, y >> 1,
                                            w->convert_in + wp_cpu_convert_half(sweep, cx));
        source.scale[cx] = sweep->scale_in[component];
    }
    return source;
}

// Extends a row: sets its quads first..end-1.
static void extend_row(const struct wp_cpu_row_sweep *w, const struct source *source, wp_real *even,
                       wp_real *odd, int first, int end)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const enum wp_extension extension = sweep->program->lifting.extension;
    for (int q = first; q < end; q++) {
        even[q] = sample(source, wp_extend(extension, 2 * q, sweep->size[WP_X]));
        odd[q] = sample(source, wp_extend(extension, 2 * q + 1, sweep->size[WP_X]));
    }
}

// Reads half a row of quads, the samples of one y, and extends it along x.
static void fill_row(const struct wp_cpu_row_sweep *w, const struct source *source, wp_real *even,
                     wp_real *odd)
{
    const int full_quads = w->sweep->size[WP_X] / 2;
    if (source->samples) {
        w->rows->split(even, odd, source->in[0], full_quads);
    } else {
        w->rows->scale(even, source->in[0], source->scale[0], full_quads);
        w->rows->scale(odd, source->in[1], source->scale[1], full_quads);
    }
    extend_row(w, source, even, odd, -w->sweep->low[WP_X], 0);
    extend_row(w, source, even, odd, full_quads, w->quads + w->sweep->high[WP_X]);
}

static void lift_rows(const struct wp_cpu_row_sweep *w, int s, wp_real *out,
                      const wp_real *const *in, int n)
{
    const struct wp_cpu_program *program = w->sweep->program;
    const struct wp_lifting_step *step = &program->lifting.step[s];
    if (program->lifting.reversible)
        w->rows->lift_integer(out, in, program->c[s], step->filter.count, (wp_real)step->round, n);
    else
        w->rows->lift(out, in, program->c[s], step->filter.count, n);
}

static void lift_in_x(const struct wp_cpu_row_sweep *w, wp_real *even, wp_real *odd)
{
    const struct wp_cpu_program *program = w->sweep->program;
    for (int s = 0; s < program->lifting.steps && w->sweep->along[WP_X]; s++) {
        const struct wp_lifting_step *step = &program->lifting.step[s];
        const wp_real *in[WP_MAX_TAPS];
        for (int t = 0; t < step->filter.count; t++)
            in[t] = (step->odd ? even : odd) + step->filter.tap[t].k - step->before;
        lift_rows(w, s, (step->odd ? odd : even) - step->before, in,
                  w->quads + step->before + step->after);
    }
}

// Reads the newest row of quads and lifts it along x.
static void read_row(const struct wp_cpu_row_sweep *w)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int cy = 0; cy < 2; cy++) {
        wp_real *even = at(w, w->newest, 0, cy), *odd = at(w, w->newest, 1, cy);
        const int y = wp_cpu_row_sweep_reads(w, cy);
        if (y < 0) {
            const size_t size =
                (size_t)(sweep->low[WP_X] + w->quads + sweep->high[WP_X]) * sizeof *even;
            memset(even - sweep->low[WP_X], 0, size);
            memset(odd - sweep->low[WP_X], 0, size);
            continue;
        }
        const struct source source = source_of(w, y);
        fill_row(w, &source, even, odd);
        lift_in_x(w, even, odd);
    }
}

// Runs all steps along y that the newest row makes possible, for columns x... of one parity.
static void lift_in_y(const struct wp_cpu_row_sweep *w, int newest, int cx, int x, int count)
{
    const struct wp_cpu_program *program = w->sweep->program;
    for (int s = 0; s < program->lifting.steps && w->sweep->along[WP_Y]; s++) {
        const struct wp_lifting_step *step = &program->lifting.step[s];
        const int row = newest - step->lag;
        if (row < w->first - step->before || row > w->last + step->after)
            continue;
        const wp_real *in[WP_MAX_TAPS];
        for (int t = 0; t < step->filter.count; t++)
            in[t] = at(w, row + step->filter.tap[t].k, cx, !step->odd) + x;
        lift_rows(w, s, at(w, row, cx, step->odd) + x, in, count);
    }
}

// Writes columns x... of a row of quads, given by component.
static void write_components(const struct wp_cpu_row_sweep *w, int row, int x, int count,
                             const wp_real *const in[WP_BAND_COUNT])
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const int width = wp_min(count, wp_cpu_extent(sweep->size[WP_X], c & 1) - x);
        const bool typed = sweep->to.typed[c];
        // A component without samples has no memory.
        if (width <= 0 || row >= wp_cpu_extent(sweep->size[WP_Y], c >> 1))
            continue;
        wp_real *out = typed ? w->convert_out : wp_cpu_quads_row(&sweep->to, c, row) + x;
        w->rows->scale(out, in[c], sweep->scale_out[c], width);
        if (typed)
            wp_cpu_sweep_write(w, c, row, x, width, out);
    }
}

// Writes columns x... of a row of samples, given by even and odd ones.
static void write_samples(const struct wp_cpu_row_sweep *w, int y, int x, int count,
                          const wp_real *even, const wp_real *odd)
{
    const int full_quads = wp_min(count, w->sweep->size[WP_X] / 2 - x);
    const bool typed = w->sweep->to.typed[0];
    if (y >= w->sweep->size[WP_Y])
        return;
    wp_real *out = typed ? w->convert_out : wp_cpu_quads_row(&w->sweep->to, 0, y) + 2 * x;
    w->rows->merge(out, even, odd, full_quads);
    if (full_quads < count)
        out[2 * full_quads] = even[full_quads];
    if (typed)
        wp_cpu_sweep_write(w, 0, y, 2 * x, 2 * full_quads + (full_quads < count), out);
}

static void write_row(const struct wp_cpu_row_sweep *w, int row, int x, int count,
                      const wp_real *const in[WP_BAND_COUNT])
{
    if (!w->sweep->to.samples) {
        write_components(w, row, x, count, in);
        return;
    }
    write_samples(w, 2 * row, x, count, in[0], in[1]);
    write_samples(w, 2 * row + 1, x, count, in[2], in[3]);
}

// The next two functions perform all operations that the newest row makes possible, for columns
// x...

static void lift_chunk(const struct wp_cpu_row_sweep *w, int newest, int x, int count)
{
    const int row = newest - w->sweep->lag;
    const wp_real *in[WP_BAND_COUNT];
    for (int cx = 0; cx < 2; cx++)
        lift_in_y(w, newest, cx, x, count);
    if (row < w->first)
        return;
    for (int c = 0; c < WP_BAND_COUNT; c++)
        in[c] = at(w, row, c & 1, c >> 1) + x;
    write_row(w, wp_cpu_sweep_wrap(w->sweep, row), x, count, in);
}

static void mask_chunk(const struct wp_cpu_row_sweep *w, int newest, int x, int count)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const int row = newest - sweep->lag, out = wp_cpu_sweep_wrap(sweep, row);
    wp_real result[WP_BAND_COUNT][CHUNK + WP_CPU_LINE];
    // This part of the memory is not used for floats, so that it may contain pointers.
    const wp_real **in = (const wp_real **)(void *)w->mask_rows;
    if (row < w->first)
        return;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct wp_cpu_mask *mask = &sweep->mask[c];
        const int left = wp_cpu_extent(sweep->size[WP_X], c & 1) - x;
        const int width = sweep->to.samples ? count : wp_min(count, left);
        for (int t = 0; t < mask->count; t++) {
            const struct wp_cpu_term *term = &mask->term[t];
            in[t] = at(w, row + term->at[WP_Y], term->from & 1, term->from >> 1) + x +
                    term->at[WP_X];
        }
        const bool typed = sweep->to.typed[c];
        if (!sweep->to.samples && out >= wp_cpu_extent(sweep->size[WP_Y], c >> 1))
            continue;
        wp_real *out_row = sweep->to.samples || typed ? result[c]
                                                 : wp_cpu_quads_row(&sweep->to, c, out) + x;
        w->rows->sum(out_row, in, mask->c, mask->count, width, false);
        if (!sweep->to.samples && typed)
            wp_cpu_sweep_write(w, c, out, x, width, out_row);
    }
    for (int cy = 0; sweep->to.samples && cy < 2; cy++)
        write_samples(w, 2 * out + cy, x, count, result[2 * cy], result[2 * cy + 1]);
}

// Processes columns in chunks, so that the output of a step along y is in the first-level cache for
// the next one.
static void step_in_ring(struct wp_cpu_row_sweep *w)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    if (w->newest <= w->last + sweep->high[WP_Y])
        read_row(w);
    for (int x = 0; x < w->quads; x += CHUNK)
        (sweep->masked ? mask_chunk : lift_chunk)(w, w->newest, x, wp_min(CHUNK, w->quads - x));
    w->newest++;
}

void wp_cpu_row_sweep_start(struct wp_cpu_row_sweep *row_sweep, const struct wp_cpu_sweep *sweep,
                            const struct wp_cpu_rows *rows, int first, int count, wp_real *ring)
{
    *row_sweep = (struct wp_cpu_row_sweep){
        .sweep = sweep,
        .rows = rows,
        .first = first,
        .last = first + count - 1,
        .newest = first - sweep->low[WP_Y],
        .convert_in = ring + scratch_floats(sweep),
        .convert_out = ring + scratch_floats(sweep) + convert_floats(sweep),
    };
    if (sweep->chain.state) {
        wp_cpu_sweep_chain_start(row_sweep, ring);
        return;
    }
    row_sweep->quads = wp_cpu_extent(sweep->size[WP_X], 0);
    row_sweep->origin = row_sweep->newest;
    row_sweep->ring = ring;
    row_sweep->mask_rows = ring + ring_floats(sweep);
}

// Distance in rows of quads between the newest row and the last completed one.
static int output_lag(const struct wp_cpu_sweep *sweep)
{
    return sweep->lag + (sweep->chain.state ? WP_CPU_AHEAD : 0);
}

int wp_cpu_row_sweep_steps(const struct wp_cpu_row_sweep *row_sweep)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    return row_sweep->last - row_sweep->first + 1 + sweep->low[WP_Y] + output_lag(sweep);
}

int wp_cpu_row_sweep_wrote(const struct wp_cpu_row_sweep *row_sweep, int cy)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const bool above = !cy && sweep->chain.state && sweep->along[WP_Y] && sweep->chain.above;
    return row_sweep->newest - 1 - output_lag(sweep) + above;
}

void wp_cpu_row_sweep_step(struct wp_cpu_row_sweep *row_sweep)
{
    (row_sweep->sweep->chain.state ? wp_cpu_sweep_chain_step : step_in_ring)(row_sweep);
}

void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, wp_real *ring)
{
    struct wp_cpu_row_sweep row_sweep;
    wp_cpu_row_sweep_start(&row_sweep, sweep, rows, first, count, ring);
    for (int steps = wp_cpu_row_sweep_steps(&row_sweep); steps > 0; steps--)
        wp_cpu_row_sweep_step(&row_sweep);
}
