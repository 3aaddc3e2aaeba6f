#include "bank_rows.h"

#include "emit.h"
#include "min_max.h"
#include "redundant.h"
#include "text.h"

#include <stdio.h>

extern const unsigned char wp_shader_bank_rows[];

// As in shaders/bank_rows.glsl: invocations of a workgroup, columns of one; the most rows around; rows
// that a workgroup writes.
enum { LANES = 128, COLUMNS = 4, AROUND_MOST = 16, ROWS = 16, GROUPS_MOST = WP_PLANES_LAYERS_MAX };

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
    int least, around, apart;
    int first, vectors; // of near taps: the first column, and groups of four columns, that four
                        // columns are filtered from
};

static int floor_to_four(int i)
{
    return i >= 0 ? i / 4 * 4 : -((3 - i) / 4 * 4);
}

static bool is_near(const struct maker *m)
{
    return m->apart < COLUMNS;
}

// Declares the columns around four columns of a row, named a0, a1, ...
static void add_load(const struct maker *m)
{
    const int count = is_near(m) ? m->vectors : m->around + 1;
    for (int i = 0; i < count; i++)
        wp_text_add(m->out, "    vec4 a%d = lines[at + %d%s];\n", i, i,
                    is_near(m) ? "" : " * (dilation / 4)");
}

// The four columns at tap i, from `least` on.
static void add_tap(const struct maker *m, int i)
{
    static const char *const from[] = {"", "yzw", "zw", "w"}, *const to[] = {"", "x", "xy", "xyz"};
    const int at = is_near(m) ? m->apart * (m->least + i) - m->first : 4 * i;
    if (at % 4)
        wp_text_add(m->out, "vec4(a%d.%s, a%d.%s)", at / 4, from[at % 4], at / 4 + 1, to[at % 4]);
    else
        wp_text_add(m->out, "a%d", at / 4);
}

static void add_filter_x(const struct maker *m, int f)
{
    const struct wp_redundant_filter *filter = &m->bank->filter[f];
    for (int i = 0; i < filter->count; i++) {
        wp_text_add(m->out, "%sfloat(%.9g) * ", i ? " + " : "", filter->tap[i]);
        add_tap(m, filter->first - m->least + i);
    }
}

// Filters the rows of window `name`.
static void add_filter_y(const struct maker *m, int f, const char *name)
{
    const struct wp_redundant_filter *filter = &m->bank->filter[f];
    for (int i = 0; i < filter->count; i++)
        wp_text_add(m->out, "%sfloat(%.9g) * %s%d", i ? " + " : "", filter->tap[i], name,
                    filter->first - m->least + i);
}

// The latest row of the windows: the results along x, low in l; in h high ones (split), or the samples
// (difference).
static void add_row(const struct maker *m)
{
    for (int i = 0; i < m->around; i++)
        wp_text_add(m->out, "    l%d = l%d;\n    h%d = h%d;\n", i, i + 1, i, i + 1);
    add_load(m);
    wp_text_add(m->out, "    l%d = ", m->around);
    add_filter_x(m, 0);
    wp_text_add(m->out, ";\n    h%d = ", m->around);
    if (m->bank->rule == WP_LEVEL_SPLIT)
        add_filter_x(m, 1);
    else
        add_tap(m, -m->least);
    wp_text_add(m->out, ";\n");
}

static void add_results(const struct maker *m)
{
    const char *const window[] = {"l", "h"};
    for (int b = 0; b < WP_BAND_COUNT && m->bank->rule == WP_LEVEL_SPLIT; b++) {
        wp_text_add(m->out, "        result[(to + %d * result_layout.y) >> 2] = ", b);
        add_filter_y(m, b >> 1, window[b & 1]);
        wp_text_add(m->out, ";\n");
    }
    if (m->bank->rule == WP_LEVEL_SPLIT)
        return;
    wp_text_add(m->out, "        vec4 low = ");
    add_filter_y(m, 0, "l");
    wp_text_add(m->out, ";\n        result[to >> 2] = low;\n"
                        "        result[(to + result_layout.y) >> 2] = h%d - low;\n",
                -m->least);
}

static void add_source(const struct maker *m)
{
    const bool sums = m->bank->rule == WP_LEVEL_SUM;
    wp_emit_head(&wp_glsl_430, 0, m->out);
    wp_text_add(m->out,
                "#define AROUND %d\n#define LEAST %d\n#define MOST %d\n%s%s", m->around, m->least,
                m->least + m->around, sums ? "#define SUM\n" : "",
                (const char *)wp_shader_bank_rows);
    for (int i = 0; i <= m->around; i++)
        wp_text_add(m->out, "%s l%d, h%d%s", i ? "," : "\nvec4", i, i, i < m->around ? "" : ";\n");
    wp_text_add(m->out, "\nvoid advance(int at, bool writes)\n{\n");
    if (!sums)
        add_row(m);
    wp_text_add(m->out, "    if (writes) {\n");
    if (sums)
        wp_text_add(m->out, "        result[to >> 2] =\n"
                            "            source[at >> 2] + source[(at + source_layout.y) >> 2];\n");
    else
        add_results(m);
    wp_text_add(m->out, "        to += dilation * result_layout.x;\n    }\n}\n");
}

static struct maker make(const struct wp_redundant *bank, int dilation)
{
    struct maker m = {.bank = bank, .apart = dilation < COLUMNS ? dilation : COLUMNS};
    int most;
    find_range(bank, &m.least, &most);
    m.around = most - m.least;
    m.first = floor_to_four(m.apart * m.least);
    m.vectors = (m.apart * most + COLUMNS - 1 - m.first) / COLUMNS + 1;
    return m;
}

// The groups of four columns around those of a tile.
static int groups_around(const struct maker *m, int dilation)
{
    return is_near(m) ? m->vectors - 1 : m->around * (dilation / COLUMNS);
}

bool wp_compute_bank_rows_fit(const struct wp_description *d, int dilation)
{
    struct wp_redundant bank;
    if (!wp_redundant_make(d, &bank) || bank.weighted || bank.rule > WP_LEVEL_SUM ||
        bank.rule == WP_LEVEL_JOIN)
        return false;
    const struct maker m = make(&bank, dilation);
    return groups_around(&m, dilation) <= LANES;
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
    add_source(&m);
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
    const int step = op->dilation, all_rows = wp_divide_up(op->height, step);
    int rows = ROWS;
    while (wp_divide_up(all_rows, rows) * step > GROUPS_MOST)
        rows *= 2;
    const int groups[] = {all ? wp_divide_up(op->width, COLUMNS * LANES) : 1,
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
    wp_program_set2(program, "tile", is_near(&m) ? m.first : m.least * step,
                    LANES + groups_around(&m, step));
    wp_planes_set_layout(planes, op->source, program, "source_layout");
    wp_planes_set_layout(planes, last->destination, program, "result_layout");
    wp_program_dispatch_buffer(program, &planes->buffer, &planes->part[op->source],
                               &planes->part[last->destination], groups);
}
