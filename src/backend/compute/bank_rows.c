#include "bank_rows.h"

#include "emit.h"
#include "min_max.h"
#include "redundant.h"
#include "text.h"

#include <stdio.h>

extern const unsigned char wp_shader_bank_rows[];

// COLUMNS: of an invocation. ROWS_LEAST: that a workgroup writes; more if there are ENOUGH_GROUPS,
// since each one also reads the rows around.
enum { COLUMNS = 4, AROUND_MOST = 16, ROWS_LEAST = 16, ENOUGH_GROUPS = 512,
       GROUPS_MOST = WP_PLANES_LAYERS_MAX };

// The fastest on an H200 (docs/lab/redundant.md).
static const struct shape {
    int inputs, lanes, ahead; // as in shaders/bank_rows.glsl
    int rows;                 // that a workgroup writes
} shapes[] = {
    [WP_LEVEL_SPLIT] = {1, 128, 2, 64},
    [WP_LEVEL_JOIN] = {4, 64, 2, 64},
    [WP_LEVEL_DIFFERENCE] = {1, 128, 1, 32},
    [WP_LEVEL_SUM] = {2, 128, 1, 16},
};

static void find_range(const struct wp_redundant *bank, int *least, int *most)
{
    *least = *most = 0;
    for (int f = 0; f < 2 && bank->rule != WP_LEVEL_SUM; f++) {
        const struct wp_redundant_filter *filter = &bank->filter[f];
        const int last = filter->first + filter->count - 1;
        if (filter->count && filter->first < *least)
            *least = filter->first;
        if (filter->count && last > *most)
            *most = last;
    }
}

bool wp_compute_bank_rows_support(const struct wp_description *d, char *why, size_t why_size)
{
    const unsigned plane = 1U << WP_X | 1U << WP_Y;
    struct wp_redundant bank;
    int least, most;
    if (!wp_redundant_make(d, &bank)) {
        snprintf(why, why_size, "memory is exhausted");
        return false;
    }
    find_range(&bank, &least, &most);
    if (bank.axes != plane)
        snprintf(why, why_size, "it supports only redundant levels along x and y");
    else if (d->kind && d->kind != &wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION] &&
             d->kind != &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION])
        snprintf(why, why_size, "it supports redundant banks only with convolutions");
    else if (most - least > AROUND_MOST)
        snprintf(why, why_size, "the filters of wavelet '%s' have more than %d taps, whose rows do "
                 "not fit into the registers of an invocation", d->wavelet->name, AROUND_MOST + 1);
    else
        return true;
    return false;
}

// ---- The shader.

// The source of a level. `apart`: the distance of taps if it is less than four columns, else four.
struct maker {
    struct wp_text *out;
    const struct wp_redundant *bank;
    const struct shape *shape;
    int least, around, apart;
    int first, vectors; // of near taps: the first column, and groups of four columns, that four
                        // columns are filtered from
    int more;           // groups of a row in shared memory, other than `lanes`
    int edges;          // of these, of all inputs, that an invocation copies
};

static int floor_to_four(int i)
{
    return i >= 0 ? i / 4 * 4 : -((3 - i) / 4 * 4);
}

static bool is_near(const struct maker *m)
{
    return m->apart < COLUMNS;
}

// Declares the columns around four columns of a row of an input, named a0, a1, ... (input 0), b0,
// ...
static void add_load(const struct maker *m, int input)
{
    const int count = is_near(m) ? m->vectors : m->around + 1;
    for (int i = 0; i < count; i++)
        wp_text_add(m->out, "    vec4 %c%d = lines[at + %d * PITCH + %d%s];\n", 'a' + input, i,
                    input, i, is_near(m) ? "" : " * (dilation / 4)");
}

// The four columns of an input at tap i, from `least` on.
static void add_tap(const struct maker *m, int input, int i)
{
    static const char *const from[] = {"", "yzw", "zw", "w"}, *const to[] = {"", "x", "xy", "xyz"};
    const int at = is_near(m) ? m->apart * (m->least + i) - m->first : 4 * i;
    const char name = (char)('a' + input);
    if (at % 4)
        wp_text_add(m->out, "vec4(%c%d.%s, %c%d.%s)", name, at / 4, from[at % 4], name, at / 4 + 1,
                    to[at % 4]);
    else
        wp_text_add(m->out, "%c%d", name, at / 4);
}

static void add_filter_x(const struct maker *m, int f, int input)
{
    const struct wp_redundant_filter *filter = &m->bank->filter[f];
    for (int i = 0; i < filter->count; i++) {
        wp_text_add(m->out, "%sfloat(%.9g) * ", i ? " + " : "", filter->tap[i]);
        add_tap(m, input, filter->first - m->least + i);
    }
}

// Filters the rows of window `name`.
static void add_filter_y(const struct maker *m, int f, char name)
{
    const struct wp_redundant_filter *filter = &m->bank->filter[f];
    for (int i = 0; i < filter->count; i++)
        wp_text_add(m->out, "%sfloat(%.9g) * %c%d", i ? " + " : "", filter->tap[i], name,
                    filter->first - m->least + i);
}

// The latest row of the windows l and h: the results along x that the low and the high filter along
// y read; for a split the low and the high ones; for a difference in h the samples.
static void add_row(const struct maker *m)
{
    const enum wp_level_rule rule = m->bank->rule;
    for (int i = 0; i < m->around; i++)
        wp_text_add(m->out, "    l%d = l%d;\n    h%d = h%d;\n", i, i + 1, i, i + 1);
    for (int i = 0; i < m->shape->inputs; i++)
        add_load(m, i);
    for (int w = 0; w < 2; w++) {
        wp_text_add(m->out, "    %c%d = ", "lh"[w], m->around);
        if (rule == WP_LEVEL_JOIN) {
            add_filter_x(m, 0, 2 * w);
            wp_text_add(m->out, " + ");
            add_filter_x(m, 1, 2 * w + 1);
        } else if (w == 0 || rule == WP_LEVEL_SPLIT) {
            add_filter_x(m, w, 0);
        } else {
            add_tap(m, 0, -m->least);
        }
        wp_text_add(m->out, ";\n");
    }
}

static void add_results(const struct maker *m)
{
    switch (m->bank->rule) {
    case WP_LEVEL_SPLIT:
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            wp_text_add(m->out, "        result[(to + %d * result_layout.y) >> 2] = ", b);
            add_filter_y(m, b >> 1, "lh"[b & 1]);
            wp_text_add(m->out, ";\n");
        }
        return;
    case WP_LEVEL_JOIN:
        wp_text_add(m->out, "        result[to >> 2] = ");
        add_filter_y(m, 0, 'l');
        wp_text_add(m->out, " + ");
        add_filter_y(m, 1, 'h');
        wp_text_add(m->out, ";\n");
        return;
    default:
        wp_text_add(m->out, "        vec4 low = ");
        add_filter_y(m, 0, 'l');
        wp_text_add(m->out, ";\n        result[to >> 2] = low;\n"
                            "        result[(to + result_layout.y) >> 2] = h%d - low;\n",
                    -m->least);
    }
}

// Reads into the registers n<ahead>_<number>: the invocation's groups of all inputs, and its edges.
static void add_read(const struct maker *m, int ahead)
{
    static const char *const reads[] = {"neighbors", "single"};
    wp_text_add(m->out, "\nvoid read%d(int at)\n{\n", ahead);
    for (int single = 0; single < 2; single++) {
        wp_text_add(m->out, "    %s {\n", single ? "} else" : "if (own.whole)");
        for (int i = 0; i < m->shape->inputs; i++)
            wp_text_add(m->out, "        n%d_%d = read_%s(own, at + %d * source_layout.y);\n",
                        ahead, i, reads[single], i);
    }
    wp_text_add(m->out, "    }\n");
    for (int e = 0; e < m->edges; e++)
        wp_text_add(m->out, "    if (edge%d.at >= 0)\n        n%d_%d = edge%d.whole ?"
                            " read_neighbors(edge%d, at) : read_single(edge%d, at);\n",
                    e, ahead, m->shape->inputs + e, e, e, e);
    wp_text_add(m->out, "}\n\nvoid keep%d(int at)\n{\n", ahead);
    for (int i = 0; i < m->shape->inputs; i++)
        wp_text_add(m->out, "    lines[at + own.at + %d * PITCH] = n%d_%d;\n", i, ahead, i);
    for (int e = 0; e < m->edges; e++)
        wp_text_add(m->out, "    if (edge%d.at >= 0)\n        lines[at + edge%d.at] = n%d_%d;\n", e,
                    e, ahead, m->shape->inputs + e);
    wp_text_add(m->out, "}\n");
}

// The declared functions of the shader.
static void add_functions(const struct maker *m)
{
    const int ahead = m->shape->ahead;
    wp_text_add(m->out, "\ngroup own;\n");
    for (int e = 0; e < m->edges; e++)
        wp_text_add(m->out, "group edge%d;\n", e);
    for (int i = 0; i <= m->around; i++)
        wp_text_add(m->out, "vec4 l%d, h%d;\n", i, i);
    for (int p = 0; p < ahead; p++)
        for (int i = 0; i < m->shape->inputs + m->edges; i++)
            wp_text_add(m->out, "vec4 n%d_%d;\n", p, i);
    wp_text_add(m->out, "\nvoid make_groups()\n{\n    own = make_group(lane, 0);\n");
    for (int e = 0; e < m->edges; e++)
        wp_text_add(m->out, "    edge%d = make_edge(lane + %d * LANES);\n", e, e);
    wp_text_add(m->out, "}\n");
    for (int p = 0; p < ahead; p++)
        add_read(m, p);
    wp_text_add(m->out, "\nvoid read_first(int slice, int y)\n{\n");
    for (int p = 0; p < ahead; p++)
        wp_text_add(m->out, "    read%d(row_at(slice, y + %d * dilation));\n", p, p);
    // Filters the latest row, at `at` in shared memory, and writes the one that is MOST rows
    // before.
    wp_text_add(m->out, "}\n\nvoid filter_row(int at, bool writes)\n{\n");
    add_row(m);
    wp_text_add(m->out, "    if (writes) {\n");
    add_results(m);
    wp_text_add(m->out, "        to += dilation * result_layout.x;\n    }\n}\n\n"
                        "void advance(int row, int count, int slice, int y)\n{\n    int at;\n");
    for (int p = 0; p < ahead; p++)
        wp_text_add(m->out,
                    "    at = INPUTS * PITCH * ((row + %d) & 1);\n    keep%d(at);\n    barrier();\n"
                    "    read%d(row_at(slice, y + %d * dilation));\n"
                    "    filter_row(at + lane, row + %d >= AROUND && row + %d < count &&\n"
                    "                          x < size.x);\n",
                    p, p, p, p + ahead, p, p);
    wp_text_add(m->out, "}\n");
}

// `loops`: there are more slices than workgroups along z. A loop that runs once takes a third of the
// time of an inverse level on an H200.
static void add_source(const struct maker *m, bool loops)
{
    enum { STEP = 32 }; // of the pitch, so that most levels share a program
    const int pitch = m->shape->lanes + wp_divide_up(m->more, STEP) * STEP;
    const bool sums = m->bank->rule == WP_LEVEL_SUM;
    wp_emit_head(&wp_glsl_430, 0, m->out);
    wp_text_add(m->out, "#define LANES %d\n#define INPUTS %d\n#define AHEAD %d\n"
                        "#define AROUND %d\n#define LEAST %d\n#define PITCH %d\n%s%s%s",
                m->shape->lanes, m->shape->inputs, m->shape->ahead, m->around, m->least, pitch,
                loops ? "#define LOOPS\n" : "", sums ? "#define SUM\n" : "",
                (const char *)wp_shader_bank_rows);
    if (!sums)
        add_functions(m);
}

static struct maker make(const struct wp_redundant *bank, int dilation)
{
    struct maker m = {.bank = bank, .shape = &shapes[bank->rule],
                      .apart = dilation < COLUMNS ? dilation : COLUMNS};
    int most;
    find_range(bank, &m.least, &most);
    m.around = most - m.least;
    m.first = floor_to_four(m.apart * m.least);
    m.vectors = (m.apart * most + COLUMNS - 1 - m.first) / COLUMNS + 1;
    m.more = is_near(&m) ? m.vectors - 1 : m.around * (dilation / COLUMNS);
    m.edges = wp_divide_up(m.more * m.shape->inputs, m.shape->lanes);
    return m;
}

bool wp_compute_bank_rows_fit(const struct wp_description *d, int dilation)
{
    struct wp_redundant bank;
    if (!wp_redundant_make(d, &bank) || bank.weighted || bank.rule > WP_LEVEL_SUM)
        return false;
    const struct maker m = make(&bank, dilation);
    return m.more <= m.shape->lanes;
}

struct wp_program *wp_compute_bank_rows_program(struct wp_gl *gl,
                                                const struct wp_schedule *schedule,
                                                const struct wp_op *op)
{
    struct wp_redundant bank;
    struct wp_text source = {0};
    if (!wp_redundant_make(&schedule->description, &bank))
        return NULL;
    struct maker m = make(&bank, op->dilation);
    m.out = &source;
    add_source(&m, wp_description_planes(&schedule->description) > GROUPS_MOST);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

// ---- Dispatches.

void wp_compute_bank_rows_dispatch(struct wp_program *program, const struct wp_planes *planes,
                                   const struct wp_op *op, bool all)
{
    const struct wp_op *last = &op[op->scheme->pass_count - 1];
    const int slices = wp_description_planes(&planes->schedule->description);
    struct wp_redundant bank;
    if (!wp_redundant_make(&planes->schedule->description, &bank))
        return;
    const struct maker m = make(&bank, op->dilation);
    // Sums have no taps, whose distance may exceed GROUPS_MOST.
    const int step = bank.rule == WP_LEVEL_SUM ? 1 : op->dilation;
    const int all_rows = wp_divide_up(op->height, step);
    const int columns = wp_divide_up(op->width, COLUMNS * m.shape->lanes);
    int rows = m.shape->rows;
    while (rows > ROWS_LEAST &&
           (double)columns * wp_divide_up(all_rows, rows) * step * slices < ENOUGH_GROUPS)
        rows /= 2;
    while (wp_divide_up(all_rows, rows) * step > GROUPS_MOST)
        rows *= 2;
    const int groups[] = {all ? columns : 1,
                          all ? wp_divide_up(all_rows, rows) * step : 1,
                          !all                   ? 1
                          : slices < GROUPS_MOST ? slices
                                                 : GROUPS_MOST};
    // One workgroup of one sample compiles the program.
    wp_program_set3(program, "size",
                    all ? (const int[]){op->width, op->height, slices} : (const int[]){1, 1, 1});
    wp_program_set(program, "dilation", step);
    wp_program_set(program, "extension", (int)op->extension);
    wp_program_set(program, "rows", rows);
    wp_program_set2(program, "tile", (is_near(&m) ? m.first : m.least * step) / COLUMNS, m.more);
    wp_planes_set_layout(planes, op->source, program, "source_layout");
    wp_planes_set_layout(planes, last->destination, program, "result_layout");
    wp_program_dispatch_buffer(program, &planes->buffer, &planes->part[op->source],
                               &planes->part[last->destination], groups);
}
