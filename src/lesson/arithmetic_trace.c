#include "lesson_internal.h"

#include "border.h"
#include "explain.h"
#include "log.h"
#include "memory.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The state of a trace while the transform runs.
struct tracer {
    const struct wp_description *description;
    struct wp_trace *trace;
    int dims, last; // last: index of the last step; negative: no limit
    struct wp_lesson_path path;
    int step_count;      // steps of the transform so far
    // A copy of the state after the previous step, and of its values.
    struct wp_lesson_state previous;
    float *values;
    // The level and the value of the traced component.
    int level;
    bool is_complete; // the level is done
    double value;
};

static double find_unit(const struct wp_image *image)
{
    return image->origin.bits == 8 ? 255.0 : image->origin.bits == 16 ? 65535.0 : 1.0;
}

// The power of ten below which float32 does not resolve the image's values.
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

// The parts of a pass that the traced component depends on: bits of the statements of each constant
// of `after` and `before`, and bits of the components of the core's result and input.
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

// Determines which results of pass `pass_index` are needed for `component` after pass `last`: those of
// the quad or octet itself, and of redundant banks, whose taps may leave out the sample itself, the
// bands that are read anywhere.
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
                    if (scheme->redundant || wp_term_is_local(&core->at[i][j].term[t]))
                        components |= 1u << j;
        need_constants(scheme, pass->before, pass->before_count, need->before, &components);
        need->loaded = components;
    }
}

// ---- the lines of a step ----

static struct wp_trace_line *add_line(struct wp_trace_step *step, int component)
{
    step->line = wp_xrealloc(step->line, (size_t)step->lines + 1, sizeof *step->line);
    struct wp_trace_line *line = &step->line[step->lines++];
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

static const int no_offset[WP_DIMS_MAX];

// A value of the previous step.
static double previous_value(const struct tracer *tracer, int component, const int at[WP_DIMS_MAX])
{
    return wp_lesson_value(&tracer->previous, component, at);
}

static void follow_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                             int count, const unsigned needed[WP_FACTORS_MAX],
                             double group[WP_COMPONENTS_MAX], struct wp_trace_step *step)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        for (int n = 0; n < statements; n++) {
            if (!(needed[i] >> n & 1))
                continue;
            const struct wp_statement *s = &statement[n];
            struct wp_trace_line *line = add_line(step, s->destination);
            wp_explain_constant_name(&line->name, &constants[i]);
            add_term(line, 1.0, s->destination, no_offset, group[s->destination]);
            add_term(line, s->c, s->source, no_offset, group[s->source]);
            group[s->destination] = line->value;
        }
    }
}

static bool is_one(double c)
{
    return !(c < 1.0) && !(c > 1.0);
}

static void follow_scale(const struct tracer *tracer, const double scale[WP_COMPONENTS_MAX],
                         unsigned components, double group[WP_COMPONENTS_MAX],
                         struct wp_trace_step *step)
{
    for (int c = 0; c < 1 << tracer->dims; c++) {
        if (!(components >> c & 1) || is_one(scale[c]))
            continue;
        struct wp_trace_line *line = add_line(step, c);
        wp_text_add(&line->name, "scaling");
        add_term(line, scale[c], c, no_offset, group[c]);
        group[c] = line->value;
    }
}

// A row of a pass. Its own quad or octet is read from `loaded` (or NULL), where constants have been
// applied.
struct row {
    const struct wp_pass *pass;
    const double *scale; // per column
    const double *loaded;
    int number, at[WP_DIMS_MAX];
    int dilation; // of redundant banks, else 0
};

static void follow_term(const struct tracer *tracer, const struct row *row, int column,
                        const struct wp_term *term, struct wp_trace_line *line)
{
    const struct wp_lesson_state *from = &tracer->previous;
    int source[WP_DIMS_MAX], offset[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        offset[a] = row->dilation ? term->at[a] * row->dilation : term->at[a];
        source[a] = row->at[a] + offset[a];
        if (row->dilation)
            source[a] = wp_extend(from->extension, source[a], from->size[a]);
    }
    add_term(line, term->c * row->scale[column], column, offset,
             row->loaded ? row->loaded[column] : previous_value(tracer, column, source));
}

// Begins with the sample that changes, as is usual in formulas.
static double follow_row(const struct tracer *tracer, const struct row *row,
                         struct wp_trace_step *step)
{
    struct wp_trace_line *line = add_line(step, row->number);
    for (int first = 1; first >= 0; first--) {
        for (int j = 0; j < 1 << tracer->dims; j++) {
            const struct wp_poly *entry = &row->pass->core.at[row->number][j];
            for (int t = 0; t < entry->count; t++) {
                const struct wp_term *term = &entry->term[t];
                if ((j == row->number && wp_term_is_local(term)) == first)
                    follow_term(tracer, row, j, term, line);
            }
        }
    }
    const double value = line->value;
    // No line for a sample that does not change.
    if (line->terms == 1 && is_one(line->term[0].c) && wp_lesson_is_origin(line->term[0].at)) {
        free_line(line);
        step->lines--;
    }
    return value;
}

static bool reads_outside(const struct tracer *tracer, const struct wp_lesson_state *now,
                          const int at[WP_DIMS_MAX])
{
    const struct wp_reach *reach = &now->scheme->pass[now->pass].reach;
    const struct wp_description *d = tracer->description;
    for (int a = 0; a < tracer->dims && now->dilation; a++)
        if (at[a] + now->dilation * reach->low[a] < 0 ||
            at[a] + now->dilation * reach->high[a] >= now->size[a])
            return true;
    for (int a = 0; a < tracer->dims && !now->dilation; a++) {
        const int samples_of_group = now->axes >> a & 1 ? 2 : 1;
        const struct wp_border_axis border = wp_border_axis(d, a, now->level - 1);
        // The inverse reads coefficients, of which there may be more than samples.
        const bool forward = d->direction == WP_FORWARD;
        const int origin = forward ? wp_lesson_origin(d, a, now->level) : 0;
        const int size = forward || wp_description_is_native(d) ? now->size[a] : border.size;
        if (samples_of_group * (at[a] + reach->low[a]) + origin < 0 ||
            samples_of_group * (at[a] + reach->high[a]) + origin >= size)
            return true;
    }
    return false;
}

// The last pass of the level that belongs to the trace.
static int last_pass(const struct tracer *tracer, const struct wp_lesson_state *now)
{
    const int all = now->scheme->pass_count - 1, left = tracer->last - tracer->step_count;
    return tracer->last >= 0 && now->pass + left < all ? now->pass + left : all;
}

static void follow_pass(struct tracer *tracer, const struct wp_lesson_state *now,
                        struct wp_trace_step *step)
{
    static const double one[WP_COMPONENTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct wp_scheme *scheme = now->scheme;
    const struct wp_pass *pass = &scheme->pass[now->pass];
    const int component = tracer->path.component[now->level];
    struct need need;
    find_need(scheme, now->pass, last_pass(tracer, now), component, &need);
    struct row row = {.pass = pass,
                      .dilation = now->dilation,
                      .scale = now->pass == 0 && !pass->before_count ? scheme->scale_in : one};
    memcpy(row.at, tracer->path.at[now->level], sizeof row.at);
    double loaded[WP_COMPONENTS_MAX], group[WP_COMPONENTS_MAX] = {0};
    for (int c = 0; c < now->components; c++)
        loaded[c] = previous_value(tracer, c, row.at);
    if (pass->before_count) {
        row.loaded = loaded;
        follow_scale(tracer, now->pass == 0 ? scheme->scale_in : one, need.loaded, loaded, step);
        follow_constants(scheme, pass->before, pass->before_count, need.before, loaded, step);
    }
    for (row.number = 0; row.number < now->components; row.number++)
        if (need.rows >> row.number & 1)
            group[row.number] = follow_row(tracer, &row, step);
    follow_constants(scheme, pass->after, pass->after_count, need.after, group, step);
    if (now->pass == scheme->pass_count - 1)
        follow_scale(tracer, scheme->scale_out, 1u << component, group, step);
    tracer->value = group[component];
    wp_text_add(&step->label, "%s", pass->label);
    step->beyond = reads_outside(tracer, now, row.at);
}

// Traces the quad or octet after loading, gathering or spreading.
static void follow_origin(struct tracer *tracer, const struct wp_lesson_state *now,
                          struct wp_trace_step *step)
{
    for (int c = 0; c < now->components; c++) {
        // There are no odd samples along axes that are not transformed.
        if (tracer->dims == 3 && (unsigned)c & ~now->axes)
            continue;
        // Forward, redundant banks begin with the sample alone.
        if (now->dilation && (tracer->description->direction == WP_FORWARD
                                  ? c > 0
                                  : !(now->scheme->components >> c & 1)))
            continue;
        struct wp_trace_line *line = add_line(step, c);
        line->value = wp_lesson_value(now, c, step->at);
        wp_lesson_name_source(tracer->description, now, c, step->at, &line->origin);
    }
    tracer->value = wp_lesson_value(now, tracer->path.component[now->level], step->at);
}

static bool save_state(struct tracer *tracer, const struct wp_lesson_state *now)
{
    size_t count = (size_t)now->components;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        count *= (size_t)now->extent[a];
    free(tracer->values);
    tracer->values = wp_allocate(count, sizeof *tracer->values, "the values of a pass");
    if (!tracer->values)
        return false;
    memcpy(tracer->values, now->values, count * sizeof *tracer->values);
    tracer->previous = *now;
    tracer->previous.values = tracer->values;
    return true;
}

static bool follow(void *user, const struct wp_lesson_state *now)
{
    struct tracer *tracer = user;
    struct wp_trace *trace = tracer->trace;
    if (now->level <= tracer->path.levels) {
        trace->step = wp_xrealloc(trace->step, (size_t)trace->steps + 1, sizeof *trace->step);
        struct wp_trace_step *step = &trace->step[trace->steps++];
        *step = (struct wp_trace_step){0};
        memcpy(step->at, tracer->path.at[now->level], sizeof step->at);
        wp_lesson_state_name(&step->name, now);
        if (now->step == WP_LESSON_PASS)
            follow_pass(tracer, now, step);
        else
            follow_origin(tracer, now, step);
        tracer->level = now->level;
        tracer->is_complete =
            now->step == WP_LESSON_PASS && now->pass == now->scheme->pass_count - 1;
    }
    if (!trace->scheme[0])
        snprintf(trace->scheme, sizeof trace->scheme, "%s", now->scheme->name);
    return tracer->step_count++ != tracer->last && save_state(tracer, now);
}

// Adds "high-pass in x and z; pywt dad1" without the level.
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

static void name_coefficient(const struct tracer *tracer, struct wp_trace *trace)
{
    const int band = tracer->path.component[tracer->level];
    const bool redundant = trace->bank != WP_BANK_DECIMATED;
    wp_text_add(&trace->name, "%s%d",
                redundant ? wp_lesson_band_of(trace->bank, band)
                          : wp_lesson_band_name(tracer->dims, band), tracer->level);
    wp_lesson_add_position(&trace->name, trace->dims, tracer->path.at[tracer->level]);
    if (trace->bank == WP_BANK_STARLET) {
        wp_text_add(&trace->meaning, band ? "the difference of two levels of smoothing"
                                          : "the smooth plane");
        return;
    }
    if (tracer->dims == 3)
        describe_octet_band(band, &trace->meaning);
    else
        wp_text_add(&trace->meaning, "%s", wp_band_descriptions[band]);
    wp_text_add(&trace->meaning, "%d", tracer->level);
}

// Names a component that is not yet a coefficient or pixel.
static void name_component(const struct tracer *tracer, struct wp_trace *trace)
{
    const struct wp_trace_step *step = &trace->step[trace->steps - 1];
    wp_text_add(&trace->name, "%s",
                wp_trace_component(trace, tracer->path.component[tracer->level]));
    wp_lesson_add_position(&trace->name, trace->dims, step->at);
    wp_text_add(&trace->meaning, "a component of the %s, after %s",
                trace->bank == WP_BANK_DECIMATED ? wp_explain_vocabulary(tracer->dims)->group
                                                 : wp_explain_vocabulary(tracer->dims)->sample,
                wp_text_get(&step->name));
}

static void name_result(const struct tracer *tracer, struct wp_trace *trace)
{
    const bool forward = tracer->description->direction == WP_FORWARD;
    trace->value = tracer->value;
    if (!tracer->is_complete || (!forward && tracer->level > 1)) {
        name_component(tracer, trace);
    } else if (forward) {
        name_coefficient(tracer, trace);
    } else {
        wp_text_add(&trace->name, "%s", wp_explain_vocabulary(tracer->dims)->sample);
        wp_lesson_add_position(&trace->name, trace->dims, trace->position);
        wp_text_add(&trace->meaning, "of the reconstructed %s",
                    tracer->dims == 3 ? "volume" : "image");
    }
}

struct wp_trace *wp_trace_follow(const struct wp_description *description,
                                 const struct wp_image *image, const struct wp_lesson_path *path,
                                 int steps)
{
    const int dims = description->size[WP_Z] ? 3 : 2;
    struct tracer tracer = {
        .description = description, .dims = dims, .last = steps - 1, .path = *path};
    struct wp_trace *trace = wp_xcalloc(1, sizeof *trace);
    *trace = (struct wp_trace){.dims = dims,
                             .bank = description->bank,
                             .direction = description->direction,
                             .unit = find_unit(image),
                             .quantum = find_quantum(image)};
    memcpy(trace->position, path->at[0], sizeof trace->position);
    for (int a = 0; a < dims && trace->bank == WP_BANK_DECIMATED; a++)
        trace->origin[a] = wp_lesson_origin(description, a, 1);
    tracer.trace = trace;
    const bool ok = wp_lesson_run(description, image, &tracer.path, follow, &tracer) ||
                    (steps && tracer.step_count == steps);
    free(tracer.values);
    if (ok)
        name_result(&tracer, trace);
    else
        wp_trace_destroy(&trace);
    return trace;
}

struct wp_trace *wp_trace_create(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX],
                               int steps)
{
    const bool volume = description->size[WP_Z] > 0;
    const int at[WP_DIMS_MAX] = {position[WP_X], position[WP_Y], volume ? position[WP_Z] : 0};
    struct wp_lesson_path path;
    return wp_lesson_path_find(description, at, &path)
               ? wp_trace_follow(description, image, &path, steps)
               : NULL;
}

void wp_trace_destroy(struct wp_trace **trace)
{
    if (!*trace)
        return;
    for (int s = 0; s < (*trace)->steps; s++) {
        struct wp_trace_step *step = &(*trace)->step[s];
        for (int i = 0; i < step->lines; i++)
            free_line(&step->line[i]);
        free(step->line);
        wp_text_free(&step->name);
        wp_text_free(&step->label);
    }
    free((*trace)->step);
    wp_text_free(&(*trace)->name);
    wp_text_free(&(*trace)->meaning);
    free(*trace);
    *trace = NULL;
}
