#include "report_pixel.h"

#include "description.h"
#include "explain.h"
#include "json_value.h"
#include "log.h"
#include "report.h"
#include "arithmetic_trace.h"

#include <jansson.h>

struct wp_trace *wp_report_trace(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX])
{
    const bool volume = description->size[WP_Z] > 0;
    if (volume && position[WP_Z] == WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in a volume has three coordinates\nhint: give X,Y,Z");
    else if (!volume && position[WP_Z] != WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in an image has two coordinates\nhint: give X,Y");
    else
        return wp_trace_create(description, image, position, 0);
    return NULL;
}

static json_t *make_position(const struct wp_trace *trace, const int at[WP_DIMS_MAX])
{
    json_t *position = json_array();
    for (int a = 0; a < trace->dims; a++)
        json_array_append_new(position, json_integer(at[a]));
    return position;
}

static json_t *make_value(const struct wp_trace *trace, double value)
{
    return wp_json_number(wp_trace_shown(trace, value));
}

static json_t *make_line(const struct wp_trace *trace, const struct wp_trace_line *line)
{
    enum { PARTS = 3 };
    struct wp_text part[PARTS] = {{0}};
    for (int i = 0; i < PARTS; i++)
        wp_trace_expression(trace, line, (enum wp_trace_part)i, &part[i]);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "component",
                  wp_explain_component(line->component, trace->dims), "name",
                  wp_text_get(&line->name), "formula", wp_text_get(&part[WP_TRACE_FORMULA]),
                  "expression", wp_text_get(&part[WP_TRACE_NUMBERS]), "question",
                  wp_text_get(&part[WP_TRACE_QUESTION]), "value", make_value(trace, line->value));
    for (int i = 0; i < PARTS; i++)
        wp_text_free(&part[i]);
    return object;
}

static json_t *make_step(const struct wp_trace *trace, const struct wp_trace_step *step)
{
    json_t *lines = json_array();
    for (int i = 0; i < step->lines; i++)
        json_array_append_new(lines, make_line(trace, &step->line[i]));
    json_t *object = json_pack("{s:s, s:o, s:o}", "name", wp_text_get(&step->name),
                               wp_explain_vocabulary(trace->dims)->group,
                               make_position(trace, step->at), "lines", lines);
    if (step->label.length) {
        json_object_set_new(object, "label", json_string(wp_text_get(&step->label)));
        json_object_set_new(object, "beyond", json_boolean(step->beyond));
    }
    return object;
}

json_t *wp_report_pixel(const struct wp_description *description, const struct wp_trace *trace)
{
    json_t *steps = json_array();
    for (int i = 0; i < trace->steps; i++)
        json_array_append_new(steps, make_step(trace, &trace->step[i]));
    json_t *result = json_pack("{s:s, s:s, s:o, s:o}", "name", wp_text_get(&trace->name), "meaning",
                               wp_text_get(&trace->meaning), "value",
                               make_value(trace, trace->value), "exact",
                               wp_json_number(trace->value));
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:o, s:o}", "scheme", trace->scheme, "direction",
                     wp_direction_names[trace->direction], "border",
                     wp_border_names[description->border], "pixel",
                     make_position(trace, trace->position), "unit", trace->unit, "stages", steps,
                     "result", result);
}
