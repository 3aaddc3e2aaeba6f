#include "report_pixel.h"

#include "json_value.h"
#include "log.h"
#include "memory.h"
#include "reference.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char component_letters[] = "rgba";

// Where the plan's stages are followed.
struct walk {
    const struct wp_plan *plan;
    int x, y;
    double unit, quantum;
    json_t *stages;
    // What the stage before has left.
    struct wp_rect domain;
    float *quads;
    // Of the component that is followed: its level so far and its value.
    int level;
    double value;
};

static double find_unit(const struct wp_image *image)
{
    return image->source_bits == 8 ? 255.0 : image->source_bits == 16 ? 65535.0 : 1.0;
}

// The decimal place below which float32 holds nothing of the image's values.
static double find_quantum(const struct wp_image *image)
{
    double range = 0.0;
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++)
        range = fmax(range, fabs((double)image->plane[0][i]));
    range = range > 0.0 && range < HUGE_VAL ? range : 1.0;
    return pow(10.0, floor(log10(2e-6 * find_unit(image) * range)));
}

static double shown(const struct walk *walk, double value)
{
    // Adding zero turns -0 into 0.
    return walk->quantum * round(walk->unit * value / walk->quantum) + 0.0;
}

static void add_number(struct wp_text *out, double value, int digits)
{
    char number[WP_NUMBER_SIZE];
    wp_format_number(number, value, digits);
    const size_t length = strlen(number);
    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        number[length - 2] = '\0';
    wp_text_add(out, "%s", number);
}

// The component that is followed at a level, and whether it goes on to it: forward, a detail
// coefficient stays where it is.
static int component_at(const struct walk *walk, int level)
{
    return (walk->x >> (level - 1) & 1) | (walk->y >> (level - 1) & 1) << 1;
}

static bool reaches(const struct walk *walk, int level)
{
    for (int l = 1; l < level && walk->plan->description.direction == WP_FORWARD; l++)
        if (component_at(walk, l))
            return false;
    return true;
}

// What of a pass the component needs at the end: which statements of `after` and `before`, two
// bits each, and which components of the core's result and of its input.
struct need {
    unsigned long long after, before;
    unsigned rows, loaded;
};

static unsigned long long need_constants(const struct wp_scheme *scheme,
                                         const struct wp_constant *constants, int count,
                                         unsigned *components)
{
    unsigned long long needed = 0;
    for (int i = 2 * count - 1; i >= 0; i--) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        wp_scheme_statements(scheme, &constants[i / 2], statement);
        if (*components >> statement[i % 2].destination & 1) {
            *components |= 1u << statement[i % 2].source;
            needed |= 1ull << i;
        }
    }
    return needed;
}

static struct need find_need(const struct wp_scheme *scheme, int pass_index, int component)
{
    unsigned components = 1u << component;
    struct need need = {0};
    for (int p = scheme->pass_count - 1; p >= pass_index; p--) {
        const struct wp_pass *pass = &scheme->pass[p];
        need.after = need_constants(scheme, pass->after, pass->after_count, &components);
        need.rows = components;
        components = 0;
        for (int i = 0; i < WP_COMPONENTS; i++)
            for (int j = 0; j < WP_COMPONENTS; j++)
                for (int t = 0; need.rows >> i & 1 && t < pass->core.at[i][j].count; t++)
                    if (wp_term_is_local(&pass->core.at[i][j].term[t]))
                        components |= 1u << j;
        need.before = need_constants(scheme, pass->before, pass->before_count, &components);
        need.loaded = components;
    }
    return need;
}

// The right-hand side of a line: in components, in numbers, and as a question, where the
// components of the quad itself stay letters.
struct side {
    struct wp_text formula, expression, question;
};

static void clear_side(struct side *side)
{
    wp_text_free(&side->formula);
    wp_text_free(&side->expression);
    wp_text_free(&side->question);
}

// Frees the side.
static void add_line(const struct walk *walk, json_t *lines, int component, const char *name,
                     struct side *side, double value)
{
    const char letter[] = {component_letters[component], '\0'};
    json_array_append_new(
        lines, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "component", letter, "name", name,
                         "formula", wp_text_get(&side->formula), "expression",
                         wp_text_get(&side->expression), "question", wp_text_get(&side->question),
                         "value", wp_json_number(shown(walk, value))));
    clear_side(side);
}

// "r", "r(+1,0)".
static void add_sample(struct wp_text *out, char letter, int m, int n)
{
    wp_text_add(out, "%c", letter);
    if (m || n)
        wp_text_add(out, m ? "(%+d," : "(%d,", m);
    if (m || n)
        wp_text_add(out, n ? "%+d)" : "%d)", n);
}

static void add_value(struct wp_text *out, double value)
{
    wp_text_add(out, "%s", value < 0 ? "(" : "");
    add_number(out, value, 9);
    wp_text_add(out, "%s", value < 0 ? ")" : "");
}

// " - 0.5 r(+1,0)" and " - 0.5*104".
static void add_product(const struct walk *walk, double c, char letter, int m, int n,
                        double value, struct side *side)
{
    struct wp_text *const text[] = {&side->formula, &side->expression, &side->question};
    const bool one = !(fabs(c) < 1.0) && !(fabs(c) > 1.0), first = side->formula.length == 0;
    for (int i = 0; i < 3; i++) {
        wp_text_add(text[i], "%s", c < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
        if (!one) {
            add_number(text[i], fabs(c), 7);
            wp_text_add(text[i], i ? "*" : " ");
        }
    }
    add_sample(&side->formula, letter, m, n);
    add_value(&side->expression, shown(walk, value));
    if (m || n)
        add_value(&side->question, shown(walk, value));
    else
        wp_text_add(&side->question, "%c", letter);
}

static double value_at(const struct walk *walk, int component, int x, int y)
{
    const size_t row = (size_t)(y - walk->domain.y), column = (size_t)(x - walk->domain.x);
    return (double)walk->quads[WP_COMPONENTS * (row * (size_t)walk->domain.width + column) +
                               (size_t)component];
}

static void show_constants(const struct walk *walk, const struct wp_scheme *scheme,
                           const struct wp_constant *constants, int count,
                           unsigned long long needed, double quad[WP_COMPONENTS], json_t *lines)
{
    for (int i = 0; i < 2 * count; i++) {
        if (!(needed >> i & 1))
            continue;
        struct wp_statement statement[WP_STATEMENTS_MAX];
        wp_scheme_statements(scheme, &constants[i / 2], statement);
        const struct wp_statement *s = &statement[i % 2];
        struct wp_text name = {0};
        struct side side = {0};
        wp_explain_constant_name(&name, &constants[i / 2]);
        add_product(walk, 1.0, component_letters[s->destination], 0, 0, quad[s->destination],
                    &side);
        add_product(walk, s->c, component_letters[s->source], 0, 0, quad[s->source], &side);
        quad[s->destination] += s->c * quad[s->source];
        add_line(walk, lines, s->destination, wp_text_get(&name), &side, quad[s->destination]);
        wp_text_free(&name);
    }
}

static void show_scale(const struct walk *walk, const double scale[WP_COMPONENTS],
                       unsigned components, double quad[WP_COMPONENTS], json_t *lines)
{
    for (int c = 0; c < WP_COMPONENTS; c++) {
        if (!(components >> c & 1) || (!(scale[c] < 1.0) && !(scale[c] > 1.0)))
            continue;
        struct side side = {0};
        add_product(walk, scale[c], component_letters[c], 0, 0, quad[c], &side);
        quad[c] *= scale[c];
        add_line(walk, lines, c, "scaling", &side, quad[c]);
    }
}

// A row of a pass that reads its own quad from `loaded` where constants have changed it.
struct row {
    const struct wp_pass *pass;
    const double *scale; // of the columns
    const double *loaded;
    int number, x, y;
};

static double show_term(const struct walk *walk, const struct row *row, int column,
                        const struct wp_term *term, struct side *side)
{
    const double c = term->c * row->scale[column];
    const double value = row->loaded
                             ? row->loaded[column]
                             : value_at(walk, column, row->x + term->at[WP_X],
                                        row->y + term->at[WP_Y]);
    add_product(walk, c, component_letters[column], term->at[WP_X], term->at[WP_Y], value, side);
    return c * value;
}

// The quad's own sample first, as people write it.
static double show_row(const struct walk *walk, const struct row *row, json_t *lines)
{
    struct side side = {0};
    double value = 0.0;
    for (int own = 1; own >= 0; own--) {
        for (int j = 0; j < WP_COMPONENTS; j++) {
            const struct wp_poly *entry = &row->pass->core.at[row->number][j];
            for (int t = 0; t < entry->count; t++) {
                const struct wp_term *term = &entry->term[t];
                if ((j == row->number && wp_term_is_local(term)) == own)
                    value += show_term(walk, row, j, term, &side);
            }
        }
    }
    // Where a sample only stays, there is nothing to tell.
    if (side.formula.length == 1)
        clear_side(&side);
    else
        add_line(walk, lines, row->number, "", &side, value);
    return value;
}

static bool reads_beyond(const struct wp_op *op, int x, int y)
{
    const struct wp_reach *reach = &op->scheme->pass[op->pass].reach;
    return x + reach->low[WP_X] < 0 || 2 * (x + reach->high[WP_X]) >= op->width ||
           y + reach->low[WP_Y] < 0 || 2 * (y + reach->high[WP_Y]) >= op->height;
}

static void show_pass(struct walk *walk, const struct wp_op *op, json_t *stage, json_t *lines)
{
    static const double one[WP_COMPONENTS] = {1, 1, 1, 1};
    const struct wp_scheme *scheme = op->scheme;
    const struct wp_pass *pass = &scheme->pass[op->pass];
    const int component = component_at(walk, op->level);
    const struct need need = find_need(scheme, op->pass, component);
    const bool last = op->pass == scheme->pass_count - 1;
    struct row row = {.pass = pass,
                      .scale = op->pass == 0 && !pass->before_count ? scheme->scale_in : one,
                      .x = walk->x >> op->level,
                      .y = walk->y >> op->level};
    double loaded[WP_COMPONENTS], quad[WP_COMPONENTS] = {0};
    for (int c = 0; c < WP_COMPONENTS; c++)
        loaded[c] = value_at(walk, c, row.x, row.y);
    if (pass->before_count) {
        row.loaded = loaded;
        show_scale(walk, op->pass == 0 ? scheme->scale_in : one, need.loaded, loaded, lines);
        show_constants(walk, scheme, pass->before, pass->before_count, need.before, loaded,
                       lines);
    }
    for (row.number = 0; row.number < WP_COMPONENTS; row.number++)
        if (need.rows >> row.number & 1)
            quad[row.number] = show_row(walk, &row, lines);
    show_constants(walk, scheme, pass->after, pass->after_count, need.after, quad, lines);
    if (last)
        show_scale(walk, scheme->scale_out, 1u << component, quad, lines);
    walk->value = quad[component];
    json_object_set_new(stage, "label", json_string(pass->label));
    json_object_set_new(stage, "beyond", json_boolean(reads_beyond(op, row.x, row.y)));
}

// Where component `c` of the quad (x, y) of a level comes from, if not from a pass.
static void name_origin(const struct walk *walk, const struct wp_op *op, int c, int x, int y,
                        struct wp_text *out)
{
    const struct wp_port *port = &walk->plan->load[0];
    const int sx = wp_extend(port->extension, 2 * x + (c & 1), op ? op->width : port->width),
              sy = wp_extend(port->extension, 2 * y + (c >> 1), op ? op->height : port->height);
    const bool forward = walk->plan->description.direction == WP_FORWARD;
    const int level = op ? op->level : forward ? 1 : walk->plan->description.levels;
    if (sx < 0 || sy < 0)
        wp_text_add(out, "nothing (beyond the edge)");
    else if (forward && level == 1)
        wp_text_add(out, "pixel(%d,%d)", sx, sy);
    else if (forward)
        wp_text_add(out, "LL%d(%d,%d)", level - 1, sx, sy);
    else if (op && c == 0)
        wp_text_add(out, "sample(%d,%d) of level %d", sx / 2, sy / 2, level + 1);
    else
        wp_text_add(out, "%s%d(%d,%d)", wp_band_names[sx % 2 + sy % 2 * 2], level, sx / 2, sy / 2);
}

// The quad as it was loaded, gathered or spread.
static void show_origin(const struct walk *walk, const struct wp_stage *now, int x, int y,
                        json_t *lines)
{
    const float *quad = now->quads + WP_COMPONENTS * ((size_t)(y - now->domain.y) *
                                                          (size_t)now->domain.width +
                                                      (size_t)(x - now->domain.x));
    for (int c = 0; c < WP_COMPONENTS; c++) {
        struct side side = {0};
        name_origin(walk, now->op, c, x, y, &side.formula);
        add_number(&side.expression, shown(walk, (double)quad[c]), 9);
        wp_text_add(&side.question, "%s", wp_text_get(&side.formula));
        add_line(walk, lines, c, "", &side, (double)quad[c]);
    }
}

static bool keep(struct walk *walk, const struct wp_stage *stage)
{
    const size_t count =
        (size_t)stage->domain.width * (size_t)stage->domain.height * WP_COMPONENTS;
    free(walk->quads);
    walk->quads = wp_allocate(count, sizeof *walk->quads, "a picture of a surface");
    if (!walk->quads)
        return false;
    memcpy(walk->quads, stage->quads, count * sizeof *walk->quads);
    walk->domain = stage->domain;
    return true;
}

static bool follow(void *user, const struct wp_stage *now)
{
    struct walk *walk = user;
    const struct wp_description *plan = &walk->plan->description;
    const int level = now->op                         ? now->op->level
                      : plan->direction == WP_FORWARD ? 1
                                                      : plan->levels;
    if (reaches(walk, level)) {
        const int x = walk->x >> level, y = walk->y >> level;
        struct wp_text name = {0};
        wp_report_stage_name(&name, now->op);
        json_t *lines = json_array();
        json_t *stage = json_pack("{s:s, s:[i, i], s:o}", "name", wp_text_get(&name), "quad", x,
                                  y, "lines", lines);
        wp_text_free(&name);
        if (now->op && now->op->kind == WP_OP_PASS)
            show_pass(walk, now->op, stage, lines);
        else
            show_origin(walk, now, x, y, lines);
        json_array_append_new(walk->stages, stage);
        walk->level = level;
    }
    return keep(walk, now);
}

static json_t *make_result(const struct walk *walk)
{
    struct wp_text name = {0}, meaning = {0};
    if (walk->plan->description.direction == WP_FORWARD) {
        const int band = component_at(walk, walk->level);
        wp_text_add(&name, "%s%d(%d,%d)", wp_band_names[band], walk->level,
                    walk->x >> walk->level, walk->y >> walk->level);
        wp_text_add(&meaning, "%s%d", wp_band_descriptions[band], walk->level);
    } else {
        wp_text_add(&name, "pixel(%d,%d)", walk->x, walk->y);
        wp_text_add(&meaning, "of the reconstructed image");
    }
    json_t *result = json_pack("{s:s, s:s, s:o, s:o}", "name", wp_text_get(&name), "meaning",
                               wp_text_get(&meaning), "value",
                               wp_json_number(shown(walk, walk->value)), "exact",
                               wp_json_number(walk->value));
    wp_text_free(&name);
    wp_text_free(&meaning);
    return result;
}

json_t *wp_report_pixel(const struct wp_plan *plan, const struct wp_image *image, int x, int y)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        wp_fail(WP_ERROR_USAGE, "pixel %d,%d is outside the image (%dx%d)", x, y, image->width,
                image->height);
        return NULL;
    }
    struct walk walk = {.plan = plan,
                        .x = x,
                        .y = y,
                        .unit = find_unit(image),
                        .quantum = find_quantum(image),
                        .stages = json_array()};
    const bool ok = wp_reference_watch(plan, image->plane[0], follow, &walk);
    free(walk.quads);
    json_t *work = NULL;
    if (ok)
        work = json_pack("{s:s, s:s, s:s, s:[i, i], s:f, s:O, s:o}", "scheme",
                         plan->op[0].scheme->name, "direction",
                         wp_direction_names[plan->description.direction], "border",
                         wp_border_names[plan->description.border], "pixel", x, y, "unit", walk.unit,
                         "stages", walk.stages, "result", make_result(&walk));
    json_decref(walk.stages);
    return work;
}

static const char *get(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void print_value(const json_t *object, struct wp_text *out)
{
    const json_t *value = json_object_get(object, "value");
    if (json_is_number(value))
        add_number(out, json_number_value(value), 9);
    else
        wp_text_add(out, "not finite");
}

static void print_answer(const json_t *line, bool blanks, struct wp_text *out)
{
    if (blanks)
        wp_text_add(out, "____________");
    else
        print_value(line, out);
}

static void print_line(const json_t *line, bool blanks, struct wp_text *out)
{
    const char *name = get(line, "name"), *expression = get(line, "expression");
    const int indent = (int)strlen(name) + (*name ? 8 : 6);
    wp_text_add(out, "  %s%s%s = ", name, *name ? ": " : "", get(line, "component"));
    if (!strpbrk(expression, " *")) {
        wp_text_add(out, "%s = %s\n", get(line, "formula"), expression);
        return;
    }
    if (!*name) {
        wp_explain_wrap_sum(out, indent, get(line, "formula"));
        wp_text_add(out, "\n    = ");
    }
    wp_explain_wrap_sum(out, indent, blanks ? get(line, "question") : expression);
    wp_text_add(out, "%s = ", *name ? "" : "\n   ");
    print_answer(line, blanks, out);
    wp_text_add(out, "\n");
}

static void print_stage(const json_t *stage, bool blanks, struct wp_text *out)
{
    const json_t *quad = json_object_get(stage, "quad");
    wp_text_add(out, "\n%s, quad (%d,%d)%s", get(stage, "name"),
                (int)json_integer_value(json_array_get(quad, 0)),
                (int)json_integer_value(json_array_get(quad, 1)),
                get(stage, "label") ? ": " : "");
    if (get(stage, "label"))
        wp_explain_wrap(out, 2, get(stage, "label"));
    wp_text_add(out, "\n");
    const json_t *lines = json_object_get(stage, "lines");
    if (json_array_size(lines) == 0)
        wp_text_add(out, "  the sample stays as it is\n");
    else if (json_is_true(json_object_get(stage, "beyond")))
        wp_text_add(out, "  (reads quads beyond the edge, which continue the image)\n");
    for (size_t i = 0; i < json_array_size(lines); i++)
        print_line(json_array_get(lines, i), blanks, out);
}

void wp_report_pixel_legend(const json_t *work, struct wp_text *out)
{
    const double unit = json_number_value(json_object_get(work, "unit"));
    wp_text_add(out, "Numbers are ");
    if (unit > 1.0)
        wp_text_add(out, "%.0f times ", unit);
    wp_text_add(out, "those of the files of --what passes and forward, rounded where float32 "
                     "ends.\nr(+1,0): component r of the quad one to the right.\n");
}

void wp_report_pixel_print(const json_t *work, bool blanks, struct wp_text *out)
{
    const json_t *stages = json_object_get(work, "stages");
    const json_t *result = json_object_get(work, "result");
    wp_text_add(out, "%s, %s: %s, %s\n", get(work, "scheme"), get(work, "direction"),
                get(result, "name"), get(result, "meaning"));
    for (size_t i = 0; i < json_array_size(stages); i++)
        print_stage(json_array_get(stages, i), blanks, out);
    wp_text_add(out, "\n%s = ", get(result, "name"));
    print_answer(result, blanks, out);
    wp_text_add(out, "\n");
}

void wp_report_pixel_compare(const json_t *a, const json_t *b, struct wp_text *out)
{
    const json_t *both[] = {a, b};
    double exact[2];
    for (int i = 0; i < 2; i++) {
        const json_t *result = json_object_get(both[i], "result");
        wp_text_add(out, "%-36s %s = ", get(both[i], "scheme"), get(result, "name"));
        print_value(result, out);
        wp_text_add(out, "\n");
        exact[i] = json_number_value(json_object_get(result, "exact"));
    }
    char number[WP_NUMBER_SIZE];
    wp_text_add(out, "difference in the files: %s\n",
                wp_format_number(number, fabs(exact[0] - exact[1]), 2));
}
