#include "report_pixel.h"

#include "description.h"
#include "explain.h"
#include "json_value.h"
#include "log.h"
#include "report.h"
#include "arithmetic_trace.h"

#include <jansson.h>

struct wp_trace *wp_report_trace(const struct wp_description *description,
                               const struct wp_image *image, const int place[WP_DIMS_MAX])
{
    const bool volume = description->size[WP_Z] > 0;
    if (volume && place[WP_Z] == WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in a volume has three coordinates\nhint: give X,Y,Z");
    else if (!volume && place[WP_Z] != WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in an image has two coordinates\nhint: give X,Y");
    else
        return wp_trace_create(description, image, place, 0);
    return NULL;
}

static json_t *make_place(const struct wp_trace *sums, const int at[WP_DIMS_MAX])
{
    json_t *place = json_array();
    for (int a = 0; a < sums->dims; a++)
        json_array_append_new(place, json_integer(at[a]));
    return place;
}

static json_t *make_value(const struct wp_trace *sums, double value)
{
    return wp_json_number(wp_trace_shown(sums, value));
}

static json_t *make_line(const struct wp_trace *sums, const struct wp_trace_line *line)
{
    enum { PARTS = 3 };
    struct wp_text part[PARTS] = {{0}};
    for (int i = 0; i < PARTS; i++)
        wp_trace_expression(sums, line, (enum wp_trace_part)i, &part[i]);
    json_t *made =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "component",
                  wp_explain_component(line->component, sums->dims), "name",
                  wp_text_get(&line->name), "formula", wp_text_get(&part[WP_TRACE_FORMULA]),
                  "expression", wp_text_get(&part[WP_TRACE_NUMBERS]), "question",
                  wp_text_get(&part[WP_TRACE_QUESTION]), "value", make_value(sums, line->value));
    for (int i = 0; i < PARTS; i++)
        wp_text_free(&part[i]);
    return made;
}

static json_t *make_stage(const struct wp_trace *sums, const struct wp_trace_step *stage)
{
    json_t *lines = json_array();
    for (int i = 0; i < stage->lines; i++)
        json_array_append_new(lines, make_line(sums, &stage->line[i]));
    json_t *made = json_pack("{s:s, s:o, s:o}", "name", wp_text_get(&stage->name),
                             wp_explain_vocabulary(sums->dims)->group,
                             make_place(sums, stage->at), "lines", lines);
    if (stage->label.length) {
        json_object_set_new(made, "label", json_string(wp_text_get(&stage->label)));
        json_object_set_new(made, "beyond", json_boolean(stage->beyond));
    }
    return made;
}

json_t *wp_report_pixel(const struct wp_description *description, const struct wp_trace *sums)
{
    json_t *stages = json_array();
    for (int i = 0; i < sums->stages; i++)
        json_array_append_new(stages, make_stage(sums, &sums->stage[i]));
    json_t *result = json_pack("{s:s, s:s, s:o, s:o}", "name", wp_text_get(&sums->name), "meaning",
                               wp_text_get(&sums->meaning), "value",
                               make_value(sums, sums->value), "exact",
                               wp_json_number(sums->value));
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:o, s:o}", "scheme", sums->scheme, "direction",
                     wp_direction_names[sums->direction], "border",
                     wp_border_names[description->border], "pixel",
                     make_place(sums, sums->place), "unit", sums->unit, "stages", stages,
                     "result", result);
}
