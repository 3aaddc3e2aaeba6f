#include "cpu_sweep_parts.h"

#include "min_max.h"

#include <string.h>

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

size_t wp_cpu_sweep_chain_floats(const struct wp_cpu_sweep *sweep)
{
    return (state_rows(sweep) + 2 * 2) * (size_t)sweep->stride +
           (PIECES + TAILS) * piece_of(sweep) + WP_CPU_CHAIN_STATE_X;
}

static wp_real *convert_row(const struct wp_cpu_row_sweep *w, wp_real *converted, int row, int cy)
{
    // Also called for the two rows before the first one.
    const int since = row - (w->first - w->sweep->low[WP_Y]) + 3;
    return converted + (size_t)(since % 3 * 2 + cy) * wp_cpu_convert_pitch(w->sweep);
}

// Sets quads from..end-1 outside of a row, at quad `at` of a piece.
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
            piece->in[cy][0] = piece->in[cy][1] = wp_cpu_sweep_row_in(row_sweep, 0, y, converted);
        else
            for (int cx = 0; cx < 2; cx++)
                piece->in[cy][cx] =
                    y < 0 ? row_sweep->zeros
                          : wp_cpu_sweep_row_in(row_sweep, cx + 2 * (y & 1), y >> 1,
                                   converted + wp_cpu_convert_half(row_sweep->sweep, cx));
    }
}

// The row of quads whose samples cy are output when row `row` of quads is read; -1: discarded.
static int leaving(const struct wp_cpu_row_sweep *row_sweep, int row, int cy)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const int quad = row - sweep->lag + (sweep->along[WP_Y] && sweep->chain.above && !cy);
    if (quad < row_sweep->first || quad > row_sweep->last)
        return -1;
    const int to = wp_cpu_sweep_wrap(sweep, quad);
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
                      (sweep->to.samples ? 0 : wp_cpu_convert_half(sweep, cx));
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
            row_sweep->state + (size_t)wp_max(index, 0) * state_row(row_sweep->sweep,
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
            wp_cpu_sweep_write(row_sweep, component, to->samples ? 2 * left + cy : left, 0,
                        wp_cpu_sweep_extent(row_sweep->sweep, to, component, WP_X),
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
        int until = wp_max(split, lag);
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

void wp_cpu_sweep_chain_start(struct wp_cpu_row_sweep *row_sweep, wp_real *ring)
{
    const struct wp_cpu_sweep *sweep = row_sweep->sweep;
    const int lanes = row_sweep->rows->lanes;
    const size_t stride = (size_t)sweep->stride;
    const bool x = sweep->along[WP_X], y = sweep->along[WP_Y];
    const int full_quads = sweep->size[WP_X] / 2, quads = wp_cpu_extent(sweep->size[WP_X], 0);
    const int before = x ? sweep->chain.before : 0, after = x ? sweep->chain.lag : 0;
    const int lag = wp_cpu_chain_lag(&sweep->chain, x, lanes);
    const int ahead = wp_cpu_chain_ahead(&sweep->chain, x, lanes);
    const int read = wp_max(full_quads - ahead, 0), end_in = read - read % lanes;
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
    chain->stop = end_in < lag ? 0 : wp_max(end_in - AHEAD * lanes, lag);
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
    set_edge(&row_sweep->right, sweep, end_in + ahead, wp_max(quads + after, end_in + ahead), 0);
    set_edge(&row_sweep->left, sweep, -before, ahead, chain->length - end_in - before - ahead);
    memset(row_sweep->zeros, 0, 2 * stride * sizeof *ring);
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

void wp_cpu_sweep_chain_step(struct wp_cpu_row_sweep *row_sweep)
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
        chain->stop = past_end == 1 ? wp_min(split, lag) : lag - chain->length;
    row_sweep->rows->chain(chain, &sweep->chain);
    if (row >= begin + 2)
        write_complete(row_sweep, row);
    chain->enter = split - chain->length;
    row_sweep->newest++;
}
