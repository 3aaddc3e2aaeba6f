#include "report_pixel.h"

#include "json_value.h"
#include "log.h"
#include "memory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the stages are followed.
struct walk {
    const struct wp_description *description;
    int dims;
    int place[WP_DIMS_MAX];
    double unit, quantum;
    json_t *stages;
    char scheme[96]; // its name
    // What the stage before has left, and its values.
    struct wp_report_stage before;
    float *values;
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
    for (size_t i = 0; i < wp_image_samples(image); i++)
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

// The quad or octet that is followed at a level. An axis that has fewer levels stays.
static void group_at(const struct walk *walk, int level, int at[WP_DIMS_MAX])
{
    memcpy(at, walk->place, sizeof walk->place);
    for (int l = 1; l <= level; l++)
        for (int a = 0; a < WP_DIMS_MAX; a++)
            at[a] >>= wp_description_axes(walk->description, l) >> a & 1;
}

// The component that is followed at a level, and whether it goes on to it: forward, a detail
// coefficient stays where it is.
static int component_at(const struct walk *walk, int level)
{
    int above[WP_DIMS_MAX], component = 0;
    group_at(walk, level - 1, above);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        component |= (above[a] & 1) << a;
    return component & (int)wp_description_axes(walk->description, level);
}

static bool reaches(const struct walk *walk, int level)
{
    for (int l = 1; l < level && walk->description->direction == WP_FORWARD; l++)
        if (component_at(walk, l))
            return false;
    return true;
}

// What of a pass the component needs at the end: which statements of each constant of `after` and
// `before`, and which components of the core's result and of its input.
struct need {
    unsigned after[WP_FACTORS_MAX], before[WP_FACTORS_MAX];
    unsigned rows, loaded;
};

static void need_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                           int count, unsigned needed[WP_FACTORS_MAX], unsigned *components)
{
    for (int i = count - 1; i >= 0; i--) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        needed[i] = 0;
        for (int s = statements - 1; s >= 0; s--) {
            if (*components >> statement[s].destination & 1) {
                *components |= 1u << statement[s].source;
                needed[i] |= 1u << s;
            }
        }
    }
}

static void find_need(const struct wp_scheme *scheme, int pass_index, int component,
                      struct need *need)
{
    unsigned components = 1u << component;
    for (int p = scheme->pass_count - 1; p >= pass_index; p--) {
        const struct wp_pass *pass = &scheme->pass[p];
        const struct wp_matrix *core = &pass->core;
        need_constants(scheme, pass->after, pass->after_count, need->after, &components);
        need->rows = components;
        components = 0;
        for (int i = 0; i < core->components; i++)
            for (int j = 0; j < core->components; j++)
                for (int t = 0; need->rows >> i & 1 && t < core->at[i][j].count; t++)
                    if (wp_term_is_local(&core->at[i][j].term[t]))
                        components |= 1u << j;
        need_constants(scheme, pass->before, pass->before_count, need->before, &components);
        need->loaded = components;
    }
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
    const char letter[] = {wp_explain_letters[component], '\0'};
    json_array_append_new(
        lines, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "component", letter, "name", name,
                         "formula", wp_text_get(&side->formula), "expression",
                         wp_text_get(&side->expression), "question", wp_text_get(&side->question),
                         "value", wp_json_number(shown(walk, value))));
    clear_side(side);
}

static bool is_own(const int at[WP_DIMS_MAX])
{
    return at[WP_X] == 0 && at[WP_Y] == 0 && at[WP_Z] == 0;
}

// "r", "r(+1,0)".
static void add_sample(const struct walk *walk, struct wp_text *out, char letter,
                       const int at[WP_DIMS_MAX])
{
    wp_text_add(out, "%c", letter);
    for (int a = 0; a < walk->dims && !is_own(at); a++)
        wp_text_add(out, at[a] ? "%s%+d" : "%s%d", a ? "," : "(", at[a]);
    wp_text_add(out, "%s", is_own(at) ? "" : ")");
}

// "(3,4)", "(3,4,5)".
static void add_place(const struct walk *walk, struct wp_text *out, const int at[WP_DIMS_MAX])
{
    for (int a = 0; a < walk->dims; a++)
        wp_text_add(out, "%s%d", a ? "," : "(", at[a]);
    wp_text_add(out, ")");
}

static json_t *make_place(const struct walk *walk, const int at[WP_DIMS_MAX])
{
    json_t *place = json_array();
    for (int a = 0; a < walk->dims; a++)
        json_array_append_new(place, json_integer(at[a]));
    return place;
}

static void add_value(struct wp_text *out, double value)
{
    wp_text_add(out, "%s", value < 0 ? "(" : "");
    add_number(out, value, 9);
    wp_text_add(out, "%s", value < 0 ? ")" : "");
}

// " - 0.5 r(+1,0)" and " - 0.5*104".
static void add_product(const struct walk *walk, double c, int component,
                        const int at[WP_DIMS_MAX], double value, struct side *side)
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
    const char letter = wp_explain_letters[component];
    add_sample(walk, &side->formula, letter, at);
    add_value(&side->expression, shown(walk, value));
    if (is_own(at))
        wp_text_add(&side->question, "%c", letter);
    else
        add_value(&side->question, shown(walk, value));
}

static const int own[WP_DIMS_MAX];

// What the stage before has left.
static double value_at(const struct walk *walk, int component, const int at[WP_DIMS_MAX])
{
    return wp_report_value(&walk->before, component, at);
}

static void show_constants(const struct walk *walk, const struct wp_scheme *scheme,
                           const struct wp_constant *constants, int count,
                           const unsigned needed[WP_FACTORS_MAX], double group[WP_COMPONENTS_MAX],
                           json_t *lines)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        for (int n = 0; n < statements; n++) {
            if (!(needed[i] >> n & 1))
                continue;
            const struct wp_statement *s = &statement[n];
            struct wp_text name = {0};
            struct side side = {0};
            wp_explain_constant_name(&name, &constants[i]);
            add_product(walk, 1.0, s->destination, own, group[s->destination], &side);
            add_product(walk, s->c, s->source, own, group[s->source], &side);
            group[s->destination] += s->c * group[s->source];
            add_line(walk, lines, s->destination, wp_text_get(&name), &side,
                     group[s->destination]);
            wp_text_free(&name);
        }
    }
}

static void show_scale(const struct walk *walk, const double scale[WP_COMPONENTS_MAX],
                       unsigned components, double group[WP_COMPONENTS_MAX], json_t *lines)
{
    for (int c = 0; c < 1 << walk->dims; c++) {
        if (!(components >> c & 1) || (!(scale[c] < 1.0) && !(scale[c] > 1.0)))
            continue;
        struct side side = {0};
        add_product(walk, scale[c], c, own, group[c], &side);
        group[c] *= scale[c];
        add_line(walk, lines, c, "scaling", &side, group[c]);
    }
}

// A row of a pass that reads its own quad or octet from `loaded` where constants have changed it.
struct row {
    const struct wp_pass *pass;
    const double *scale; // of the columns
    const double *loaded;
    int number, at[WP_DIMS_MAX];
};

static double show_term(const struct walk *walk, const struct row *row, int column,
                        const struct wp_term *term, struct side *side)
{
    const double c = term->c * row->scale[column];
    int from[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        from[a] = row->at[a] + term->at[a];
    const double value = row->loaded ? row->loaded[column] : value_at(walk, column, from);
    add_product(walk, c, column, term->at, value, side);
    return c * value;
}

// The group's own sample first, as people write it.
static double show_row(const struct walk *walk, const struct row *row, json_t *lines)
{
    struct side side = {0};
    double value = 0.0;
    for (int first = 1; first >= 0; first--) {
        for (int j = 0; j < 1 << walk->dims; j++) {
            const struct wp_poly *entry = &row->pass->core.at[row->number][j];
            for (int t = 0; t < entry->count; t++) {
                const struct wp_term *term = &entry->term[t];
                if ((j == row->number && wp_term_is_local(term)) == first)
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

static bool reads_beyond(const struct wp_report_stage *now, const int at[WP_DIMS_MAX])
{
    const struct wp_reach *reach = &now->scheme->pass[now->pass].reach;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int samples = now->axes >> a & 1 ? 2 : 1;
        if (at[a] + reach->low[a] < 0 || samples * (at[a] + reach->high[a]) >= now->size[a])
            return true;
    }
    return false;
}

static void show_pass(struct walk *walk, const struct wp_report_stage *now, json_t *stage,
                      json_t *lines)
{
    static const double one[WP_COMPONENTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct wp_scheme *scheme = now->scheme;
    const struct wp_pass *pass = &scheme->pass[now->pass];
    const int component = component_at(walk, now->level);
    struct need need;
    find_need(scheme, now->pass, component, &need);
    struct row row = {.pass = pass,
                      .scale = now->pass == 0 && !pass->before_count ? scheme->scale_in : one};
    group_at(walk, now->level, row.at);
    double loaded[WP_COMPONENTS_MAX], group[WP_COMPONENTS_MAX] = {0};
    for (int c = 0; c < now->components; c++)
        loaded[c] = value_at(walk, c, row.at);
    if (pass->before_count) {
        row.loaded = loaded;
        show_scale(walk, now->pass == 0 ? scheme->scale_in : one, need.loaded, loaded, lines);
        show_constants(walk, scheme, pass->before, pass->before_count, need.before, loaded,
                       lines);
    }
    for (row.number = 0; row.number < now->components; row.number++)
        if (need.rows >> row.number & 1)
            group[row.number] = show_row(walk, &row, lines);
    show_constants(walk, scheme, pass->after, pass->after_count, need.after, group, lines);
    if (now->pass == scheme->pass_count - 1)
        show_scale(walk, scheme->scale_out, 1u << component, group, lines);
    walk->value = group[component];
    json_object_set_new(stage, "label", json_string(pass->label));
    json_object_set_new(stage, "beyond", json_boolean(reads_beyond(now, row.at)));
}

static const char *band_name(const struct walk *walk, int band)
{
    return walk->dims == 3 ? wp_octet_band_names[band] : wp_band_names[band];
}

// Where component `c` of a quad or octet of a level comes from, if not from a pass.
static void name_origin(const struct walk *walk, const struct wp_report_stage *now, int c,
                        const int at[WP_DIMS_MAX], struct wp_text *out)
{
    const enum wp_extension extension = wp_description_lifting(walk->description).extension;
    const bool forward = walk->description->direction == WP_FORWARD;
    int sample[WP_DIMS_MAX], half[WP_DIMS_MAX], band = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const bool halved = now->axes >> a & 1;
        sample[a] = halved ? wp_extend(extension, 2 * at[a] + (c >> a & 1), now->size[a]) : at[a];
        if (sample[a] < 0 || (!halved && c >> a & 1)) {
            wp_text_add(out, "nothing (beyond the edge)");
            return;
        }
        half[a] = halved ? sample[a] / 2 : sample[a];
        band |= halved ? sample[a] % 2 << a : 0;
    }
    if (forward && now->level == 1) {
        wp_text_add(out, "%s", wp_explain_vocabulary(walk->dims)->sample);
        add_place(walk, out, sample);
    } else if (forward) {
        wp_text_add(out, "%s%d", band_name(walk, 0), now->level - 1);
        add_place(walk, out, sample);
    } else if (now->step != WP_REPORT_INPUT && c == 0) {
        wp_text_add(out, "sample");
        add_place(walk, out, half);
        wp_text_add(out, " of level %d", now->level + 1);
    } else {
        wp_text_add(out, "%s%d", band_name(walk, band), now->level);
        add_place(walk, out, half);
    }
}

// The quad or octet as it was loaded, gathered or spread.
static void show_origin(const struct walk *walk, const struct wp_report_stage *now,
                        const int at[WP_DIMS_MAX], json_t *lines)
{
    for (int c = 0; c < now->components; c++) {
        // Along an axis that is not transformed there are no odd samples.
        if (walk->dims == 3 && (unsigned)c & ~now->axes)
            continue;
        const double value = wp_report_value(now, c, at);
        struct side side = {0};
        name_origin(walk, now, c, at, &side.formula);
        add_number(&side.expression, shown(walk, value), 9);
        wp_text_add(&side.question, "%s", wp_text_get(&side.formula));
        add_line(walk, lines, c, "", &side, value);
    }
}

static bool keep(struct walk *walk, const struct wp_report_stage *now)
{
    size_t count = (size_t)now->components;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        count *= (size_t)now->extent[a];
    free(walk->values);
    walk->values = wp_allocate(count, sizeof *walk->values, "a picture of a surface");
    if (!walk->values)
        return false;
    memcpy(walk->values, now->values, count * sizeof *walk->values);
    walk->before = *now;
    walk->before.values = walk->values;
    return true;
}

static bool follow(void *user, const struct wp_report_stage *now)
{
    struct walk *walk = user;
    if (reaches(walk, now->level)) {
        int at[WP_DIMS_MAX];
        group_at(walk, now->level, at);
        struct wp_text name = {0};
        wp_report_stage_name(&name, now);
        json_t *lines = json_array();
        json_t *stage = json_pack("{s:s, s:o, s:o}", "name", wp_text_get(&name),
                                  wp_explain_vocabulary(walk->dims)->group, make_place(walk, at),
                                  "lines", lines);
        wp_text_free(&name);
        if (now->step == WP_REPORT_PASS)
            show_pass(walk, now, stage, lines);
        else
            show_origin(walk, now, at, lines);
        json_array_append_new(walk->stages, stage);
        walk->level = now->level;
    }
    if (!walk->scheme[0])
        snprintf(walk->scheme, sizeof walk->scheme, "%s", now->scheme->name);
    return keep(walk, now);
}

// "high-pass in x and z; pywt dad1".
static void describe_octet_band(int band, struct wp_text *out)
{
    const char *separator = " ";
    wp_text_add(out, band ? "high-pass in" : "low-pass in x, y and z");
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(band >> a & 1))
            continue;
        const bool last = !(band >> (a + 1));
        wp_text_add(out, "%s%c", *separator == ' ' ? " " : last ? " and " : ", ", "xyz"[a]);
        separator = ",";
    }
    wp_text_add(out, "; pywt ");
    for (int a = WP_DIMS_MAX - 1; a >= 0; a--)
        wp_text_add(out, "%c", band >> a & 1 ? 'd' : 'a');
}

static json_t *make_result(const struct walk *walk)
{
    struct wp_text name = {0}, meaning = {0};
    if (walk->description->direction == WP_FORWARD) {
        const int band = component_at(walk, walk->level);
        int at[WP_DIMS_MAX];
        group_at(walk, walk->level, at);
        wp_text_add(&name, "%s%d", band_name(walk, band), walk->level);
        add_place(walk, &name, at);
        if (walk->dims == 3)
            describe_octet_band(band, &meaning);
        else
            wp_text_add(&meaning, "%s", wp_band_descriptions[band]);
        wp_text_add(&meaning, "%d", walk->level);
    } else {
        wp_text_add(&name, "%s", wp_explain_vocabulary(walk->dims)->sample);
        add_place(walk, &name, walk->place);
        wp_text_add(&meaning, "of the reconstructed %s", walk->dims == 3 ? "volume" : "image");
    }
    json_t *result = json_pack("{s:s, s:s, s:o, s:o}", "name", wp_text_get(&name), "meaning",
                               wp_text_get(&meaning), "value",
                               wp_json_number(shown(walk, walk->value)), "exact",
                               wp_json_number(walk->value));
    wp_text_free(&name);
    wp_text_free(&meaning);
    return result;
}

static bool check_place(const struct wp_image *image, int dims, const int place[WP_DIMS_MAX])
{
    const int size[] = {image->width, image->height, image->depth};
    if (dims == 3 && place[WP_Z] == WP_REPORT_NO_Z)
        return wp_fail(WP_ERROR_USAGE, "a place in a volume has three numbers\nhint: --pixel "
                                       "X,Y,Z");
    if (dims == 2 && place[WP_Z] != WP_REPORT_NO_Z)
        return wp_fail(WP_ERROR_USAGE, "a place in an image has two numbers\nhint: --pixel X,Y");
    for (int a = 0; a < dims; a++) {
        if (place[a] >= 0 && place[a] < size[a])
            continue;
        return dims == 3 ? wp_fail(WP_ERROR_USAGE, "voxel %d,%d,%d is outside the volume "
                                   "(%dx%dx%d)", place[WP_X], place[WP_Y], place[WP_Z], size[WP_X],
                                   size[WP_Y], size[WP_Z])
                         : wp_fail(WP_ERROR_USAGE, "pixel %d,%d is outside the image (%dx%d)",
                                   place[WP_X], place[WP_Y], size[WP_X], size[WP_Y]);
    }
    return true;
}

json_t *wp_report_pixel(const struct wp_description *description, const struct wp_image *image,
                        const int place[WP_DIMS_MAX])
{
    const int dims = description->size[WP_Z] ? 3 : 2;
    if (!check_place(image, dims, place))
        return NULL;
    struct walk walk = {.description = description,
                        .dims = dims,
                        .place = {place[WP_X], place[WP_Y], dims == 3 ? place[WP_Z] : 0},
                        .unit = find_unit(image),
                        .quantum = find_quantum(image),
                        .stages = json_array()};
    const bool ok = wp_report_run(description, image, walk.place, follow, &walk);
    free(walk.values);
    json_t *work = NULL;
    if (ok)
        work = json_pack("{s:s, s:s, s:s, s:o, s:f, s:O, s:o}", "scheme", walk.scheme, "direction",
                         wp_direction_names[description->direction], "border",
                         wp_border_names[description->border], "pixel",
                         make_place(&walk, walk.place), "unit", walk.unit, "stages", walk.stages,
                         "result", make_result(&walk));
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

static bool is_of_volume(const json_t *work)
{
    return json_array_size(json_object_get(work, "pixel")) == 3;
}

static void print_stage(const json_t *stage, bool volume, bool blanks, struct wp_text *out)
{
    const char *group = wp_explain_vocabulary(volume ? 3 : 2)->group;
    const json_t *at = json_object_get(stage, group);
    wp_text_add(out, "\n%s, %s ", get(stage, "name"), group);
    for (size_t a = 0; a < json_array_size(at); a++)
        wp_text_add(out, "%s%d", a ? "," : "(", (int)json_integer_value(json_array_get(at, a)));
    wp_text_add(out, ")%s", get(stage, "label") ? ": " : "");
    if (get(stage, "label"))
        wp_explain_wrap(out, 2, get(stage, "label"));
    wp_text_add(out, "\n");
    const json_t *lines = json_object_get(stage, "lines");
    if (json_array_size(lines) == 0)
        wp_text_add(out, "  the sample stays as it is\n");
    else if (json_is_true(json_object_get(stage, "beyond")))
        wp_text_add(out, "  (reads %ss beyond the edge, which continue the %s)\n", group,
                    volume ? "volume" : "image");
    for (size_t i = 0; i < json_array_size(lines); i++)
        print_line(json_array_get(lines, i), blanks, out);
}

void wp_report_pixel_legend(const json_t *work, struct wp_text *out)
{
    const double unit = json_number_value(json_object_get(work, "unit"));
    struct wp_text times = {0};
    if (unit > 1.0)
        wp_text_add(&times, "%.0f times ", unit);
    wp_explain_paragraph(out, 0,
                         "Numbers are %sthose of the files of --what passes and forward, rounded "
                         "where float32 ends.", wp_text_get(&times));
    wp_text_add(out, "%s\n",
                is_of_volume(work) ? "r(+1,0,0): component r of the octet one to the right; R: of "
                                     "its odd slice."
                                   : "r(+1,0): component r of the quad one to the right.");
    wp_text_free(&times);
}

void wp_report_pixel_print(const json_t *work, bool blanks, struct wp_text *out)
{
    const json_t *stages = json_object_get(work, "stages");
    const json_t *result = json_object_get(work, "result");
    wp_explain_paragraph(out, 2, "%s, %s: %s, %s", get(work, "scheme"), get(work, "direction"),
                         get(result, "name"), get(result, "meaning"));
    for (size_t i = 0; i < json_array_size(stages); i++)
        print_stage(json_array_get(stages, i), is_of_volume(work), blanks, out);
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
