#include "cpu_sweep.h"

#include "cpu_chain.h"

#include <string.h>

// Columns that are processed by all steps while they are in the first-level cache.
enum { CHUNK = 2048 / sizeof(wp_real) };

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

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
        sweep->rows = larger(sweep->rows, lifting->step[s].lag - lifting->step[s].low + 1);
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
                sweep->low[a] = larger(sweep->low[a], -term->at[a]);
                sweep->high[a] = larger(sweep->high[a], term->at[a]);
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

// Chains have, instead of the ring: states, rows of zeros, rows for discarded output, the pieces
// between two rows, and the tails of output rows.
enum {
    PIECES = 2,
    TAILS = 3 * 2 * WP_BAND_COUNT, // for three rows, of two slices
};

// Quads of a piece: at least the shortest row, wp_cpu_chain_length() of no quads.
static size_t edge_of(const struct wp_cpu_sweep *sweep)
{
    const struct wp_cpu_chain *chain = &sweep->chain;
    return WP_CPU_LANES_MAX * (size_t)(wp_cpu_chain_has_steps(chain) ? 5 : 2 * chain->pairs);
}

static size_t piece_of(const struct wp_cpu_sweep *sweep)
{
    return 2 * edge_of(sweep);
}

static size_t state_rows(const struct wp_cpu_sweep *sweep)
{
    return 2 * (size_t)sweep->chain.state;
}

static size_t scratch_floats(const struct wp_cpu_sweep *sweep)
{
    if (sweep->chain.state)
        return (state_rows(sweep) + 2 * 2) * (size_t)sweep->stride +
               (PIECES + TAILS) * piece_of(sweep) + WP_CPU_CHAIN_STATE_X;
    size_t extra = WP_CPU_SLACK;
    for (int b = 0; sweep->masked && b < WP_BAND_COUNT; b++) {
        const size_t rows = (size_t)sweep->mask[b].count * sizeof(wp_real *) / sizeof(wp_real);
        extra = rows > extra ? rows : extra;
    }
    return ring_floats(sweep) + extra;
}

// Followed by rows of floats converted from and to elements: for the three rows of quads that are
// in the chain at a time. A row is a row of samples, or of two components.
enum { CONVERT_ROWS = 3 * 2 };

static size_t convert_pitch(const struct wp_cpu_sweep *sweep)
{
    return (size_t)round_up(sweep->size[WP_X]) + WP_CPU_LINE;
}

static size_t convert_floats(const struct wp_cpu_sweep *sweep)
{
    return sweep->typed ? CONVERT_ROWS * convert_pitch(sweep) : 0;
}

size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep)
{
    return scratch_floats(sweep) + 2 * convert_floats(sweep);
}

// Offset of component cx in such a row; samples begin at 0.
static size_t convert_half(const struct wp_cpu_sweep *sweep, int cx)
{
    return cx ? (size_t)round_up(wp_cpu_extent(sweep->size[WP_X], 0)) : 0;
}

static wp_real *convert_row(const struct wp_cpu_row_sweep *w, wp_real *converted, int row, int cy)
{
    // Also called for the two rows before the first one.
    const int since = row - (w->first - w->sweep->low[WP_Y]) + 3;
    return converted + (size_t)(since % 3 * 2 + cy) * convert_pitch(w->sweep);
}

// Extent of samples, or of a component.
static int extent_of(const struct wp_cpu_sweep *sweep, const struct wp_cpu_quads *quads,
                     int component, int axis)
{
    return quads->samples ? sweep->size[axis]
                          : wp_cpu_extent(sweep->size[axis], component >> axis & 1);
}

// Prefetches a row. Conversion alone is too short to hide the latency of a row; the chain's steps
// in between are long enough.
static void fetch_row(const struct wp_cpu_row_sweep *w, int component, int row)
{
    enum { LINE_BYTES = 64, SECOND_CACHE = 2 };
    const struct wp_cpu_quads *from = &w->sweep->from;
    const struct wp_operand *typed = from->typed[component];
    const ptrdiff_t first = row * typed->stride[WP_Y];
    const int width = extent_of(w->sweep, from, component, WP_X);
    if (width == 0 || row >= extent_of(w->sweep, from, component, WP_Y))
        return;
    const char *const end = wp_operand_at(typed, first + (width - 1) * typed->stride[WP_X]);
    for (const char *line = wp_operand_at(typed, first); line <= end; line += LINE_BYTES)
        __builtin_prefetch(line, 0, SECOND_CACHE);
}

// Row `row` of the input samples or of an input component, converted to floats in `converted` if
// necessary.
static const wp_real *row_in(const struct wp_cpu_row_sweep *w, int component, int row,
                             wp_real *converted)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const struct wp_cpu_quads *from = &sweep->from;
    const struct wp_operand *typed = from->typed[component];
    if (!typed)
        return wp_cpu_quads_row(from, component, row);
    wp_operand_read(w->rows->elements, converted, typed, row * typed->stride[WP_Y],
                   sweep->program->lifting.reversible, extent_of(sweep, from, component, WP_X));
    fetch_row(w, component, row + (from->samples ? 2 : 1));
    return converted;
}

// Converts and writes columns x... of an output row.
static void write_typed(const struct wp_cpu_row_sweep *w, int component, int row, int x, int count,
                        const wp_real *floats)
{
    const struct wp_operand *typed = w->sweep->to.typed[component];
    wp_operand_write(w->rows->elements, typed, row * typed->stride[WP_Y] + x * typed->stride[WP_X],
                    floats, w->sweep->program->lifting.reversible, count);
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
        return (struct source){.samples = true, .in = {row_in(w, 0, y, w->convert_in)}};
    struct source source = {0};
    for (int cx = 0; cx < 2; cx++) {
        const int component = cx + 2 * (y & 1);
        source.in[cx] = row_in(w, component, y >> 1, w->convert_in + convert_half(sweep, cx));
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

int wp_cpu_row_sweep_reads(const struct wp_cpu_row_sweep *row_sweep, int cy)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    // Along y chains process the odd samples with the even ones below or above them.
    const bool below = cy && sweep->chain.state && sweep->along[WP_Y] && sweep->chain.below;
    if (row_sweep->newest > row_sweep->last + sweep->high[WP_Y])
        return -1;
    return wp_extend(sweep->program->lifting.extension, 2 * (row_sweep->newest - below) + cy,
                     sweep->size[WP_Y]);
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

// The row of quads with periodic extension.
static int wrapped(const struct wp_cpu_sweep *sweep, int row)
{
    return row % wp_cpu_extent(sweep->size[WP_Y], 0);
}

// Writes columns x... of a row of quads, given by component.
static void write_components(const struct wp_cpu_row_sweep *w, int row, int x, int count,
                             const wp_real *const in[WP_BAND_COUNT])
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const int width = smaller(count, wp_cpu_extent(sweep->size[WP_X], c & 1) - x);
        const bool typed = sweep->to.typed[c];
        if (row >= wp_cpu_extent(sweep->size[WP_Y], c >> 1))
            continue;
        wp_real *out = typed ? w->convert_out : wp_cpu_quads_row(&sweep->to, c, row) + x;
        w->rows->scale(out, in[c], sweep->scale_out[c], width);
        if (typed)
            write_typed(w, c, row, x, width, out);
    }
}

// Writes columns x... of a row of samples, given by even and odd ones.
static void write_samples(const struct wp_cpu_row_sweep *w, int y, int x, int count,
                          const wp_real *even, const wp_real *odd)
{
    const int full_quads = smaller(count, w->sweep->size[WP_X] / 2 - x);
    const bool typed = w->sweep->to.typed[0];
    if (y >= w->sweep->size[WP_Y])
        return;
    wp_real *out = typed ? w->convert_out : wp_cpu_quads_row(&w->sweep->to, 0, y) + 2 * x;
    w->rows->merge(out, even, odd, full_quads);
    if (full_quads < count)
        out[2 * full_quads] = even[full_quads];
    if (typed)
        write_typed(w, 0, y, 2 * x, 2 * full_quads + (full_quads < count), out);
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
    write_row(w, wrapped(w->sweep, row), x, count, in);
}

static void mask_chunk(const struct wp_cpu_row_sweep *w, int newest, int x, int count)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const int row = newest - sweep->lag, out = wrapped(sweep, row);
    wp_real result[WP_BAND_COUNT][CHUNK + WP_CPU_LINE];
    // This part of the memory is not used for floats, so that it may contain pointers.
    const wp_real **in = (const wp_real **)(void *)w->mask_rows;
    if (row < w->first)
        return;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct wp_cpu_mask *mask = &sweep->mask[c];
        const int left = wp_cpu_extent(sweep->size[WP_X], c & 1) - x;
        const int width = sweep->to.samples ? count : smaller(count, left);
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
            write_typed(w, c, out, x, width, out_row);
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
        (sweep->masked ? mask_chunk : lift_chunk)(w, w->newest, x, smaller(CHUNK, w->quads - x));
    w->newest++;
}

// Sets quads from..end-1 outside of a row, at quad `position` of a piece.
static void set_edge(struct wp_cpu_edge_samples *edge, const struct wp_cpu_sweep *sweep, int from,
                     int end, int at)
{
    const bool samples = sweep->from.samples;
    edge->count = 2 * (end - from);
    for (int i = 0; i < edge->count; i++) {
        const int s = wp_extend(sweep->program->lifting.extension, 2 * from + i,
                                sweep->size[WP_X]);
        edge->sample[i].to = samples ? 2 * at + i : at + i / 2 + i % 2 * (int)edge_of(sweep);
        // s and not i determines the half: a row of one sample has no odd samples.
        edge->sample[i].half = samples || s < 0 ? 0 : s & 1;
        edge->sample[i].from = samples || s < 0 ? s : s >> 1;
    }
}

// Copies the extended samples of both rows to the piece.
static void fill_piece(const struct wp_cpu_row_sweep *row_sweep,
                       const struct wp_cpu_edge_samples *edge, const struct wp_cpu_piece *row)
{
    for (int cy = 0; cy < 2; cy++) {
        wp_real *to = row_sweep->piece + (size_t)cy * piece_of(row_sweep->sweep);
        for (int i = 0; i < edge->count; i++) {
            const int from = edge->sample[i].from;
            to[edge->sample[i].to] = from < 0 ? 0 : row->in[cy][edge->sample[i].half][from];
        }
    }
}

// Finds the input rows of the next step; zeros after the last ones.
static void find_input(const struct wp_cpu_row_sweep *row_sweep, struct wp_cpu_piece *piece)
{
    const struct wp_cpu_quads *from = &row_sweep->sweep->from;
    for (int cy = 0; cy < 2; cy++) {
        const int y = from->data[0] || from->typed[0] ? wp_cpu_row_sweep_reads(row_sweep, cy) : -1;
        wp_real *converted = convert_row(row_sweep, row_sweep->convert_in, row_sweep->newest, cy);
        if (y >= 0 && from->samples)
            piece->in[cy][0] = piece->in[cy][1] = row_in(row_sweep, 0, y, converted);
        else
            for (int cx = 0; cx < 2; cx++)
                piece->in[cy][cx] =
                    y < 0 ? row_sweep->zeros
                          : row_in(row_sweep, cx + 2 * (y & 1), y >> 1,
                                   converted + convert_half(row_sweep->sweep, cx));
    }
}

// The row of quads whose samples cy are output when row `row` of quads is read; -1: discarded.
static int leaving(const struct wp_cpu_row_sweep *row_sweep, int row, int cy)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const int quad = row - sweep->lag + (sweep->along[WP_Y] && sweep->chain.above && !cy);
    if (quad < row_sweep->first || quad > row_sweep->last)
        return -1;
    const int to = wrapped(sweep, quad);
    return to < wp_cpu_extent(sweep->size[WP_Y], cy) ? to : -1;
}

// The output rows of samples cy of a slice when row `row` of quads is read: in memory, in `between`
// for the joined sweep, or discarded.
static void find_output(const struct wp_cpu_row_sweep *row_sweep, int row, int cz, int cy,
                        wp_real *out[2])
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const int to = leaving(row_sweep, row, cy);
    for (int cx = 0; cx < 2; cx++) {
        const int component = cx + 2 * cy + WP_BAND_COUNT * cz;
        if (row_sweep->between)
            out[cx] = row_sweep->between + component * row_sweep->chain.length;
        else if (sweep->to.typed[sweep->to.samples ? 0 : cx + 2 * cy])
            out[cx] = convert_row(row_sweep, row_sweep->convert_out, row, cy) +
                      (sweep->to.samples ? 0 : convert_half(sweep, cx));
        else if (to < 0 || !sweep->to.data[WP_BAND_COUNT * cz])
            out[cx] = row_sweep->discard;
        else if (sweep->to.samples)
            out[cx] = wp_cpu_quads_row(&sweep->to, WP_BAND_COUNT * cz, 2 * to + cy);
        else
            out[cx] = wp_cpu_quads_row(&sweep->to, component, to);
    }
}

// Floats of the state along z for two rows.
static size_t state_row(const struct wp_cpu_sweep *sweep, int length)
{
    return WP_BAND_COUNT * (size_t)length * (size_t)sweep->chain.state;
}

static void find_target(struct wp_cpu_row_sweep *row_sweep, int row, struct wp_cpu_target *target)
{
    const struct wp_cpu_chain_rows *chain = &row_sweep->chain;
    for (int k = 0; k < (chain->z ? 4 : 2); k++)
        find_output(row_sweep, row, k >> 1, k & 1, target->out[k >> 1][k & 1]);
    target->tail = row_sweep->between ? row_sweep->between + chain->end
                                 : row_sweep->tail + (unsigned)row % 3 * 2 * WP_BAND_COUNT *
                                                     piece_of(row_sweep->sweep);
    // The rows before the first ones share a state because their output is discarded.
    const int index = row - row_sweep->sweep->lag - (row_sweep->first - 2);
    if (row_sweep->state)
        target->state =
            row_sweep->state + (size_t)larger(index, 0) * state_row(row_sweep->sweep,
                                                                    chain->length);
}

// Copies the tails of output rows, from `end` on, as far as there are samples.
static void write_tails(const struct wp_cpu_row_sweep *row_sweep)
{
    const struct wp_cpu_chain_rows *chain = &row_sweep->chain;
    const struct wp_cpu_target *target = &chain->target[0];
    const int width = row_sweep->sweep->size[WP_X];
    const bool merged = row_sweep->sweep->to.samples;
    if (row_sweep->between || 2 * chain->end == width)
        return;
    for (int k = 0; k < (chain->z ? 2 : 1) * WP_BAND_COUNT; k += 1 + merged) {
        const int first = merged ? 2 * chain->end : chain->end;
        const int count = (merged ? width : wp_cpu_extent(width, k & 1)) - first;
        memcpy(target->out[k >> 2][k >> 1 & 1][k & 1] + first, target->tail + k * chain->tail_pitch,
               (size_t)count * sizeof(wp_real));
    }
}

// Completes the rows that were output two rows of quads before `row`.
static void write_complete(const struct wp_cpu_row_sweep *row_sweep, int row)
{
    write_tails(row_sweep);
    const struct wp_cpu_quads *to = &row_sweep->sweep->to;
    for (int c = 0; c < WP_BAND_COUNT; c += 1 + to->samples) {
        const int component = to->samples ? 0 : c, cy = c >> 1, left = leaving(row_sweep, row - 2,
                                                                               cy);
        if (left >= 0 && to->typed[component])
            write_typed(row_sweep, component, to->samples ? 2 * left + cy : left, 0,
                        extent_of(row_sweep->sweep, to, component, WP_X),
                        row_sweep->chain.target[0].out[0][cy][c & 1]);
    }
}

// Divides the range of quads into segments. From quad `end_in` on, the input is in a piece; it is
// read `ahead` quads ahead. The output is `lag` quads behind; a call ends at quad `split`.
static void set_segments(struct wp_cpu_chain_rows *chain, int split, int end_in, int ahead, int lag)
{
    const int length = chain->length, end = chain->end;
    const int change[WP_CPU_SEGMENTS] = {split - length,     end_in - length, 0,
                                         lag - length,       end + lag - length, lag,
                                         end + lag - 2 * length};
    int from = split - length;
    for (int s = 0; s < WP_CPU_SEGMENTS; s++) {
        int until = larger(split, lag);
        for (int k = 0; k < WP_CPU_SEGMENTS; k++)
            if (change[k] > from && change[k] < until)
                until = change[k];
        const int to = from - lag, rows = to < -length ? 0 : to < 0 ? 1 : 2;
        chain->segment[s] = (struct wp_cpu_segment){
            .from = from,
            .until = until,
            .piece = from >= 0 ? 2 : from >= end_in - length ? 1 : 0,
            .target = rows,
            .in = from >= 0 ? ahead : from >= end_in - length ? length - end_in : length + ahead,
            .out = (2 - rows) * length - lag,
            .tail = to + (2 - rows) * length >= end,
        };
        from = until;
    }
}

// Distance in vectors between a call's end and the row's end, where extended samples are read:
// reading rows that were just written would wait for all pending stores.
enum { AHEAD = 4 };

static void start_chain(struct wp_cpu_row_sweep *row_sweep, wp_real *ring)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const int lanes = row_sweep->rows->lanes;
    const size_t stride = (size_t)sweep->stride;
    const bool x = sweep->along[WP_X], y = sweep->along[WP_Y];
    const int full_quads = sweep->size[WP_X] / 2, quads = wp_cpu_extent(sweep->size[WP_X], 0);
    const int before = x ? sweep->chain.before : 0, after = x ? sweep->chain.lag : 0;
    const int lag = wp_cpu_chain_lag(&sweep->chain, x, lanes);
    const int ahead = wp_cpu_chain_ahead(&sweep->chain, x, lanes);
    const int read = larger(full_quads - ahead, 0), end_in = read - read % lanes;
    row_sweep->zeros = ring + state_rows(sweep) * stride;
    row_sweep->discard = row_sweep->zeros + 2 * stride;
    row_sweep->piece = row_sweep->discard + 2 * stride;
    row_sweep->tail = row_sweep->piece + PIECES * piece_of(sweep);
    struct wp_cpu_chain_rows *chain = &row_sweep->chain;
    *chain = (struct wp_cpu_chain_rows){
        .x = x,
        .y = y,
        .split = sweep->from.samples,
        .merged = sweep->to.samples,
        .enter = -(before + ahead + lanes - 1) / lanes * lanes,
        .length = wp_cpu_chain_length(quads, &sweep->chain, x, lanes),
        .end = full_quads - full_quads % lanes,
        .state = ring,
        .state_x = row_sweep->tail + TAILS * piece_of(sweep),
        .tail_pitch = (int)piece_of(sweep),
    };
    // A call ends near the row's end: hardware prefetchers mistake reading the end before the
    // beginning for reading backward (docs/decisions.md, CPU).
    chain->stop = end_in < lag ? 0 : larger(end_in - AHEAD * lanes, lag);
    set_segments(chain, chain->stop, end_in, ahead, lag);
    for (int i = 0; i < WP_BAND_COUNT; i++) {
        const int cy = i / 2, cx = i % 2;
        chain->piece[1].in[cy][cx] = row_sweep->piece + (size_t)cy * piece_of(sweep) +
                                     (size_t)cx * edge_of(sweep);
        chain->piece[2].in[cy][cx] = row_sweep->zeros;
        chain->scale_in[cy][cx] = sweep->scale_in[i];
        for (int cz = 0; cz < 2; cz++)
            chain->scale_out[cz][cy][cx] = sweep->scale_out[i];
    }
    set_edge(&row_sweep->right, sweep, end_in + ahead, larger(quads + after, end_in + ahead), 0);
    set_edge(&row_sweep->left, sweep, -before, ahead, chain->length - end_in - before - ahead);
    memset(row_sweep->zeros, 0, 2 * stride * sizeof *ring);
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
        start_chain(row_sweep, ring);
        return;
    }
    row_sweep->quads = wp_cpu_extent(sweep->size[WP_X], 0);
    row_sweep->origin = row_sweep->newest;
    row_sweep->ring = ring;
    row_sweep->mask_rows = ring + ring_floats(sweep);
}

size_t wp_cpu_row_sweep_state(const struct wp_cpu_sweep *sweep, int count)
{
    const int quads = wp_cpu_extent(sweep->size[WP_X], 0);
    const int length = wp_cpu_chain_length(quads, &sweep->chain, true, WP_CPU_LANES_MAX);
    return (size_t)(count + 2) * state_row(sweep, length);
}

void wp_cpu_row_sweep_join(struct wp_cpu_row_sweep *first, struct wp_cpu_row_sweep *second,
                           const wp_real gain[2], wp_real *between, wp_real *state)
{
    struct wp_cpu_chain_rows *chain = &second->chain;
    first->between = between;
    first->chain.tail_pitch = first->chain.length;
    second->state = state;
    chain->z = true;
    chain->other = between;
    for (int i = 0; i < 2 * WP_BAND_COUNT; i++)
        chain->scale_out[i / 4][i / 2 % 2][i % 2] *= gain[i / 4];
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

static void step_chain(struct wp_cpu_row_sweep *row_sweep)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    struct wp_cpu_chain_rows *chain = &row_sweep->chain;
    const int row = row_sweep->newest, begin = row_sweep->first - sweep->low[WP_Y];
    const int past_end = row - (row_sweep->last + sweep->high[WP_Y]);
    const int split = chain->segment[0].from + chain->length;
    const int lag = wp_cpu_chain_lag(&sweep->chain, chain->x, row_sweep->rows->lanes);
    chain->piece[0] = chain->piece[2];
    find_input(row_sweep, &chain->piece[2]);
    fill_piece(row_sweep, &row_sweep->right, &chain->piece[0]);
    fill_piece(row_sweep, &row_sweep->left, &chain->piece[2]);
    if (row == begin)
        for (int t = 0; t < 2; t++)
            find_target(row_sweep, row - 2 + t, &chain->target[t + 1]);
    chain->target[0] = chain->target[1];
    chain->target[1] = chain->target[2];
    find_target(row_sweep, row, &chain->target[2]);
    // The last two steps read no new rows.
    if (past_end > 0)
        chain->stop = past_end == 1 ? smaller(split, lag) : lag - chain->length;
    row_sweep->rows->chain(chain, &sweep->chain);
    if (row >= begin + 2)
        write_complete(row_sweep, row);
    chain->enter = split - chain->length;
    row_sweep->newest++;
}

void wp_cpu_row_sweep_step(struct wp_cpu_row_sweep *row_sweep)
{
    (row_sweep->sweep->chain.state ? step_chain : step_in_ring)(row_sweep);
}

void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, wp_real *ring)
{
    struct wp_cpu_row_sweep row_sweep;
    wp_cpu_row_sweep_start(&row_sweep, sweep, rows, first, count, ring);
    for (int steps = wp_cpu_row_sweep_steps(&row_sweep); steps > 0; steps--)
        wp_cpu_row_sweep_step(&row_sweep);
}
