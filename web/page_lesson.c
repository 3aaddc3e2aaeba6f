// The arithmetic of a sample, and the worksheet.
#include "page.h"
#include "page_internal.h"

#include "explain.h"
#include "operand.h"
#include "lesson.h"

#include <math.h>
#include <string.h>

// A request for wp_trace_create(), and the value computed by the backend.
struct request {
    const struct page_transform *transform;
    struct wp_description description; // of the passes that are shown
    const float *input;         // of these passes, first plane
    struct wp_lesson_path path;
    int steps; // number of steps; 0: all
    double computed;
};

// Sets transform and input. False after an error.
static bool find(int number, int inverse, struct request *request)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    request->transform = transform;
    request->input = transform ? page_passes_input(number, inverse) : NULL;
    request->description = transform ? page_passes_of(transform) : (struct wp_description){0};
    return request->input;
}

static void add_line(const struct wp_trace *trace, const struct wp_trace_line *line,
                     struct wp_text *out)
{
    wp_text_add(out, "line\t%s\t%s\t", wp_text_get(&line->name),
                wp_trace_component(trace, line->component));
    wp_trace_expression(trace, line, WP_TRACE_FORMULA, out);
    wp_text_add(out, "\t");
    if (line->terms)
        wp_trace_expression(trace, line, WP_TRACE_NUMBERS, out);
    wp_text_add(out, "\t");
    wp_trace_value(trace, line->value, out);
    wp_text_add(out, "\n");
}

static void add_trace(const struct wp_trace *trace, double computed, struct wp_text *out)
{
    wp_text_add(out, "trace\t%s\t%s\t", wp_text_get(&trace->name), wp_text_get(&trace->meaning));
    wp_trace_value(trace, trace->value, out);
    wp_text_add(out, "\t");
    wp_trace_value(trace, computed, out);
    wp_text_add(out, "\n");
    for (int s = 0; s < trace->steps; s++) {
        const struct wp_trace_step *step = &trace->step[s];
        wp_text_add(out, "step\t%s\t%d,%d\t%s\t%d\n", wp_text_get(&step->name),
                    step->at[WP_X], step->at[WP_Y], wp_text_get(&step->label), step->beyond);
        for (int i = 0; i < step->lines; i++)
            add_line(trace, &step->line[i], out);
    }
}

static const char *describe(const struct request *request)
{
    static struct wp_text text;
    const struct wp_description *d = &request->description;
    const bool forward = d->direction == WP_FORWARD;
    const struct wp_image image = {
        .width = forward ? d->size[WP_X] : wp_description_extent(d, WP_X),
        .height = forward ? d->size[WP_Y] : wp_description_extent(d, WP_Y),
        .depth = 1,
        .planes = 1,
        .plane = {(float *)request->input},
    };
    struct wp_trace *trace = wp_trace_follow(d, &image, &request->path, request->steps);
    if (!trace)
        return NULL;
    wp_text_clear(&text);
    add_trace(trace, request->computed, &text);
    wp_trace_destroy(&trace);
    return page_get_text(&text, "the arithmetic");
}

static bool is_inside(int width, int height, int x, int y)
{
    return (x >= 0 && x < width && y >= 0 && y < height) ||
           wp_fail(WP_ERROR_USAGE, "(%d,%d) is outside the %d by %d samples", x, y, width, height);
}

static double value_at(const struct page_transform *transform, int width, int x, int y)
{
    return transform->is_current ? (double)transform->result[(size_t)y * (size_t)width + (size_t)x]
                                 : NAN;
}

// The position in the in-place layout of the coefficient at x, y of the Mallat layout.
static void find_coefficient(const struct wp_description *d, int x, int y,
                             int position[WP_DIMS_MAX])
{
    const int at[] = {x, y};
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        bool inside = true;
        for (int a = 0; a < 2; a++) {
            const int n = at[a] - band.grid.first[a];
            inside = inside && n >= 0 && n < band.grid.size[a];
            position[a] = (2 * n + ((int)band.band >> a & 1)) << (band.level - 1);
        }
        if (inside)
            return;
    }
}

const char *page_trace_coefficient(int number, int x, int y)
{
    struct request request = {0};
    const int width = page_bands_width(number);
    int position[WP_DIMS_MAX] = {x, y};
    if (!find(number, 0, &request) || !is_inside(width, page_bands_height(number), x, y))
        return NULL;
    const struct wp_description *d = &request.description;
    if (d->levels != request.transform->description.levels) {
        wp_fail(WP_ERROR_USAGE, "the arithmetic of packets of %d levels is that of the first level: "
                "select a sample of the texture or one level",
                request.transform->description.levels);
        return NULL;
    }
    if (wp_description_is_native(d) && !wp_description_is_redundant(d))
        find_coefficient(d, x, y, position);
    if (!wp_lesson_path_find(d, position, &request.path))
        return NULL;
    request.computed = value_at(request.transform, width, x, y);
    return describe(&request);
}

const char *page_trace_pixel(int number, int x, int y)
{
    struct request request = {0};
    if (!find(number, 1, &request) || !is_inside(page_width(), page_height(), x, y) ||
        !wp_lesson_path_find(&request.description, (const int[WP_DIMS_MAX]){x, y}, &request.path))
        return NULL;
    request.computed = value_at(request.transform, page_width(), x, y);
    return describe(&request);
}

const char *page_trace_step(int number, int inverse, int step, int component, int x, int y)
{
    struct request request = {.steps = step + 1};
    struct wp_rect domain;
    if (!find(number, inverse, &request))
        return NULL;
    const float *quads = page_step(number, inverse, step);
    if (!quads || component < 0 || component >= WP_COMPONENTS)
        return NULL;
    page_step_quads(&domain);
    if (x < domain.x || x >= domain.x + domain.width || y < domain.y ||
        y >= domain.y + domain.height) {
        wp_fail(WP_ERROR_USAGE, "there is no quad (%d,%d)", x, y);
        return NULL;
    }
    if (!(page_step_components(number, inverse, step) >> component & 1)) {
        wp_fail(WP_ERROR_USAGE, "the step does not compute this component");
        return NULL;
    }
    if (!wp_lesson_path_of(&request.description,
                           page_step_level(number, inverse, step), (const int[WP_DIMS_MAX]){x, y},
                           component, &request.path))
        return NULL;
    request.computed = (double)quads[4 * ((size_t)(y - domain.y) * (size_t)domain.width +
                                         (size_t)(x - domain.x)) + (size_t)component];
    return describe(&request);
}

// ---- shift invariance ----

const char *page_shift(int level, int edge)
{
    static struct wp_text text;
    struct wp_shift shift;
    wp_text_clear(&text);
    if (!wp_shift_make(page_changed_wavelet(), level, edge, &shift))
        return NULL;
    wp_shift_draw(&shift, page_changed_wavelet(), &text);
    return page_get_text(&text, "a picture");
}

// ---- the worksheet ----

static struct wp_questions *questions;

const char *page_questions(int seed)
{
    static struct wp_text text;
    wp_questions_destroy(&questions);
    questions = wp_questions_create(page_selected_wavelet(), (unsigned long long)seed);
    wp_text_clear(&text);
    for (int i = 0; questions && i < questions->count; i++)
        wp_text_add(&text, "%s\t%s\n", wp_text_get(&questions->question[i].text),
                    wp_text_get(&questions->question[i].hint));
    return questions ? page_get_text(&text, "the questions") : NULL;
}

static const struct wp_question *find_question(int question)
{
    if (questions && question >= 0 && question < questions->count)
        return &questions->question[question];
    wp_fail(WP_ERROR_USAGE, "there is no question %d", question);
    return NULL;
}

int page_is_right(int question, const char *written)
{
    const struct wp_question *q = find_question(question);
    bool right;
    const char *problem = q ? wp_question_check(q, written, &right) : NULL;
    if (problem)
        wp_fail(WP_ERROR_USAGE, "%s", problem);
    return !q || problem ? -1 : right;
}

const char *page_solution(int question)
{
    static struct wp_text text;
    const struct wp_question *q = find_question(question);
    if (!q)
        return NULL;
    wp_text_clear(&text);
    wp_question_solution(q, &text);
    wp_text_add(&text, "\t%s", wp_text_get(&q->working));
    return page_get_text(&text, "an answer");
}
