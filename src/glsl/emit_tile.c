#include "emit_tile.h"

#include "emit_internal.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The scheme flattened: one statement on every quad, or the core of a pass.
struct step {
    const struct wp_pass *pass; // NULL for a statement
    int number;                 // of the pass
    struct wp_statement statement;
    int below; // rows that it and the steps before it read below their own, together
};

// Values are the components of the quads that an invocation holds. A step makes new values of
// some and leaves the others; every value is assigned to once.
struct emitter {
    const struct wp_scheme *scheme;
    const struct wp_tile *tile;
    struct wp_reach reach;
    int columns, rows, cells; // of the tile, with its halo; lanes hold one column
    int step_count;
    struct step *step;
    // Whether a value is used from before a step on; step_count stands for the end. What
    // nothing uses is neither loaded nor computed.
    bool *needed;
    int *version; // likewise the step that made a value; -1 for what was loaded
    int *slot;    // of each value in shared memory, -1 where the other lanes do not read it
    int slots;    // the most that any pass exchanges
    struct wp_text *out;
    struct wp_tile_counts *counts;
};

struct wp_reach wp_tile_reach(const struct wp_scheme *scheme)
{
    struct wp_reach sum = {0};
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_reach *reach = &scheme->pass[p].reach;
        sum.left += reach->left;
        sum.right += reach->right;
        sum.top += reach->top;
        sum.bottom += reach->bottom;
    }
    return sum;
}

int wp_tile_step(const struct wp_scheme *scheme, const struct wp_tile *tile)
{
    const struct wp_reach reach = wp_tile_reach(scheme);
    const int most = tile->lanes - (reach.right - reach.left);
    // Multiples of 8 samples, 32 bytes: workgroups do not share the blocks of memory they write.
    return most > 8 ? most / 8 * 8 : most;
}

static bool has_lanes(const struct emitter *e)
{
    return e->tile->lanes > 0;
}

// A value is component c of the quad in column x and row y of the tile.
static int value_index(const struct emitter *e, int c, int x, int y)
{
    return c * e->cells + y * e->columns + x;
}

static bool *needed_at(const struct emitter *e, int step)
{
    return e->needed + (size_t)step * WP_COMPONENTS * (size_t)e->cells;
}

static int *version_at(const struct emitter *e, int step)
{
    return e->version + (size_t)step * WP_COMPONENTS * (size_t)e->cells;
}

static void list_constants(struct emitter *e, const struct wp_constant *constants, int count,
                           int pass, int below)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[2];
        wp_scheme_statements(e->scheme, &constants[i], statement);
        for (int s = 0; s < 2; s++)
            e->step[e->step_count++] =
                (struct step){.number = pass, .statement = statement[s], .below = below};
    }
}

static void list_steps(struct emitter *e)
{
    int most = 0, below = 0;
    for (int p = 0; p < e->scheme->pass_count; p++)
        most += 1 + 2 * (e->scheme->pass[p].before_count + e->scheme->pass[p].after_count);
    e->step = wp_xcalloc((size_t)most, sizeof *e->step);
    for (int p = 0; p < e->scheme->pass_count; p++) {
        const struct wp_pass *pass = &e->scheme->pass[p];
        list_constants(e, pass->before, pass->before_count, p, below);
        below += pass->reach.bottom;
        if (!wp_matrix_is_identity(&pass->core))
            e->step[e->step_count++] = (struct step){.number = p, .pass = pass, .below = below};
        list_constants(e, pass->after, pass->after_count, p, below);
    }
}

// A row of the identity leaves its component as it is.
static bool row_is_trivial(const struct wp_matrix *core, int row)
{
    for (int j = 0; j < WP_COMPONENTS; j++)
        if (j != row && core->at[row][j].count)
            return false;
    return wp_poly_is_one(&core->at[row][row]);
}

// Whether a step makes a new value of component c.
static bool step_changes(const struct step *step, int c)
{
    return step->pass ? !row_is_trivial(&step->pass->core, c) : c == step->statement.destination;
}

// Lanes are columns side by side: what is needed of one is needed of all, so offsets along x
// do not matter there.
static void mark_core(const struct emitter *e, const struct wp_matrix *core, int x, int y,
                      const bool *after, bool *before)
{
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS && after[value_index(e, i, x, y)]; j++)
            for (int t = 0; t < core->at[i][j].count; t++)
                before[value_index(e, j, has_lanes(e) ? 0 : x + core->at[i][j].term[t].m,
                                   y + core->at[i][j].term[t].n)] = true;
}

// Backwards from the quads that are written.
static void find_needed(struct emitter *e)
{
    e->needed = wp_xcalloc((size_t)(e->step_count + 1) * WP_COMPONENTS, (size_t)e->cells);
    bool *last = needed_at(e, e->step_count);
    const int written = has_lanes(e) ? 1 : e->tile->columns;
    const int left = has_lanes(e) ? 0 : -e->reach.left;
    for (int c = 0; c < WP_COMPONENTS; c++)
        for (int y = 0; y < e->tile->rows; y++)
            for (int x = 0; x < written; x++)
                last[value_index(e, c, x + left, y - e->reach.top)] = true;
    for (int s = e->step_count - 1; s >= 0; s--) {
        const bool *after = needed_at(e, s + 1);
        bool *before = needed_at(e, s);
        const struct step *step = &e->step[s];
        if (!step->pass)
            memcpy(before, after, WP_COMPONENTS * (size_t)e->cells * sizeof *before);
        for (int y = 0; y < e->rows; y++) {
            for (int x = 0; x < e->columns; x++) {
                if (step->pass)
                    mark_core(e, &step->pass->core, x, y, after, before);
                else if (after[value_index(e, step->statement.destination, x, y)])
                    before[value_index(e, step->statement.source, x, y)] = true;
            }
        }
    }
}

static void find_versions(struct emitter *e)
{
    const int values = WP_COMPONENTS * e->cells;
    e->version = wp_xcalloc((size_t)(e->step_count + 1), (size_t)values * sizeof *e->version);
    for (int v = 0; v < values; v++)
        e->version[v] = -1;
    for (int s = 0; s < e->step_count; s++) {
        const bool *after = needed_at(e, s + 1);
        const int *from = version_at(e, s);
        int *to = version_at(e, s + 1);
        for (int v = 0; v < values; v++)
            to[v] = after[v] && step_changes(&e->step[s], v / e->cells) ? s : from[v];
    }
}

static int floor_half(int i)
{
    return (i - (i & 1)) / 2;
}

// Fragments of the inverse load components of 2x2 quads, of which one fetch serves four values.
static bool loads_bands(const struct emitter *e)
{
    return !has_lanes(e) && e->scheme->direction == WP_INVERSE;
}

// The column or row of 2x2 quads, counted from the tile's first, of a column or row of quads;
// `reach` is where the tile begins.
static int pair_of(int reach, int i)
{
    return floor_half(reach + i) - floor_half(reach);
}

// The variable that holds a value before a step: q0_5.g or s1_0_2.r as loaded, g0_5_2 as made by
// step 2.
static const char *value_name(const struct emitter *e, char name[48], int step, int c, int x,
                              int y)
{
    const int version = version_at(e, step)[value_index(e, c, x, y)];
    if (version >= 0)
        snprintf(name, 48, "%c%d_%d_%d", wp_emit_component[c], x, y, version);
    else if (loads_bands(e))
        snprintf(name, 48, "s%d_%d_%d.%c", c, pair_of(e->reach.left, x), pair_of(e->reach.top, y),
                 wp_emit_component[((e->reach.left + x) & 1) + 2 * ((e->reach.top + y) & 1)]);
    else
        snprintf(name, 48, "q%d_%d.%c", x, y, wp_emit_component[c]);
    return name;
}

// Marks what other lanes read of this one.
static void find_exchanged(struct emitter *e, int s)
{
    const struct wp_matrix *core = &e->step[s].pass->core;
    const bool *after = needed_at(e, s + 1);
    for (int i = 0; i < WP_COMPONENTS * e->cells; i++)
        e->slot[i] = -1;
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            for (int t = 0; t < core->at[i][j].count; t++)
                for (int y = 0; y < e->rows && core->at[i][j].term[t].m; y++)
                    if (after[value_index(e, i, 0, y)])
                        e->slot[value_index(e, j, 0, y + core->at[i][j].term[t].n)] = 0;
}

// The shared memory of a tile.
static const char *cell_name(const struct emitter *e)
{
    return e->tile->tiers ? "cell[gl_LocalInvocationID.y]" : "cell";
}

// Hands it to them.
static void emit_exchange(struct emitter *e, int s)
{
    find_exchanged(e, s);
    int slots = 0;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        for (int y = 0; y < e->rows; y++) {
            int *slot = &e->slot[value_index(e, c, 0, y)];
            char name[48];
            if (*slot < 0)
                continue;
            // What was exchanged before must have been read by all.
            if (slots == 0 && e->slots)
                wp_text_add(e->out, "    barrier();\n");
            *slot = slots++;
            wp_text_add(e->out, "    %s[lane + %d] = %s;\n", cell_name(e), *slot * e->tile->lanes,
                        value_name(e, name, s, c, 0, y));
        }
    }
    if (slots)
        wp_text_add(e->out, "    barrier();\n");
    e->slots = slots > e->slots ? slots : e->slots;
}

// A value that a core reads, m columns beside column x.
static void operand_name(const struct emitter *e, char name[48], int s, int c, int x, int y, int m)
{
    if (m && has_lanes(e))
        snprintf(name, 48, "%s[lane + %d]", cell_name(e),
                 e->slot[value_index(e, c, 0, y)] * e->tile->lanes + m);
    else
        value_name(e, name, s, c, x + m, y);
}

// A sum over the quads it reads, quad by quad: the weights of a quad's components largely
// cancel for smooth images, which keeps partial sums small.
static void emit_row(struct emitter *e, int s, int row, int x, int y)
{
    const struct wp_pass *pass = e->step[s].pass;
    bool first = true;
    for (int n = pass->reach.top; n <= pass->reach.bottom; n++) {
        for (int m = pass->reach.left; m <= pass->reach.right; m++) {
            for (int column = 0; column < WP_COMPONENTS; column++) {
                const struct wp_poly *entry = &pass->core.at[row][column];
                const bool counted = row != column || !wp_poly_is_one(entry);
                for (int t = 0; t < entry->count; t++) {
                    char name[48];
                    if (entry->term[t].m != m || entry->term[t].n != n)
                        continue;
                    operand_name(e, name, s, column, x, y + n, m);
                    wp_emit_product(e->out, first, entry->term[t].c, name);
                    e->counts->operations += counted;
                    first = false;
                }
            }
        }
    }
}

static void emit_sum(struct emitter *e, int s, int x, int y)
{
    const struct wp_statement *statement = &e->step[s].statement;
    char name[48];
    wp_text_add(e->out, "%s", value_name(e, name, s, statement->destination, x, y));
    wp_emit_product(e->out, false, statement->c, value_name(e, name, s, statement->source, x, y));
    e->counts->operations++;
}

// The values that a step makes in a row of the tile.
static void emit_step_row(struct emitter *e, int s, int y)
{
    const struct step *step = &e->step[s];
    for (int c = 0; c < WP_COMPONENTS; c++) {
        for (int x = 0; x < e->columns && step_changes(step, c); x++) {
            char name[48];
            if (!needed_at(e, s + 1)[value_index(e, c, x, y)])
                continue;
            wp_text_add(e->out, "    float %s = ", value_name(e, name, s + 1, c, x, y));
            if (step->pass)
                emit_row(e, s, c, x, y);
            else
                emit_sum(e, s, x, y);
            wp_text_add(e->out, ";\n");
        }
    }
}

static bool quad_needed(const struct emitter *e, int x, int y)
{
    bool needed = false;
    for (int c = 0; c < WP_COMPONENTS; c++)
        needed = needed || needed_at(e, 0)[value_index(e, c, x, y)];
    return needed;
}

// At the borders quads are made of single samples. Where loops are to be kept, in one: unrolled in
// the text, this rare case would be most of it.
static void emit_extended_loads(struct emitter *e)
{
    const bool loop = e->tile->keep_loops;
    wp_text_add(e->out, "        ivec2 columns = extend_columns(p.x);\n");
    if (loop)
        wp_text_add(e->out,
                    "        vec4 extended[%d];\n"
                    "        int end = size.x > 0 ? %d : 0;\n"
                    "        for (int y = 0; y < end; y++)\n"
                    "            extended[y] = load_extended(columns, p.y + y);\n",
                    e->rows, e->rows);
    for (int y = 0; y < e->rows; y++) {
        if (!quad_needed(e, 0, y))
            continue;
        if (loop)
            wp_text_add(e->out, "        q0_%d = extended[%d];\n", y, y);
        else
            wp_text_add(e->out, "        q0_%d = load_extended(columns, p.y + %d);\n", y, y);
    }
}

static void emit_lane_input(struct emitter *e)
{
    for (int y = 0; y < e->rows; y++) {
        if (quad_needed(e, 0, y)) {
            wp_text_add(e->out, "    vec4 q0_%d;\n", y);
            e->counts->fetches++;
        }
    }
    wp_text_add(e->out, "    if (inside) {\n");
    for (int y = 0; y < e->rows; y++)
        if (quad_needed(e, 0, y))
            wp_text_add(e->out, "        q0_%d = load_inside(p + ivec2(0, %d));\n", y, y);
    // A level may end above the last tiers.
    if (e->tile->tiers && e->scheme->direction == WP_FORWARD)
        wp_text_add(e->out, "    } else if (2 * (corner.y + %d) < size.y) {\n", -e->reach.top);
    else
        wp_text_add(e->out, "    } else {\n");
    emit_extended_loads(e);
    wp_text_add(e->out, "    }\n");
    for (int y = 0; y < e->rows && e->scheme->direction == WP_INVERSE; y++)
        if (quad_needed(e, 0, y))
            wp_text_add(e->out, "    q0_%d *= gain;\n", y);
}

// The lane's number leaves room on both sides for reads beyond the ends: what the outermost
// lanes make of them reaches no quad that is written.
static void emit_lane_start(const struct emitter *e)
{
    const struct wp_tile *tile = e->tile;
    wp_text_add(e->out,
                "    int lane = int(gl_LocalInvocationID.x) + %d;\n"
                "    ivec2 corner = ivec2(%s) * ivec2(%d, %d) + ivec2(%d, %d);\n"
                "    ivec2 p = corner + ivec2(gl_LocalInvocationID.x, 0);\n"
                "    bool inside = all(greaterThanEqual(corner, ivec2(0)))\n"
                "        && all(lessThanEqual(corner + ivec2(%d, %d), size / 2));\n",
                e->reach.right - e->reach.left,
                tile->tiers ? "0, gl_LocalInvocationID.y" : "gl_WorkGroupID.xy",
                wp_tile_step(e->scheme, tile), tile->rows, e->reach.left, e->reach.top,
                tile->lanes, e->rows);
}

static void emit_lane_output(const struct emitter *e)
{
    // The lane that holds the workgroup's first column of results.
    const int first = 2 * -e->reach.left + e->reach.right;
    wp_text_add(e->out, "    if (lane < %d || lane >= %d)\n        return;\n", first,
                first + wp_tile_step(e->scheme, e->tile));
    for (int y = -e->reach.top; y < e->tile->rows - e->reach.top; y++) {
        wp_text_add(e->out, "    write_quad(p + ivec2(0, %d), ", y);
        for (int c = 0; c < WP_COMPONENTS; c++) {
            char name[48];
            wp_text_add(e->out, "%s%s", c ? ", " : "vec4(",
                        value_name(e, name, e->step_count, c, 0, y));
        }
        wp_text_add(e->out, ")%s);\n", e->scheme->direction == WP_FORWARD ? " * gain" : "");
    }
}

static void emit_lanes(struct emitter *e)
{
    emit_lane_start(e);
    emit_lane_input(e);
    for (int s = 0; s < e->step_count; s++) {
        if (s == 0 || e->step[s].number != e->step[s - 1].number)
            wp_text_add(e->out, "    // %s\n", e->scheme->pass[e->step[s].number].label);
        if (e->step[s].pass)
            emit_exchange(e, s);
        for (int y = 0; y < e->rows; y++)
            emit_step_row(e, s, y);
    }
    emit_lane_output(e);
    if (e->slots)
        e->counts->exchanged = (e->slots * e->tile->lanes + 2 * (e->reach.right - e->reach.left)) *
                               (e->tile->tiers ? e->tile->tiers : 1);
}

// A fragment reads what lies inside as it goes. Elsewhere everything is extended before, in a
// loop, since this rare case would be most of the text.
static void emit_block_start(const struct emitter *e)
{
    const bool bands = loads_bands(e);
    const int unit = bands ? 2 : 1; // quads along a side of what a fetch serves
    const int left = bands ? floor_half(e->reach.left) : e->reach.left;
    const int top = bands ? floor_half(e->reach.top) : e->reach.top;
    const int width = bands ? pair_of(e->reach.left, e->columns - 1) + 1 : e->columns;
    const int height = bands ? pair_of(e->reach.top, e->rows - 1) + 1 : e->rows;
    const int count = width * height * (bands ? WP_COMPONENTS : 1);
    wp_text_add(e->out,
                "    ivec2 p = fragment_in_plane() * ivec2(%d, %d) + ivec2(%d, %d);\n"
                "    ivec2 at = fragment_in_plane() * ivec2(%d, %d)\n"
                "        + ivec2(0, plane * plane_rows.w);\n"
                "%s"
                "#ifndef INSIDE\n"
                "    vec4 extended[%d];\n"
                "    for (int i = 0; i < %s%d%s; i++)\n",
                e->tile->columns / unit, e->tile->rows / unit, left, top,
                e->tile->columns / (bands ? 1 : 2), e->tile->rows / (bands ? 1 : 2),
                e->tile->pairs ? "    int odd = int(gl_FragCoord.x) & 1;\n" : "", count,
                e->tile->keep_loops ? "(size.x > 0 ? " : "", count,
                e->tile->keep_loops ? " : 0)" : "");
    if (bands)
        wp_text_add(e->out,
                    "        extended[i] =\n"
                    "            load_extended_band(p + ivec2(i / 4 %% %d, i / %d), i %% 4);\n"
                    "#define BAND(c, x, y) extended[4 * (%d * y + x) + c]\n"
                    "#else\n"
                    "#define BAND(c, x, y) load(p + ivec2(x, y), c)\n"
                    "#endif\n",
                    width, 4 * width, width);
    else
        wp_text_add(e->out,
                    "        extended[i] = load_extended_quad(p + ivec2(i %% %d, i / %d));\n"
                    "#define QUAD(x, y) extended[%d * y + x]\n"
                    "#else\n"
                    "#define QUAD(x, y) load(p + ivec2(x, y), 0)\n"
                    "#endif\n",
                    width, width, width);
}

// A row of loads, of columns first..last: `name` is that of a variable but for its column and
// row, `layer` the one that is read.
struct load_row {
    char name[16];
    int layer, first, last, row;
};

static void emit_plain_loads(struct emitter *e, const struct load_row *r)
{
    for (int x = r->first; x <= r->last; x++) {
        wp_text_add(e->out, "    vec4 %s%d_%d = ", r->name, x, r->row);
        if (loads_bands(e))
            wp_text_add(e->out, "BAND(%d, %d, %d) * gain.%c;\n", r->layer, x, r->row,
                        wp_emit_component[r->layer]);
        else
            wp_text_add(e->out, "QUAD(%d, %d);\n", x, r->row);
        e->counts->fetches++;
    }
}

// Which of `own` loads brings a column where the first one brings column `turn`.
static int turned(int column, int turn, int own)
{
    return (column - turn + own) % own;
}

// Two fragments side by side read `width` columns each, and the right one begins `step` columns
// after the left one: each loads `own` of them, the left one its first, the right one its last,
// and has the others from its neighbour. That is own value plus or minus the difference, which
// derivatives are within a quad of fragments; it rounds twice. At the borders all is extended.
//
// The right one loads its columns in turned order, so that at every load the two read columns
// that differ by 2 modulo 4: where all differ by multiples of 4, 64 bytes, an H200 fetches at a
// third of its rate.
static void emit_shared_loads(struct emitter *e, const struct load_row *r)
{
    const int step = e->tile->columns / (loads_bands(e) ? 2 : 1);
    const int width = r->last - r->first + 1;
    const int own = (width + step + 1) / 2, others = width - own;
    if (others <= 0) {
        emit_plain_loads(e, r);
        return;
    }
    int turn = step == 2 ? (6 - (step + others) % 4) % 4 : 0;
    turn = turn < own ? turn : 0;
    wp_text_add(e->out, "#ifdef INSIDE\n");
    for (int i = 0; i < own; i++)
        wp_text_add(e->out, "    vec4 own%d_%d_%d = load(p + ivec2(%d + %d * odd, %d), %d);\n",
                    r->layer, i, r->row, r->first + i, others + (i + turn) % own - i, r->row,
                    r->layer);
    for (int k = 0; k < others; k++)
        wp_text_add(e->out,
                    "    vec4 sent%d_%d_%d = odd == 1 ? own%d_%d_%d : own%d_%d_%d;\n"
                    "    vec4 got%d_%d_%d = sent%d_%d_%d + float(1 - 2 * odd) * "
                    "dFdxFine(sent%d_%d_%d);\n",
                    r->layer, k, r->row, r->layer, turned(2 * own - step - width + k, turn, own),
                    r->row, r->layer, step + k, r->row, r->layer, k, r->row, r->layer, k, r->row,
                    r->layer, k, r->row);
    wp_text_add(e->out, "#define PICK(left, right, border) (odd == 1 ? right : left)\n"
                        "#else\n"
                        "#define PICK(left, right, border) border\n"
                        "#endif\n");
    for (int x = 0; x < width; x++) {
        wp_text_add(e->out, "    vec4 %s%d_%d = PICK(%s%d_%d_%d, %s%d_%d_%d, ", r->name,
                    r->first + x, r->row, x < own ? "own" : "got", r->layer, x < own ? x : x - own,
                    r->row, x < others ? "got" : "own", r->layer,
                    x < others ? x : turned(x - others, turn, own), r->row);
        if (loads_bands(e))
            wp_text_add(e->out, "BAND(%d, %d, %d)) * gain.%c;\n", r->layer, r->first + x, r->row,
                        wp_emit_component[r->layer]);
        else
            wp_text_add(e->out, "QUAD(%d, %d));\n", r->first + x, r->row);
    }
    wp_text_add(e->out, "#undef PICK\n");
    e->counts->fetches += own;
}

// Marks a column as read.
static void add_column(struct load_row *r, int x)
{
    r->first = r->first < x ? r->first : x;
    r->last = r->last > x ? r->last : x;
}

// The bands' texels that begin in row y and have not been read for the row above.
static void emit_band_row(struct emitter *e, int y)
{
    const int pair = pair_of(e->reach.top, y);
    const bool *needed = needed_at(e, 0);
    if (y > 0 && pair_of(e->reach.top, y - 1) == pair)
        return;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        struct load_row r = {.layer = c, .first = e->columns, .last = -1, .row = pair};
        snprintf(r.name, sizeof r.name, "s%d_", c);
        for (int x = 0; x < e->columns; x++)
            for (int row = y; row < e->rows && row < y + 2; row++)
                if (pair_of(e->reach.top, row) == pair && needed[value_index(e, c, x, row)])
                    add_column(&r, pair_of(e->reach.left, x));
        (e->tile->pairs ? emit_shared_loads : emit_plain_loads)(e, &r);
    }
}

static void emit_input_row(struct emitter *e, int y)
{
    if (loads_bands(e)) {
        emit_band_row(e, y);
        return;
    }
    struct load_row r = {.name = "q", .first = e->columns, .last = -1, .row = y};
    for (int x = 0; x < e->columns; x++)
        if (quad_needed(e, x, y))
            add_column(&r, x);
    (e->tile->pairs ? emit_shared_loads : emit_plain_loads)(e, &r);
}

// Rows y and y + 1 of the results.
static void emit_output_rows(const struct emitter *e, int y)
{
    char name[48];
    for (int x = 0; x < e->tile->columns; x += 2) {
        for (int k = 0; k < 4; k++) {
            const int number = 4 * (x / 2 + y / 2 * (e->tile->columns / 2)) + k;
            if (e->scheme->direction == WP_FORWARD)
                wp_text_add(e->out, "    WRITE(%d, %d, %d, %d, ", number, x / 2, y / 2, k);
            else
                wp_text_add(e->out, "    WRITE(%d, %d, %d, 0, ", number, x + k % 2, y + k / 2);
            for (int i = 0; i < 4; i++) {
                // Forward: component k of the quads; inverse: the components of quad k.
                const int c = e->scheme->direction == WP_FORWARD ? k : i;
                const int quad = e->scheme->direction == WP_FORWARD ? i : k;
                wp_text_add(e->out, "%s%s", i ? ", " : "vec4(",
                            value_name(e, name, e->step_count, c, x + quad % 2 - e->reach.left,
                                       y + quad / 2 - e->reach.top));
            }
            if (e->scheme->direction == WP_FORWARD)
                wp_text_add(e->out, ") * gain.%c);\n", wp_emit_component[k]);
            else
                wp_text_add(e->out, "));\n");
        }
    }
}

// Row by row: a step makes a row as soon as the rows that it reads are there, so that few
// values live at a time in tall blocks.
static void emit_block(struct emitter *e)
{
    for (int p = 0; p < e->scheme->pass_count; p++)
        wp_text_add(e->out, "    // steps of pass %d: %s\n", p + 1, e->scheme->pass[p].label);
    emit_block_start(e);
    for (int row = 0; row < e->rows; row++) {
        const bool last = row + 1 == e->rows;
        emit_input_row(e, row);
        for (int s = 0; s < e->step_count; s++) {
            const int y = row - e->step[s].below;
            for (int i = y < 0 ? 0 : y; i <= (last ? e->rows - 1 : y); i++)
                emit_step_row(e, s, i);
        }
        // The pairs of rows that these steps finished.
        for (int y = 0; y < e->tile->rows; y += 2) {
            const int ready = y + 1 - e->reach.top + e->reach.bottom;
            if (ready == row)
                emit_output_rows(e, y);
        }
    }
}

void wp_emit_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                  struct wp_text *out, struct wp_tile_counts *counts)
{
    struct wp_text body = {0};
    *counts = (struct wp_tile_counts){0};
    struct emitter e = {
        .scheme = scheme,
        .tile = tile,
        .reach = wp_tile_reach(scheme),
        .out = &body,
        .counts = counts,
    };
    e.columns = has_lanes(&e) ? 1 : tile->columns + e.reach.right - e.reach.left;
    e.rows = tile->rows + e.reach.bottom - e.reach.top;
    e.cells = counts->cells = e.columns * e.rows;
    e.slot = wp_xcalloc(WP_COMPONENTS * (size_t)e.cells, sizeof *e.slot);
    list_steps(&e);
    find_needed(&e);
    find_versions(&e);

    (has_lanes(&e) ? emit_lanes : emit_block)(&e);
    wp_text_add(out, "// %s, %s, all %d passes of a level on a tile\n", scheme->name,
                wp_direction_names[scheme->direction], scheme->pass_count);
    if (counts->exchanged && tile->tiers)
        wp_text_add(out, "shared float cell[%d][%d];\n", tile->tiers,
                    counts->exchanged / tile->tiers);
    else if (counts->exchanged)
        wp_text_add(out, "shared float cell[%d];\n", counts->exchanged);
    wp_text_add(out, "\nvoid %s()\n{\n%s}\n", tile->tiers ? "run_level" : "main",
                wp_text_get(&body));
    wp_text_free(&body);
    free(e.step);
    free(e.needed);
    free(e.version);
    free(e.slot);
}
