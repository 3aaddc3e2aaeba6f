#include "arithmetic_trace.h"

#include "description.h"
#include "explain.h"
#include "log.h"
#include "memory.h"
#include "lesson_run.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the stages are followed.
struct walk {
    const struct wp_description *description;
    struct wp_trace *trace;
    int dims, last; // which stage is the last one; negative: the last there is
    int place[WP_DIMS_MAX];
    int shown;      // stages so far
    // What the stage before has left, and its values.
    struct wp_lesson_state before;
    float *values;
    // Of the component that is followed: its level so far and its value.
    int level;
    bool whole; // its level is done
    double value;
};

static double find_unit(const struct wp_image *image)
{
    return image->origin.bits == 8 ? 255.0 : image->origin.bits == 16 ? 65535.0 : 1.0;
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

double wp_trace_shown(const struct wp_trace *trace, double value)
{
    // Adding zero turns -0 into 0.
    return trace->quantum * round(trace->unit * value / trace->quantum) + 0.0;
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

// Of the passes up to `last`.
static void find_need(const struct wp_scheme *scheme, int pass_index, int last, int component,
                      struct need *need)
{
    unsigned components = 1u << component;
    for (int p = last; p >= pass_index; p--) {
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

// ---- the lines of a stage ----

static struct wp_trace_line *add_line(struct wp_trace_step *stage, int component)
{
    stage->line = wp_xrealloc(stage->line, (size_t)stage->lines + 1, sizeof *stage->line);
    struct wp_trace_line *line = &stage->line[stage->lines++];
    *line = (struct wp_trace_line){.component = component};
    return line;
}

static void add_term(struct wp_trace_line *line, double c, int component,
                     const int at[WP_DIMS_MAX], double value)
{
    line->term = wp_xrealloc(line->term, (size_t)line->terms + 1, sizeof *line->term);
    struct wp_trace_term *term = &line->term[line->terms++];
    *term = (struct wp_trace_term){.c = c, .component = component, .value = value};
    memcpy(term->at, at, sizeof term->at);
    line->value += c * value;
}

static void free_line(struct wp_trace_line *line)
{
    wp_text_free(&line->name);
    wp_text_free(&line->origin);
    free(line->term);
}

static const int own[WP_DIMS_MAX];

// What the stage before has left.
static double value_at(const struct walk *walk, int component, const int at[WP_DIMS_MAX])
{
    return wp_lesson_value(&walk->before, component, at);
}

static void follow_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                             int count, const unsigned needed[WP_FACTORS_MAX],
                             double group[WP_COMPONENTS_MAX], struct wp_trace_step *stage)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        for (int n = 0; n < statements; n++) {
            if (!(needed[i] >> n & 1))
                continue;
            const struct wp_statement *s = &statement[n];
            struct wp_trace_line *line = add_line(stage, s->destination);
            wp_explain_constant_name(&line->name, &constants[i]);
            add_term(line, 1.0, s->destination, own, group[s->destination]);
            add_term(line, s->c, s->source, own, group[s->source]);
            group[s->destination] = line->value;
        }
    }
}

static bool is_one(double c)
{
    return !(c < 1.0) && !(c > 1.0);
}

static void follow_scale(const struct walk *walk, const double scale[WP_COMPONENTS_MAX],
                         unsigned components, double group[WP_COMPONENTS_MAX],
                         struct wp_trace_step *stage)
{
    for (int c = 0; c < 1 << walk->dims; c++) {
        if (!(components >> c & 1) || is_one(scale[c]))
            continue;
        struct wp_trace_line *line = add_line(stage, c);
        wp_text_add(&line->name, "scaling");
        add_term(line, scale[c], c, own, group[c]);
        group[c] = line->value;
    }
}

// A row of a pass that reads its own quad or octet from `loaded` where constants have changed it.
struct row {
    const struct wp_pass *pass;
    const double *scale; // of the columns
    const double *loaded;
    int number, at[WP_DIMS_MAX];
};

static void follow_term(const struct walk *walk, const struct row *row, int column,
                        const struct wp_term *term, struct wp_trace_line *line)
{
    int from[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        from[a] = row->at[a] + term->at[a];
    add_term(line, term->c * row->scale[column], column, term->at,
             row->loaded ? row->loaded[column] : value_at(walk, column, from));
}

static bool is_own(const int at[WP_DIMS_MAX])
{
    return at[WP_X] == 0 && at[WP_Y] == 0 && at[WP_Z] == 0;
}

// The group's own sample first, as people write it.
static double follow_row(const struct walk *walk, const struct row *row,
                         struct wp_trace_step *stage)
{
    struct wp_trace_line *line = add_line(stage, row->number);
    for (int first = 1; first >= 0; first--) {
        for (int j = 0; j < 1 << walk->dims; j++) {
            const struct wp_poly *entry = &row->pass->core.at[row->number][j];
            for (int t = 0; t < entry->count; t++) {
                const struct wp_term *term = &entry->term[t];
                if ((j == row->number && wp_term_is_local(term)) == first)
                    follow_term(walk, row, j, term, line);
            }
        }
    }
    const double value = line->value;
    // No line for a sample that does not change.
    if (line->terms == 1 && is_one(line->term[0].c) && is_own(line->term[0].at)) {
        free_line(line);
        stage->lines--;
    }
    return value;
}

static bool reads_beyond(const struct wp_lesson_state *now, const int at[WP_DIMS_MAX])
{
    const struct wp_reach *reach = &now->scheme->pass[now->pass].reach;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int samples_of_group = now->axes >> a & 1 ? 2 : 1;
        if (at[a] + reach->low[a] < 0 ||
            samples_of_group * (at[a] + reach->high[a]) >= now->size[a])
            return true;
    }
    return false;
}

// Of the stage's level, the pass after which it ends.
static int last_pass(const struct walk *walk, const struct wp_lesson_state *now)
{
    const int all = now->scheme->pass_count - 1, left = walk->last - walk->shown;
    return walk->last >= 0 && now->pass + left < all ? now->pass + left : all;
}

static void follow_pass(struct walk *walk, const struct wp_lesson_state *now,
                        struct wp_trace_step *stage)
{
    static const double one[WP_COMPONENTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct wp_scheme *scheme = now->scheme;
    const struct wp_pass *pass = &scheme->pass[now->pass];
    const int component = component_at(walk, now->level);
    struct need need;
    find_need(scheme, now->pass, last_pass(walk, now), component, &need);
    struct row row = {.pass = pass,
                      .scale = now->pass == 0 && !pass->before_count ? scheme->scale_in : one};
    group_at(walk, now->level, row.at);
    double loaded[WP_COMPONENTS_MAX], group[WP_COMPONENTS_MAX] = {0};
    for (int c = 0; c < now->components; c++)
        loaded[c] = value_at(walk, c, row.at);
    if (pass->before_count) {
        row.loaded = loaded;
        follow_scale(walk, now->pass == 0 ? scheme->scale_in : one, need.loaded, loaded, stage);
        follow_constants(scheme, pass->before, pass->before_count, need.before, loaded, stage);
    }
    for (row.number = 0; row.number < now->components; row.number++)
        if (need.rows >> row.number & 1)
            group[row.number] = follow_row(walk, &row, stage);
    follow_constants(scheme, pass->after, pass->after_count, need.after, group, stage);
    if (now->pass == scheme->pass_count - 1)
        follow_scale(walk, scheme->scale_out, 1u << component, group, stage);
    walk->value = group[component];
    wp_text_add(&stage->label, "%s", pass->label);
    stage->beyond = reads_beyond(now, row.at);
}

// "(3,4)", "(3,4,5)".
static void add_place(const struct walk *walk, struct wp_text *out, const int at[WP_DIMS_MAX])
{
    for (int a = 0; a < walk->dims; a++)
        wp_text_add(out, "%s%d", a ? "," : "(", at[a]);
    wp_text_add(out, ")");
}

static const char *band_name(const struct walk *walk, int band)
{
    return walk->dims == 3 ? wp_octet_band_names[band] : wp_band_names[band];
}

// Where component `c` of a quad or octet of a level comes from, if not from a pass.
static void name_origin(const struct walk *walk, const struct wp_lesson_state *now, int c,
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
    } else if (now->step != WP_LESSON_INPUT && c == 0) {
        wp_text_add(out, "sample");
        add_place(walk, out, half);
        wp_text_add(out, " of level %d", now->level + 1);
    } else {
        wp_text_add(out, "%s%d", band_name(walk, band), now->level);
        add_place(walk, out, half);
    }
}

// The quad or octet as it was loaded, gathered or spread.
static void follow_origin(struct walk *walk, const struct wp_lesson_state *now,
                          struct wp_trace_step *stage)
{
    for (int c = 0; c < now->components; c++) {
        // Along an axis that is not transformed there are no odd samples.
        if (walk->dims == 3 && (unsigned)c & ~now->axes)
            continue;
        struct wp_trace_line *line = add_line(stage, c);
        line->value = wp_lesson_value(now, c, stage->at);
        name_origin(walk, now, c, stage->at, &line->origin);
    }
    walk->value = wp_lesson_value(now, component_at(walk, now->level), stage->at);
}

static bool keep(struct walk *walk, const struct wp_lesson_state *now)
{
    size_t count = (size_t)now->components;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        count *= (size_t)now->extent[a];
    free(walk->values);
    walk->values = wp_allocate(count, sizeof *walk->values, "the values of a pass");
    if (!walk->values)
        return false;
    memcpy(walk->values, now->values, count * sizeof *walk->values);
    walk->before = *now;
    walk->before.values = walk->values;
    return true;
}

static bool follow(void *user, const struct wp_lesson_state *now)
{
    struct walk *walk = user;
    struct wp_trace *trace = walk->trace;
    if (reaches(walk, now->level)) {
        trace->step = wp_xrealloc(trace->step, (size_t)trace->stages + 1, sizeof *trace->step);
        struct wp_trace_step *stage = &trace->step[trace->stages++];
        *stage = (struct wp_trace_step){0};
        group_at(walk, now->level, stage->at);
        wp_lesson_state_name(&stage->name, now);
        if (now->step == WP_LESSON_PASS)
            follow_pass(walk, now, stage);
        else
            follow_origin(walk, now, stage);
        walk->level = now->level;
        walk->whole = now->step == WP_LESSON_PASS && now->pass == now->scheme->pass_count - 1;
    }
    if (!trace->scheme[0])
        snprintf(trace->scheme, sizeof trace->scheme, "%s", now->scheme->name);
    return walk->shown++ != walk->last && keep(walk, now);
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

static void name_coefficient(const struct walk *walk, struct wp_trace *trace)
{
    const int band = component_at(walk, walk->level);
    int at[WP_DIMS_MAX];
    group_at(walk, walk->level, at);
    wp_text_add(&trace->name, "%s%d", band_name(walk, band), walk->level);
    add_place(walk, &trace->name, at);
    if (walk->dims == 3)
        describe_octet_band(band, &trace->meaning);
    else
        wp_text_add(&trace->meaning, "%s", wp_band_descriptions[band]);
    wp_text_add(&trace->meaning, "%d", walk->level);
}

// What is no coefficient yet, or no pixel.
static void name_component(const struct walk *walk, struct wp_trace *trace)
{
    const struct wp_trace_step *stage = &trace->step[trace->stages - 1];
    wp_text_add(&trace->name, "%s",
                wp_explain_component(component_at(walk, walk->level), walk->dims));
    add_place(walk, &trace->name, stage->at);
    wp_text_add(&trace->meaning, "a component of the %s, after %s",
                wp_explain_vocabulary(walk->dims)->group, wp_text_get(&stage->name));
}

static void name_result(const struct walk *walk, struct wp_trace *trace)
{
    const bool forward = walk->description->direction == WP_FORWARD;
    trace->value = walk->value;
    if (!walk->whole || (!forward && walk->level > 1)) {
        name_component(walk, trace);
    } else if (forward) {
        name_coefficient(walk, trace);
    } else {
        wp_text_add(&trace->name, "%s", wp_explain_vocabulary(walk->dims)->sample);
        add_place(walk, &trace->name, walk->place);
        wp_text_add(&trace->meaning, "of the reconstructed %s",
                    walk->dims == 3 ? "volume" : "image");
    }
}

static bool check_place(const struct wp_image *image, int dims, const int place[WP_DIMS_MAX])
{
    const int size[] = {image->width, image->height, image->depth};
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

struct wp_trace *wp_trace_create(const struct wp_description *description,
                               const struct wp_image *image, const int place[WP_DIMS_MAX],
                               int stages)
{
    const int dims = description->size[WP_Z] ? 3 : 2;
    if (!check_place(image, dims, place))
        return NULL;
    struct wp_trace *trace = wp_xcalloc(1, sizeof *trace);
    *trace = (struct wp_trace){.dims = dims,
                             .direction = description->direction,
                             .unit = find_unit(image),
                             .quantum = find_quantum(image)};
    memcpy(trace->place, place, (size_t)dims * sizeof *place);
    struct walk walk = {
        .description = description, .trace = trace, .dims = dims, .last = stages - 1};
    memcpy(walk.place, trace->place, sizeof walk.place);
    const bool ok = wp_lesson_run(description, image, walk.place, follow, &walk) ||
                    (stages && walk.shown == stages);
    free(walk.values);
    if (ok)
        name_result(&walk, trace);
    else
        wp_trace_destroy(&trace);
    return trace;
}

void wp_trace_destroy(struct wp_trace **trace)
{
    if (!*trace)
        return;
    for (int s = 0; s < (*trace)->stages; s++) {
        struct wp_trace_step *stage = &(*trace)->step[s];
        for (int i = 0; i < stage->lines; i++)
            free_line(&stage->line[i]);
        free(stage->line);
        wp_text_free(&stage->name);
        wp_text_free(&stage->label);
    }
    free((*trace)->step);
    wp_text_free(&(*trace)->name);
    wp_text_free(&(*trace)->meaning);
    free(*trace);
    *trace = NULL;
}
