#include "kernel.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

// The scheme as a list of steps: a statement on every quad, or the core of a pass.
struct step {
    const struct wp_pass *pass; // NULL for a statement
    int number;                 // of the pass
    struct wp_statement statement;
    int below; // rows below that this and all earlier steps read, in total
};

// Values are components of the quads of an invocation. A step computes new values of some of them.
struct maker {
    struct wp_kernel *kernel;
    const struct wp_scheme *scheme;
    const struct wp_tile *tile;
    bool lanes;
    int low[2], high[2]; // reach of the scheme along x and y
    int size[2], cells;  // of the tile with halo; lanes have one column
    int step_count;
    struct step *step;
    // Whether a value is used from a step on, or (step_count) after the end. Unused values are
    // neither loaded nor computed.
    bool *needed;
    int *slot; // of each value in shared memory, -1 if other lanes do not read it
    // For fragments that share: the texels of each layer that a block needs, and the rows added.
    struct box {
        int first[2], last[2];
    } box[WP_COMPONENTS];
    bool *row_added;
};

int wp_tile_step(const struct wp_scheme *scheme, const struct wp_tile *tile)
{
    const struct wp_reach reach = wp_scheme_reach(scheme);
    const int most = tile->lanes - (reach.high[WP_X] - reach.low[WP_X]);
    // Multiples of 8 samples, 32 bytes, so that workgroups do not write to the same sectors.
    return most > 8 ? most / 8 * 8 : most;
}

// The index of component c of the quad in column x and row y of the tile.
static int value_index(const struct maker *t, int c, int x, int y)
{
    return c * t->cells + y * t->size[0] + x;
}

static bool *needed_at(const struct maker *t, int step)
{
    return t->needed + (size_t)step * WP_COMPONENTS * (size_t)t->cells;
}

static void list_constants(struct maker *t, const struct wp_constant *constants, int count,
                           int pass, int below)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(t->scheme, &constants[i], statement);
        for (int s = 0; s < statements; s++)
            t->step[t->step_count++] =
                (struct step){.number = pass, .statement = statement[s], .below = below};
    }
}

static bool list_steps(struct maker *t)
{
    int most = 0, below = 0;
    for (int p = 0; p < t->scheme->pass_count; p++)
        most += 1 + 2 * (t->scheme->pass[p].before_count + t->scheme->pass[p].after_count);
    t->step = wp_try_allocate((size_t)most, sizeof *t->step);
    if (!t->step)
        return false;
    for (int p = 0; p < t->scheme->pass_count; p++) {
        const struct wp_pass *pass = &t->scheme->pass[p];
        list_constants(t, pass->before, pass->before_count, p, below);
        below += pass->reach.high[WP_Y];
        if (!wp_matrix_is_identity(&pass->core))
            t->step[t->step_count++] = (struct step){.number = p, .pass = pass, .below = below};
        list_constants(t, pass->after, pass->after_count, p, below);
    }
    return true;
}

// True if a row of the core is a row of the identity matrix, which does not change its component.
static bool row_is_trivial(const struct wp_matrix *core, int row)
{
    for (int j = 0; j < WP_COMPONENTS; j++)
        if (j != row && core->at[row][j].count)
            return false;
    return wp_poly_is_one(&core->at[row][row]);
}

// True if a step computes a new value of component c.
static bool step_changes(const struct step *step, int c)
{
    return step->pass ? !row_is_trivial(&step->pass->core, c) : c == step->statement.destination;
}

// Lanes are adjacent columns: all need the same values, so offsets along x do not matter.
static void mark_core(const struct maker *t, const struct wp_matrix *core, int x, int y,
                      const bool *after, bool *before)
{
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS && after[value_index(t, i, x, y)]; j++)
            for (int k = 0; k < core->at[i][j].count; k++)
                before[value_index(t, j, t->lanes ? 0 : x + core->at[i][j].term[k].at[WP_X],
                                   y + core->at[i][j].term[k].at[WP_Y])] = true;
}

// Propagates from the written quads back to the loaded ones.
static bool find_needed(struct maker *t)
{
    t->needed = wp_try_allocate((size_t)(t->step_count + 1) * WP_COMPONENTS, (size_t)t->cells);
    if (!t->needed)
        return false;
    bool *last = needed_at(t, t->step_count);
    const int written = t->lanes ? 1 : t->tile->columns;
    const int left = t->lanes ? 0 : -t->low[0];
    for (int c = 0; c < WP_COMPONENTS; c++)
        for (int y = 0; y < t->tile->rows; y++)
            for (int x = 0; x < written; x++)
                last[value_index(t, c, x + left, y - t->low[1])] = true;
    for (int s = t->step_count - 1; s >= 0; s--) {
        const bool *after = needed_at(t, s + 1);
        bool *before = needed_at(t, s);
        const struct step *step = &t->step[s];
        if (!step->pass)
            memcpy(before, after, WP_COMPONENTS * (size_t)t->cells * sizeof *before);
        for (int y = 0; y < t->size[1]; y++) {
            for (int x = 0; x < t->size[0]; x++) {
                if (step->pass)
                    mark_core(t, &step->pass->core, x, y, after, before);
                else if (after[value_index(t, step->statement.destination, x, y)])
                    before[value_index(t, step->statement.source, x, y)] = true;
            }
        }
    }
    return true;
}

static int floor_half(int i)
{
    return (i - (i & 1)) / 2;
}

// The column or row of 2x2 quads, counted from the tile's first, of a column or row of quads.
// `low`: the beginning of the tile.
static int pair_of(int low, int i)
{
    return floor_half(low + i) - floor_half(low);
}

// The value of component c of a quad before a step. Each texel of a band has four values.
static struct wp_value value_of(const struct maker *t, int step, int c, int x, int y)
{
    do
        step--;
    while (step >= 0 && !step_changes(&t->step[step], c));
    if (step == WP_LOADED && t->kernel->loads_bands)
        return (struct wp_value){
            .component = ((t->low[0] + x) & 1) + 2 * ((t->low[1] + y) & 1),
            .at = {pair_of(t->low[0], x), pair_of(t->low[1], y)},
            .layer = c,
            .step = WP_LOADED,
        };
    return (struct wp_value){.component = c, .at = {x, y}, .step = step};
}

// Marks the values that other lanes read.
static void find_exchanged(struct maker *t, int s)
{
    const struct wp_matrix *core = &t->step[s].pass->core;
    const bool *after = needed_at(t, s + 1);
    for (int i = 0; i < WP_COMPONENTS * t->cells; i++)
        t->slot[i] = -1;
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            for (int k = 0; k < core->at[i][j].count; k++)
                for (int y = 0; y < t->size[1] && core->at[i][j].term[k].at[WP_X]; y++)
                    if (after[value_index(t, i, 0, y)])
                        t->slot[value_index(t, j, 0, y + core->at[i][j].term[k].at[WP_Y])] = 0;
}

// Adds the exchange of these values.
static void add_exchange(struct maker *t, int s)
{
    find_exchanged(t, s);
    int slots = 0;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        for (int y = 0; y < t->size[1]; y++) {
            int *slot = &t->slot[value_index(t, c, 0, y)];
            if (*slot < 0)
                continue;
            // All lanes must have read the values of the previous exchange.
            if (slots == 0 && (t->kernel->slots || t->tile->along))
                wp_kernel_add(t->kernel, WP_BARRIER);
            *slot = slots++;
            struct wp_instruction *send = wp_kernel_add(t->kernel, WP_SEND);
            send->value = value_of(t, s, c, 0, y);
            send->index = *slot;
        }
    }
    if (slots)
        wp_kernel_add(t->kernel, WP_BARRIER);
    t->kernel->slots = slots > t->kernel->slots ? slots : t->kernel->slots;
}

static void add_row(struct maker *t, int s, int row, int x, int y)
{
    struct wp_kernel *k = t->kernel;
    const struct wp_pass *pass = t->step[s].pass;
    const int first = wp_kernel_add_row(k, pass, row);
    k->counts.operations += k->operand_count - first - wp_poly_is_one(&pass->core.at[row][row]);
    for (int o = first; o < k->operand_count; o++) {
        struct wp_kernel_term *operand = &k->operand[o];
        const int c = operand->value.component, m = operand->value.at[0];
        const int n = operand->value.at[1];
        operand->lane_offset = t->lanes ? m : 0;
        if (operand->lane_offset)
            operand->slot = t->slot[value_index(t, c, 0, y + n)];
        else
            operand->value = value_of(t, s, c, x + m, y + n);
    }
}

static void add_statement(struct maker *t, int s, int x, int y)
{
    const struct wp_statement *statement = &t->step[s].statement;
    wp_kernel_add_operand(t->kernel, 1, value_of(t, s, statement->destination, x, y));
    wp_kernel_add_operand(t->kernel, statement->c, value_of(t, s, statement->source, x, y));
    t->kernel->counts.operations++;
}

// Adds the values that a step computes in a row of the tile.
static void add_step_row(struct maker *t, int s, int y)
{
    const struct step *step = &t->step[s];
    for (int c = 0; c < WP_COMPONENTS; c++) {
        for (int x = 0; x < t->size[0] && step_changes(step, c); x++) {
            if (!needed_at(t, s + 1)[value_index(t, c, x, y)])
                continue;
            struct wp_instruction *sum = wp_kernel_add(t->kernel, WP_SUM);
            sum->value = value_of(t, s + 1, c, x, y);
            if (step->pass)
                wp_kernel_round(sum, step->pass, c);
            if (step->pass)
                add_row(t, s, c, x, y);
            else
                add_statement(t, s, x, y);
        }
    }
}

static bool quad_needed(const struct maker *t, int x, int y)
{
    bool needed = false;
    for (int c = 0; c < WP_COMPONENTS; c++)
        needed = needed || needed_at(t, 0)[value_index(t, c, x, y)];
    return needed;
}

static void add_texel(struct maker *t, int x, int y, int layer)
{
    const struct wp_value texel = {.at = {x, y}, .layer = layer, .step = WP_LOADED};
    wp_kernel_add_operand(t->kernel, 1, texel);
}

static void add_lane_input(struct maker *t)
{
    wp_kernel_add(t->kernel, WP_LOAD)->scaled = t->scheme->direction == WP_INVERSE;
    for (int y = 0; y < t->size[1]; y++) {
        if (quad_needed(t, 0, y)) {
            add_texel(t, 0, y, 0);
            t->kernel->counts.fetches++;
        }
    }
}

static void add_quad(struct maker *t, int y)
{
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_kernel_add_operand(t->kernel, 1, value_of(t, t->step_count, c, 0, y));
}

// Adds the lifting along z of the results of a slice.
static void add_lines(struct maker *t)
{
    for (int parity = 0; parity < 2; parity++) {
        for (int y = -t->low[1]; y < t->tile->rows - t->low[1]; y++) {
            wp_kernel_arrive(t->kernel, parity, y);
            add_quad(t, y);
        }
        wp_kernel_lift(t->kernel, parity);
    }
    wp_kernel_end_slices(t->kernel);
}

static void add_lane_output(struct maker *t)
{
    wp_kernel_add(t->kernel, WP_RETIRE);
    for (int y = -t->low[1]; y < t->tile->rows - t->low[1]; y++) {
        struct wp_instruction *write = wp_kernel_add(t->kernel, WP_WRITE);
        write->value.at[1] = y;
        write->scaled = t->scheme->direction == WP_FORWARD;
        add_quad(t, y);
    }
}

static void make_lanes(struct maker *t)
{
    struct wp_kernel *k = t->kernel;
    for (int axis = 0; axis < 2; axis++)
        k->load_first[axis] = t->low[axis];
    k->load_size[0] = t->tile->lanes;
    k->load_size[1] = t->size[1];
    k->load_step[0] = k->write_step[0] = wp_tile_step(t->scheme, t->tile);
    k->load_step[1] = k->write_step[1] = t->tile->rows;
    k->padding = t->high[0] - t->low[0];
    if (t->tile->along)
        wp_kernel_begin_slices(k, t->tile->along, -t->low[1], t->tile->rows);
    add_lane_input(t);
    for (int s = 0; s < t->step_count; s++) {
        if (s == 0 || t->step[s].number != t->step[s - 1].number)
            wp_kernel_add(k, WP_NOTE)->note = t->scheme->pass[t->step[s].number].label;
        if (t->step[s].pass)
            add_exchange(t, s);
        for (int y = 0; y < t->size[1]; y++)
            add_step_row(t, s, y);
    }
    (t->tile->along ? add_lines : add_lane_output)(t);
    // Cells that lanes read beyond the ends must exist. Their values do not affect written quads.
    if (k->slots)
        k->counts.exchanged = (k->slots * t->tile->lanes + 2 * k->padding) *
                              (t->tile->tiers ? t->tile->tiers : 1);
}

// Adds the load of texels first..last of a row.
static void add_load(struct maker *t, int layer, int first, int last, int y)
{
    struct wp_kernel *k = t->kernel;
    struct wp_instruction *load = wp_kernel_add(k, WP_LOAD);
    load->scaled = k->loads_bands;
    for (int x = first; x <= last; x++)
        add_texel(t, x, y, layer);
    k->counts.fetches += load->count;
}

// The texels of the second of two adjacent fragments are `step` after those of the first. Texels
// are divided into pieces of `step`. A fragment loads every second piece and the last one; its
// neighbors load the other pieces. Along x, pieces of single texels begin at even positions: an
// H200 fetches two such texels, for two fragments, in half the time.
static void find_pieces(const struct maker *t, const struct box *box, int axis, int *first,
                        int *count)
{
    const int step = t->kernel->load_step[axis];
    const bool even = axis == WP_X && step == 1;
    *first = box->first[axis] - (even ? box->first[axis] & 1 : 0);
    *count = (box->last[axis] - *first) / step + 1;
    *count += even && *count % 2 == 0;
}

static bool loads_piece(const struct maker *t, const struct box *box, int axis, int i)
{
    int first, count;
    find_pieces(t, box, axis, &first, &count);
    const int piece = (i - first) / t->kernel->load_step[axis];
    return piece % 2 == 0 || piece == count - 1;
}

static bool receives(const struct maker *t, const struct box *box, int axis, int i)
{
    return i >= box->first[axis] && i <= box->last[axis] && !loads_piece(t, box, axis, i);
}

// True if a fragment loads a column or row, for itself or for a neighbor.
static bool is_loaded(const struct maker *t, const struct box *box, int axis, int i)
{
    const int step = t->kernel->load_step[axis];
    return loads_piece(t, box, axis, i) &&
           ((i >= box->first[axis] && i <= box->last[axis]) || receives(t, box, axis, i - step) ||
            receives(t, box, axis, i + step));
}

// Adds an exchange along an axis: the neighboring fragments send their texel at this position.
static void add_share(struct maker *t, int axis, int layer, int x, int y)
{
    const int step = t->kernel->load_step[axis];
    const int dx = axis == WP_X ? step : 0, dy = axis == WP_Y ? step : 0;
    struct wp_instruction *share = wp_kernel_add(t->kernel, WP_SHARE);
    share->scaled = t->kernel->loads_bands;
    share->index = axis;
    share->value = (struct wp_value){.at = {x, y}, .layer = layer, .step = WP_LOADED};
    add_texel(t, x + dx, y + dy, layer);
    add_texel(t, x - dx, y - dy, layer);
}

static void add_loaded_row(struct maker *t, int layer, int y)
{
    struct wp_kernel *k = t->kernel;
    const struct box *box = &t->box[layer];
    int first, count;
    find_pieces(t, box, WP_X, &first, &count);
    struct wp_instruction *load = wp_kernel_add(k, WP_LOAD);
    load->scaled = k->loads_bands;
    for (int x = first; x < first + count * k->load_step[WP_X]; x++)
        if (is_loaded(t, box, WP_X, x))
            add_texel(t, x, y, layer);
    k->counts.fetches += load->count;
    for (int x = box->first[WP_X]; x <= box->last[WP_X]; x++)
        if (receives(t, box, WP_X, x))
            add_share(t, WP_X, layer, x, y);
}

// Adds a row of a layer that fragments share, after the rows from which it is exchanged.
static void add_shared_row(struct maker *t, int layer, int y)
{
    const struct box *box = &t->box[layer];
    bool *added = &t->row_added[layer * t->size[1] + y];
    if (*added)
        return;
    *added = true;
    if (loads_piece(t, box, WP_Y, y)) {
        add_loaded_row(t, layer, y);
        return;
    }
    add_shared_row(t, layer, y - t->kernel->load_step[WP_Y]);
    add_shared_row(t, layer, y + t->kernel->load_step[WP_Y]);
    for (int x = box->first[WP_X]; x <= box->last[WP_X]; x++)
        add_share(t, WP_Y, layer, x, y);
}

static void find_boxes(struct maker *t)
{
    const bool bands = t->kernel->loads_bands;
    for (int c = 0; c < WP_COMPONENTS; c++)
        t->box[c] = (struct box){.first = {t->size[0], t->size[1]}, .last = {-1, -1}};
    for (int i = 0; i < WP_COMPONENTS * t->cells; i++) {
        const int cell = i % t->cells, quad[2] = {cell % t->size[0], cell / t->size[0]};
        struct box *box = &t->box[bands ? i / t->cells : 0];
        for (int axis = 0; axis < 2 && needed_at(t, 0)[i]; axis++) {
            const int at = bands ? pair_of(t->low[axis], quad[axis]) : quad[axis];
            box->first[axis] = at < box->first[axis] ? at : box->first[axis];
            box->last[axis] = at > box->last[axis] ? at : box->last[axis];
        }
    }
}

// Adds texels of bands that begin in row y and were not added for the row above.
static void add_band_row(struct maker *t, int y)
{
    const int pair = pair_of(t->low[1], y);
    const bool *needed = needed_at(t, 0);
    if (y > 0 && pair_of(t->low[1], y - 1) == pair)
        return;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        if (t->tile->shares) {
            if (pair >= t->box[c].first[1] && pair <= t->box[c].last[1])
                add_shared_row(t, c, pair);
            continue;
        }
        int first = t->size[0], last = -1;
        for (int x = 0; x < t->size[0]; x++)
            for (int row = y; row < t->size[1] && row < y + 2; row++)
                if (pair_of(t->low[1], row) == pair && needed[value_index(t, c, x, row)]) {
                    last = pair_of(t->low[0], x);
                    first = first < last ? first : last;
                }
        add_load(t, c, first, last, pair);
    }
}

static void add_quad_row(struct maker *t, int y)
{
    int first = t->size[0], last = -1;
    for (int x = 0; x < t->size[0]; x++)
        if (quad_needed(t, x, y)) {
            last = x;
            first = first < x ? first : x;
        }
    if (!t->tile->shares)
        add_load(t, 0, first, last, y);
    else if (last >= 0)
        add_shared_row(t, 0, y);
}

// Adds rows y and y + 1 of the results. Forward, component k of 2x2 quads is a texel of layer k;
// inverse, quad k is a texel.
static void add_output_rows(struct maker *t, int y, int *index)
{
    const bool forward = t->scheme->direction == WP_FORWARD;
    for (int x = 0; x < t->tile->columns; x += 2) {
        for (int k = 0; k < 4; k++) {
            struct wp_instruction *write = wp_kernel_add(t->kernel, WP_WRITE);
            write->index = (*index)++;
            write->scaled = forward;
            write->value.layer = forward ? k : 0;
            write->value.at[0] = forward ? x / 2 : x + k % 2;
            write->value.at[1] = forward ? y / 2 : y + k / 2;
            for (int i = 0; i < 4; i++) {
                const int c = forward ? k : i, quad = forward ? i : k;
                wp_kernel_add_operand(t->kernel, 1,
                                      value_of(t, t->step_count, c, x + quad % 2 - t->low[0],
                                               y + quad / 2 - t->low[1]));
            }
        }
    }
}

// How far loads extend beyond a block, in quads.
static struct wp_reach find_loads(const struct wp_kernel *k)
{
    const int quads = k->loads_bands ? 2 : 1, last[] = {k->tile.columns - 1, k->tile.rows - 1};
    struct wp_reach loads = {0};
    for (int i = 0; i < k->instruction_count; i++) {
        const struct wp_instruction *load = &k->instruction[i];
        for (int n = 0; n < load->count && load->kind == WP_LOAD; n++)
            for (int axis = 0; axis < 2; axis++) {
                const int at = k->operand[load->first + n].value.at[axis];
                const int first = quads * (k->load_first[axis] + at);
                const int after = first + quads - 1 - last[axis];
                loads.low[axis] = first < loads.low[axis] ? first : loads.low[axis];
                loads.high[axis] = after > loads.high[axis] ? after : loads.high[axis];
            }
    }
    return loads;
}

// Row by row: each step computes a row as soon as the rows that it reads are available, so that few
// values are live at a time in tall blocks.
static void make_block(struct maker *t)
{
    struct wp_kernel *k = t->kernel;
    const int rows = t->size[1], written[2] = {t->tile->columns, t->tile->rows};
    int index = 0;
    for (int axis = 0; axis < 2; axis++) {
        const int low = t->low[axis], last = t->size[axis] - 1;
        k->load_first[axis] = k->loads_bands ? floor_half(low) : low;
        k->load_size[axis] = k->loads_bands ? pair_of(low, last) + 1 : last + 1;
        k->load_step[axis] = written[axis] / (k->loads_bands ? 2 : 1);
        k->write_step[axis] = written[axis] / (k->loads_bands ? 1 : 2);
    }
    find_boxes(t);
    for (int row = 0; row < rows; row++) {
        (k->loads_bands ? add_band_row : add_quad_row)(t, row);
        for (int s = 0; s < t->step_count; s++) {
            const int y = row - t->step[s].below;
            for (int i = y < 0 ? 0 : y; i <= (row + 1 == rows ? rows - 1 : y); i++)
                add_step_row(t, s, i);
        }
        // Pairs of rows that are complete.
        for (int y = 0; y < t->tile->rows; y += 2)
            if (y + 1 - t->low[1] + t->high[1] == row)
                add_output_rows(t, y, &index);
    }
    k->counts.loads = find_loads(k);
}

// Extends the tile so that all pieces are complete and those of bands are even along x.
static void widen_for_sharing(struct maker *t)
{
    if (t->kernel->loads_bands) {
        const int more = t->low[0] & 3;
        t->low[0] -= more;
        t->size[0] += more;
        t->size[0] += 2 * (pair_of(t->low[0], t->size[0] - 1) & 1);
    } else {
        t->size[0] += t->size[0] & 1;
        t->size[1] += t->size[1] & 1;
    }
}

void wp_kernel_of_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                       struct wp_kernel *k)
{
    const struct wp_reach reach = wp_scheme_reach(scheme);
    struct maker t = {
        .kernel = k,
        .scheme = scheme,
        .tile = tile,
        .lanes = tile->lanes > 0,
        .low = {reach.low[WP_X], reach.low[WP_Y]},
        .high = {reach.high[WP_X], reach.high[WP_Y]},
    };
    *k = (struct wp_kernel){
        .shape = t.lanes ? WP_SHAPE_LANES : WP_SHAPE_BLOCK,
        .scheme = scheme,
        .tile = *tile,
        .loads_bands = !t.lanes && scheme->direction == WP_INVERSE,
    };
    t.size[0] = t.lanes ? 1 : tile->columns + t.high[0] - t.low[0];
    t.size[1] = tile->rows + t.high[1] - t.low[1];
    if (tile->shares)
        widen_for_sharing(&t);
    t.cells = k->counts.cells = t.size[0] * t.size[1];
    t.slot = wp_try_allocate(WP_COMPONENTS * (size_t)t.cells, sizeof *t.slot);
    if (tile->shares)
        t.row_added = wp_try_allocate(WP_COMPONENTS * (size_t)t.size[1], sizeof *t.row_added);
    if (t.slot && (t.row_added || !tile->shares) && list_steps(&t) && find_needed(&t))
        (t.lanes ? make_lanes : make_block)(&t);
    else
        k->failed = true;
    free(t.step);
    free(t.needed);
    free(t.slot);
    free(t.row_added);
}
