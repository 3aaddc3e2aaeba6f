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
};

struct emitter {
    const struct wp_scheme *scheme;
    const struct wp_tile *tile;
    struct wp_reach reach;
    int rows; // of the tile, with its halo
    int step_count;
    struct step *step;
    // Whether a value is used from before a step on; step_count stands for the end. What
    // nothing uses is neither loaded nor computed.
    bool *needed;
    int *version; // of each value: the pass that made it, -1 for what was loaded
    int *slot;    // of each value in shared memory, -1 where the other lanes do not read it
    int slots;    // the most that any pass exchanges
    int staged;   // slots that loading uses
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
    // Multiples of 4 texels, 64 bytes: workgroups do not share the blocks of memory they write.
    return most > 4 ? most / 4 * 4 : most;
}

// A value is component c of the quad in row y of a lane's column.
static int value_index(const struct emitter *e, int c, int y)
{
    return c * e->rows + y;
}

static bool *needed_at(const struct emitter *e, int step)
{
    return e->needed + (size_t)step * WP_COMPONENTS * (size_t)e->rows;
}

static void list_constants(struct emitter *e, const struct wp_constant *constants, int count,
                           int pass)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[2];
        wp_scheme_statements(e->scheme, &constants[i], statement);
        for (int s = 0; s < 2; s++)
            e->step[e->step_count++] = (struct step){.number = pass, .statement = statement[s]};
    }
}

static void list_steps(struct emitter *e)
{
    int most = 0;
    for (int p = 0; p < e->scheme->pass_count; p++)
        most += 1 + 2 * (e->scheme->pass[p].before_count + e->scheme->pass[p].after_count);
    e->step = wp_xcalloc((size_t)most, sizeof *e->step);
    for (int p = 0; p < e->scheme->pass_count; p++) {
        const struct wp_pass *pass = &e->scheme->pass[p];
        list_constants(e, pass->before, pass->before_count, p);
        if (!wp_matrix_is_identity(&pass->core))
            e->step[e->step_count++] = (struct step){.number = p, .pass = pass};
        list_constants(e, pass->after, pass->after_count, p);
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

// What is needed of one lane is needed of all, so the offsets along x do not matter here.
static void mark_core(const struct emitter *e, const struct wp_matrix *core, int y,
                      const bool *after, bool *before)
{
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS && after[value_index(e, i, y)]; j++)
            for (int t = 0; t < core->at[i][j].count; t++)
                before[value_index(e, j, y + core->at[i][j].term[t].n)] = true;
}

// Backwards from the quads that are written.
static void find_needed(struct emitter *e)
{
    e->needed = wp_xcalloc((size_t)(e->step_count + 1) * WP_COMPONENTS, (size_t)e->rows);
    bool *last = needed_at(e, e->step_count);
    for (int c = 0; c < WP_COMPONENTS; c++)
        for (int y = 0; y < e->tile->rows; y++)
            last[value_index(e, c, y - e->reach.top)] = true;
    for (int s = e->step_count - 1; s >= 0; s--) {
        const bool *after = needed_at(e, s + 1);
        bool *before = needed_at(e, s);
        const struct step *step = &e->step[s];
        if (!step->pass)
            memcpy(before, after, WP_COMPONENTS * (size_t)e->rows * sizeof *before);
        for (int y = 0; y < e->rows; y++) {
            if (step->pass)
                mark_core(e, &step->pass->core, y, after, before);
            else if (after[value_index(e, step->statement.destination, y)])
                before[value_index(e, step->statement.source, y)] = true;
        }
    }
}

// The variable that holds a value: q5.g as loaded, g5_2 as computed by pass 2.
static const char *value_name(const struct emitter *e, char name[48], int c, int y)
{
    const int version = e->version[value_index(e, c, y)];
    if (version < 0)
        snprintf(name, 48, "q%d.%c", y, wp_emit_component[c]);
    else
        snprintf(name, 48, "%c%d_%d", wp_emit_component[c], y, version);
    return name;
}

static void emit_statement(struct emitter *e, int s)
{
    const struct wp_statement *statement = &e->step[s].statement;
    for (int y = 0; y < e->rows; y++) {
        char to[48], from[48];
        if (!needed_at(e, s + 1)[value_index(e, statement->destination, y)])
            continue;
        wp_text_add(e->out, "    %s %s= ", value_name(e, to, statement->destination, y),
                    statement->c < 0 ? "-" : "+");
        wp_emit_product(e->out, true, statement->c < 0 ? -statement->c : statement->c,
                        value_name(e, from, statement->source, y));
        wp_text_add(e->out, ";\n");
        e->counts->operations++;
    }
}

// Marks what other lanes read of this one.
static void find_exchanged(struct emitter *e, int s)
{
    const struct wp_matrix *core = &e->step[s].pass->core;
    const bool *after = needed_at(e, s + 1);
    for (int i = 0; i < WP_COMPONENTS * e->rows; i++)
        e->slot[i] = -1;
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            for (int t = 0; t < core->at[i][j].count; t++)
                for (int y = 0; y < e->rows && core->at[i][j].term[t].m; y++)
                    if (after[value_index(e, i, y)])
                        e->slot[value_index(e, j, y + core->at[i][j].term[t].n)] = 0;
}

// Hands it to them.
static void emit_exchange(struct emitter *e, int s)
{
    find_exchanged(e, s);
    int slots = 0;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        for (int y = 0; y < e->rows; y++) {
            int *slot = &e->slot[value_index(e, c, y)];
            char name[48];
            if (*slot < 0)
                continue;
            // What was exchanged before must have been read by all.
            if (slots == 0 && e->slots)
                wp_text_add(e->out, "    barrier();\n");
            *slot = slots++;
            wp_text_add(e->out, "    cell[lane + %d] = %s;\n", *slot * e->tile->lanes,
                        value_name(e, name, c, y));
        }
    }
    if (slots)
        wp_text_add(e->out, "    barrier();\n");
    e->slots = slots > e->slots ? slots : e->slots;
}

static void operand_name(const struct emitter *e, char name[48], int c, int y, int m)
{
    if (m)
        snprintf(name, 48, "cell[lane + %d]",
                 e->slot[value_index(e, c, y)] * e->tile->lanes + m);
    else
        value_name(e, name, c, y);
}

// A sum over the quads it reads, quad by quad: the weights of a quad's components largely
// cancel for smooth images, which keeps partial sums small.
static void emit_row(struct emitter *e, const struct wp_pass *pass, int row, int y)
{
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
                    operand_name(e, name, column, y + n, m);
                    wp_emit_product(e->out, first, entry->term[t].c, name);
                    e->counts->operations += counted;
                    first = false;
                }
            }
        }
    }
}

static void emit_core(struct emitter *e, int s)
{
    const struct step *step = &e->step[s];
    const bool *after = needed_at(e, s + 1);
    emit_exchange(e, s);
    for (int i = 0; i < WP_COMPONENTS; i++) {
        for (int y = 0; y < e->rows && !row_is_trivial(&step->pass->core, i); y++) {
            if (!after[value_index(e, i, y)])
                continue;
            wp_text_add(e->out, "    float %c%d_%d = ", wp_emit_component[i], y, step->number);
            emit_row(e, step->pass, i, y);
            wp_text_add(e->out, ";\n");
        }
    }
    // Every sum reads the versions before this pass, so they change at the end together.
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int y = 0; y < e->rows && !row_is_trivial(&step->pass->core, i); y++)
            if (after[value_index(e, i, y)])
                e->version[value_index(e, i, y)] = step->number;
}

static bool quad_needed(const struct emitter *e, int y)
{
    bool needed = false;
    for (int c = 0; c < WP_COMPONENTS; c++)
        needed = needed || needed_at(e, 0)[value_index(e, c, y)];
    return needed;
}

// At the borders a loop extends one component at a time and hands it over in memory that no
// other lane uses: unrolled in the text, this rare case would be most of it.
static void emit_extended_loads(struct emitter *e)
{
    const int lanes = e->tile->lanes;
    e->staged = e->rows;
    wp_text_add(e->out, "        int end = %s%d%s;\n", e->tile->keep_loops ? "size.x > 0 ? " : "",
                e->rows, e->tile->keep_loops ? " : 0" : "");
    for (int c = 0; c < WP_COMPONENTS; c++) {
        wp_text_add(e->out,
                    "        for (int y = 0; y < end; y++)\n"
                    "            cell[lane + %d * y] = load_extended(p + ivec2(0, y), %d);\n",
                    lanes, c);
        for (int y = 0; y < e->rows; y++)
            if (quad_needed(e, y))
                wp_text_add(e->out, "        q%d.%c = cell[lane + %d];\n", y,
                            wp_emit_component[c], y * lanes);
    }
}

static void emit_input(struct emitter *e)
{
    for (int y = 0; y < e->rows; y++) {
        if (quad_needed(e, y)) {
            wp_text_add(e->out, "    vec4 q%d;\n", y);
            e->counts->fetches++;
        }
    }
    wp_text_add(e->out, "    if (inside) {\n");
    for (int y = 0; y < e->rows; y++)
        if (quad_needed(e, y))
            wp_text_add(e->out, "        q%d = load_inside(p + ivec2(0, %d));\n", y, y);
    wp_text_add(e->out, "    } else {\n");
    emit_extended_loads(e);
    wp_text_add(e->out, "    }\n");
    for (int y = 0; y < e->rows && wp_emit_is_scaled(e->scheme->scale_in); y++) {
        if (quad_needed(e, y)) {
            wp_text_add(e->out, "    q%d *= ", y);
            wp_emit_vec4(e->out, e->scheme->scale_in);
            wp_text_add(e->out, ";\n");
        }
    }
}

static void emit_output(const struct emitter *e)
{
    // The lane that holds the workgroup's first column of results.
    const int first = 2 * -e->reach.left + e->reach.right;
    wp_text_add(e->out, "    if (lane < %d || lane >= %d)\n        return;\n", first,
                first + wp_tile_step(e->scheme, e->tile));
    for (int y = -e->reach.top; y < e->tile->rows - e->reach.top; y++) {
        wp_text_add(e->out, "    write_quad(p + ivec2(0, %d), ", y);
        for (int c = 0; c < WP_COMPONENTS; c++) {
            char name[48];
            wp_text_add(e->out, "%s%s", c ? ", " : "vec4(", value_name(e, name, c, y));
        }
        wp_text_add(e->out, ")");
        if (wp_emit_is_scaled(e->scheme->scale_out)) {
            wp_text_add(e->out, " * ");
            wp_emit_vec4(e->out, e->scheme->scale_out);
        }
        wp_text_add(e->out, ");\n");
    }
}

// The lane's number leaves room on both sides for reads beyond the ends: what the outermost
// lanes make of them reaches no quad that is written.
static void emit_start(const struct emitter *e)
{
    const struct wp_tile *tile = e->tile;
    wp_text_add(e->out,
                "    int lane = int(gl_LocalInvocationID.x) + %d;\n"
                "    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(%d, %d) + ivec2(%d, %d);\n"
                "    ivec2 p = corner + ivec2(gl_LocalInvocationID.x, 0);\n"
                "    bool inside = all(greaterThanEqual(corner, ivec2(0)))\n"
                "        && all(lessThanEqual(corner + ivec2(%d, %d), size / 2));\n",
                e->reach.right - e->reach.left, wp_tile_step(e->scheme, tile), tile->rows,
                e->reach.left, e->reach.top, tile->lanes, e->rows);
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
    e.rows = tile->rows + e.reach.bottom - e.reach.top;
    const size_t values = WP_COMPONENTS * (size_t)e.rows;
    e.version = wp_xcalloc(values, sizeof *e.version);
    e.slot = wp_xcalloc(values, sizeof *e.slot);
    for (size_t i = 0; i < values; i++)
        e.version[i] = -1;
    list_steps(&e);
    find_needed(&e);

    emit_start(&e);
    emit_input(&e);
    for (int s = 0; s < e.step_count; s++) {
        if (s == 0 || e.step[s].number != e.step[s - 1].number)
            wp_text_add(e.out, "    // %s\n", scheme->pass[e.step[s].number].label);
        if (e.step[s].pass)
            emit_core(&e, s);
        else
            emit_statement(&e, s);
    }
    emit_output(&e);

    const int slots = e.slots > e.staged ? e.slots : e.staged;
    counts->exchanged = slots * tile->lanes + 2 * (e.reach.right - e.reach.left);
    wp_text_add(out,
                "// %s, %s, all %d passes of a level on a tile\n"
                "shared float cell[%d];\n\nvoid main()\n{\n%s}\n",
                scheme->name, scheme->direction == WP_FORWARD ? "forward" : "inverse",
                scheme->pass_count, counts->exchanged, wp_text_get(&body));
    wp_text_free(&body);
    free(e.step);
    free(e.needed);
    free(e.version);
    free(e.slot);
}
