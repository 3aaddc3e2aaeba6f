// Traces as text.
#include "lesson_internal.h"

#include "explain.h"

#include <math.h>
#include <string.h>

const char *wp_trace_component(const struct wp_trace *trace, int component)
{
    return trace->bank == WP_BANK_DECIMATED ? wp_explain_component(component, trace->dims)
                                            : wp_lesson_band_of(trace->bank, component);
}

// Adds "ee" or "ee(+1,0)".
static void add_sample(const struct wp_trace *trace, struct wp_text *out, int component,
                       const int at[WP_DIMS_MAX])
{
    wp_text_add(out, "%s", wp_trace_component(trace, component));
    for (int a = 0; a < trace->dims && !wp_lesson_is_origin(at); a++)
        wp_text_add(out, at[a] ? "%s%+d" : "%s%d", a ? "," : "(", at[a]);
    wp_text_add(out, "%s", wp_lesson_is_origin(at) ? "" : ")");
}

// Adds " - 0.5 ee(+1,0)" or " - 0.5*104".
static void add_product(const struct wp_trace *trace, const struct wp_trace_term *term, bool first,
                        enum wp_trace_part part, struct wp_text *out)
{
    const double c = term->c, value = wp_trace_shown(trace, term->value);
    wp_text_add(out, "%s", c < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    if (fabs(c) < 1.0 || fabs(c) > 1.0) {
        wp_text_add_short(out, fabs(c), 7);
        wp_text_add(out, part == WP_TRACE_FORMULA ? " " : "*");
    }
    if (part == WP_TRACE_FORMULA || (part == WP_TRACE_QUESTION && wp_lesson_is_origin(term->at))) {
        add_sample(trace, out, term->component, term->at);
    } else {
        wp_text_add(out, "%s", value < 0 ? "(" : "");
        wp_text_add_short(out, value, 9);
        wp_text_add(out, "%s", value < 0 ? ")" : "");
    }
}

void wp_trace_expression(const struct wp_trace *trace, const struct wp_trace_line *line,
                  enum wp_trace_part part, struct wp_text *out)
{
    if (line->terms == 0 && part == WP_TRACE_NUMBERS)
        wp_text_add_short(out, wp_trace_shown(trace, line->value), 9);
    else if (line->terms == 0)
        wp_text_add(out, "%s", wp_text_get(&line->origin));
    for (int t = 0; t < line->terms; t++)
        add_product(trace, &line->term[t], t == 0, part, out);
}

void wp_trace_value(const struct wp_trace *trace, double value, struct wp_text *out)
{
    const double shown = wp_trace_shown(trace, value);
    if (isfinite(shown))
        wp_text_add_short(out, shown, 9);
    else
        wp_text_add(out, "not finite");
}

static void print_value(const struct wp_trace *trace, double value, bool blanks,
                        struct wp_text *out)
{
    if (blanks)
        wp_text_add(out, "____________");
    else
        wp_trace_value(trace, value, out);
}

static void print_line(const struct wp_trace *trace, const struct wp_trace_line *line, bool blanks,
                       struct wp_text *out)
{
    struct wp_text formula = {0}, numbers = {0}, question = {0};
    const char *name = wp_text_get(&line->name);
    const int indent = (int)strlen(name) + (*name ? 7 : 5) + trace->dims;
    wp_trace_expression(trace, line, WP_TRACE_FORMULA, &formula);
    wp_trace_expression(trace, line, WP_TRACE_NUMBERS, &numbers);
    wp_trace_expression(trace, line, WP_TRACE_QUESTION, &question);
    wp_text_add(out, "  %s%s%s = ", name, *name ? ": " : "",
                wp_trace_component(trace, line->component));
    if (!strpbrk(wp_text_get(&numbers), " *")) {
        wp_text_add(out, "%s = %s\n", wp_text_get(&formula), wp_text_get(&numbers));
    } else {
        if (!*name) {
            wp_explain_wrap_sum(out, indent, wp_text_get(&formula));
            wp_text_add(out, "\n    = ");
        }
        wp_explain_wrap_sum(out, indent, wp_text_get(blanks ? &question : &numbers));
        wp_text_add(out, "%s = ", *name ? "" : "\n   ");
        print_value(trace, line->value, blanks, out);
        wp_text_add(out, "\n");
    }
    wp_text_free(&formula);
    wp_text_free(&numbers);
    wp_text_free(&question);
}

static void print_step(const struct wp_trace *trace, const struct wp_trace_step *step, bool blanks,
                       struct wp_text *out)
{
    const char *group = wp_explain_vocabulary(trace->dims)->group;
    wp_text_add(out, "\n%s, %s ", wp_text_get(&step->name), group);
    wp_lesson_add_position(out, trace->dims, step->at);
    if (step->label.length) {
        wp_text_add(out, ": ");
        wp_explain_wrap(out, 2, wp_text_get(&step->label));
    }
    wp_text_add(out, "\n");
    if (step->lines == 0)
        wp_text_add(out, "  the sample does not change\n");
    else if (step->beyond)
        wp_text_add(out, "  (reads %ss beyond the edge, where the %s is extended)\n", group,
                    trace->dims == 3 ? "volume" : "image");
    for (int i = 0; i < step->lines; i++)
        print_line(trace, &step->line[i], blanks, out);
}

void wp_trace_legend(const struct wp_trace *trace, struct wp_text *out)
{
    struct wp_text times = {0};
    if (trace->unit > 1.0)
        wp_text_add(&times, "%.0f times ", trace->unit);
    wp_explain_paragraph(out, 0,
                         "Numbers are %sthe values in the files of --show passes and forward, "
                         "rounded to the precision of float32.", wp_text_get(&times));
    wp_explain_paragraph(out, 0, "%s",
                         trace->dims == 3
                             ? "The samples of an octet are at even (e) or odd (o) x, then y, then "
                               "z: oee is at odd x, even y and even z. oee(+1,0,0) is oee of the "
                               "octet to the right."
                             : "The samples of a quad are at even (e) or odd (o) x, then y: oe is "
                               "at odd x and even y. ee(+1,0) is ee of the quad to the right.");
    if (trace->origin[WP_X] || trace->origin[WP_Y] || trace->origin[WP_Z]) {
        wp_text_clear(&times);
        wp_lesson_add_position(&times, trace->dims, trace->origin);
        wp_explain_paragraph(out, 0, "The border extends the %s, and %s begins at %s: even and odd "
                             "are counted from there.",
                             trace->dims == 3 ? "volume" : "image",
                             trace->dims == 3 ? "octet (0,0,0)" : "quad (0,0)",
                             wp_text_get(&times));
    }
    wp_text_free(&times);
}

void wp_trace_print(const struct wp_trace *trace, bool blanks, struct wp_text *out)
{
    wp_explain_paragraph(out, 2, "%s, %s: %s, %s", trace->scheme,
                         wp_direction_names[trace->direction], wp_text_get(&trace->name),
                         wp_text_get(&trace->meaning));
    for (int i = 0; i < trace->steps; i++)
        print_step(trace, &trace->step[i], blanks, out);
    wp_text_add(out, "\n%s = ", wp_text_get(&trace->name));
    print_value(trace, trace->value, blanks, out);
    wp_text_add(out, "\n");
}

void wp_trace_compare(const struct wp_trace *a, const struct wp_trace *b, struct wp_text *out)
{
    const struct wp_trace *const traces[] = {a, b};
    for (int i = 0; i < 2; i++) {
        wp_text_add(out, "%-36s %s = ", traces[i]->scheme, wp_text_get(&traces[i]->name));
        wp_trace_value(traces[i], traces[i]->value, out);
        wp_text_add(out, "\n");
    }
    char number[WP_NUMBER_SIZE];
    wp_text_add(out, "difference in the files: %s\n",
                wp_format_number(number, fabs(a->value - b->value), 2));
}
