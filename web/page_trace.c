#include "page.h"
#include "page_internal.h"

#include "explain.h"
#include "operand.h"
#include "arithmetic_trace.h"

#include <math.h>
#include <string.h>

// What is asked for, as wp_trace_create() has it, and what was computed there.
struct wanted {
    const struct page_variant *variant;
    const struct wp_plan *plan; // of passes
    const float *input;         // of the transform; of the first plane as everything here
    int place[WP_DIMS_MAX];
    int stages; // 0: all
    double computed;
};

// False after an error.
static bool find(int number, int inverse, struct wanted *wanted)
{
    struct page_variant *variant = page_find_variant(number, inverse);
    wanted->variant = variant;
    wanted->plan = variant ? page_plan(variant) : NULL;
    wanted->input = wanted->plan ? page_input(number, inverse) : NULL;
    return wanted->input;
}

static void add_line(const struct wp_trace *trace, const struct wp_trace_line *line,
                     struct wp_text *out)
{
    wp_text_add(out, "line\t%s\t%s\t", wp_text_get(&line->name),
                wp_explain_component(line->component, trace->dims));
    wp_trace_expression(trace, line, WP_TRACE_FORMULA, out);
    wp_text_add(out, "\t");
    if (line->terms)
        wp_trace_expression(trace, line, WP_TRACE_NUMBERS, out);
    wp_text_add(out, "\t");
    wp_trace_value(trace, line->value, out);
    wp_text_add(out, "\n");
}

static void add_sums(const struct wp_trace *trace, double computed, struct wp_text *out)
{
    wp_text_add(out, "sums\t%s\t%s\t", wp_text_get(&trace->name), wp_text_get(&trace->meaning));
    wp_trace_value(trace, trace->value, out);
    wp_text_add(out, "\t");
    wp_trace_value(trace, computed, out);
    wp_text_add(out, "\n");
    for (int s = 0; s < trace->steps; s++) {
        const struct wp_trace_step *stage = &trace->step[s];
        wp_text_add(out, "stage\t%s\t%d,%d\t%s\t%d\n", wp_text_get(&stage->name),
                    stage->at[WP_X], stage->at[WP_Y], wp_text_get(&stage->label), stage->beyond);
        for (int i = 0; i < stage->lines; i++)
            add_line(trace, &stage->line[i], out);
    }
}

static const char *tell(const struct wanted *wanted)
{
    static struct wp_text text;
    const struct wp_description *d = &wanted->variant->description;
    struct wp_image *image = wp_image_create(d->size[WP_X], d->size[WP_Y], 1, false);
    if (!image)
        return NULL;
    memcpy(image->plane[0], wanted->input, wp_image_samples(image) * sizeof(float));
    struct wp_trace *trace = wp_trace_create(d, image, wanted->place, wanted->stages);
    wp_image_destroy(&image);
    if (!trace)
        return NULL;
    wp_text_clear(&text);
    add_sums(trace, wanted->computed, &text);
    wp_trace_destroy(&trace);
    return wp_text_is_complete(&text, "the sums") ? wp_text_get(&text) : NULL;
}

static bool is_inside(const struct wp_description *d, int x, int y)
{
    return (x >= 0 && x < d->size[WP_X] && y >= 0 && y < d->size[WP_Y]) ||
           wp_fail(WP_ERROR_USAGE, "(%d,%d) is outside the %d by %d samples", x, y,
                   d->size[WP_X], d->size[WP_Y]);
}

static double value_at(const struct page_variant *variant, int x, int y)
{
    return variant->is_there
               ? (double)variant->result[(size_t)y * (size_t)variant->description.size[WP_X] + (size_t)x]
               : NAN;
}

// Where the transform in place leaves the coefficient that stands at x, y of the layout Mallat.
static void find_coefficient(const struct wp_description *d, int x, int y,
                             int place[WP_DIMS_MAX])
{
    const int at[] = {x, y};
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        bool inside = true;
        for (int a = 0; a < 2; a++) {
            const int n = at[a] - band.grid.first[a];
            inside = inside && n >= 0 && n < band.grid.size[a];
            place[a] = (2 * n + ((int)band.band >> a & 1)) << (band.level - 1);
        }
        if (inside)
            return;
    }
}

const char *page_trace_coefficient(int number, int x, int y)
{
    struct wanted wanted = {0};
    if (!find(number, 0, &wanted) || !is_inside(&wanted.variant->description, x, y))
        return NULL;
    find_coefficient(&wanted.variant->description, x, y, wanted.place);
    wanted.computed = value_at(wanted.variant, x, y);
    return tell(&wanted);
}

const char *page_trace_pixel(int number, int x, int y)
{
    struct wanted wanted = {.place = {x, y}};
    if (!find(number, 1, &wanted) || !is_inside(&wanted.variant->description, x, y))
        return NULL;
    wanted.computed = value_at(wanted.variant, x, y);
    return tell(&wanted);
}

// The level that a stage is of, and its samples.
static int level_of(const struct wp_plan *plan, int stage, int size[2])
{
    const struct wp_op *op = stage ? &plan->op[stage - 1] : &plan->op[0];
    size[0] = op->width;
    size[1] = op->height;
    return op->level;
}

const char *page_trace_step(int number, int inverse, int stage, int component, int x, int y)
{
    struct wanted wanted = {.stages = stage + 1};
    struct wp_rect domain;
    if (!find(number, inverse, &wanted))
        return NULL;
    const float *quads = page_step(number, inverse, stage);
    if (!quads || component < 0 || component >= WP_COMPONENTS)
        return NULL;
    page_step_quads(&domain);
    const int at[] = {x, y}, first[] = {domain.x, domain.y};
    const int extent[] = {domain.width, domain.height};
    int size[2];
    const int level = level_of(wanted.plan, stage, size);
    for (int a = 0; a < 2; a++) {
        const int sample = 2 * at[a] + (component >> a & 1);
        const bool there = at[a] >= first[a] && at[a] < first[a] + extent[a];
        if (!there)
            wp_fail(WP_ERROR_USAGE, "there is no quad (%d,%d)", x, y);
        else if (sample < 0 || sample >= size[a])
            wp_fail(WP_ERROR_USAGE, "%s of quad (%d,%d) is beyond the edge, where the image is "
                    "extended", wp_explain_component(component, 2), x, y);
        if (!there || sample < 0 || sample >= size[a])
            return NULL;
        wanted.place[a] = sample << (level - 1);
    }
    wanted.computed = (double)quads[4 * ((size_t)(y - domain.y) * (size_t)domain.width +
                                         (size_t)(x - domain.x)) + (size_t)component];
    return tell(&wanted);
}
