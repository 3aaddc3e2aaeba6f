#include "report.h"

#include "json_value.h"
#include "report_all.h"
#include "report_json.h"
#include "report_page.h"
#include "report_passes.h"
#include "report_pixel.h"
#include "report_run.h"
#include "report_tiles.h"
#include "arithmetic_trace.h"

#include <jansson.h>

bool wp_report_is_files(enum wp_explain_topic topic)
{
    return topic == WP_EXPLAIN_PASSES || topic == WP_EXPLAIN_ALL;
}

static struct wp_report_params other_of(const struct wp_report_params *params)
{
    struct wp_report_params other = *params;
    other.explain.kind = params->other;
    other.explain.form = params->other_form;
    return other;
}

static bool write_passes(struct wp_report_params params)
{
    struct wp_image *image = wp_report_read(&params, NULL);
    const bool ok = image && wp_report_passes(&params, image);
    wp_image_destroy(&image);
    return ok;
}

// The arithmetic traces of one scheme or two.
struct traces {
    struct wp_description description[2];
    struct wp_trace *trace[2]; // the second one is NULL if there is only one scheme
};

static bool trace_pixel(const struct wp_report_params *params, const struct wp_image *image,
                        struct traces *traces, int number)
{
    traces->description[number] = wp_report_describe(params, image);
    traces->trace[number] =
        wp_report_trace(&traces->description[number], image, params->pixel);
    return traces->trace[number];
}

static void print_pixel(const struct wp_report_params *params, const struct traces *traces,
                        struct wp_text *out)
{
    struct wp_trace *const *trace = traces->trace;
    if (params->explain.format == WP_EXPLAIN_JSON) {
        json_t *schemes = json_array();
        for (int i = 0; i < 2 && trace[i]; i++)
            json_array_append_new(schemes, wp_report_pixel(&traces->description[i], trace[i]));
        wp_report_json_print(json_pack("{s:o, s:o}", "image", wp_json_text(params->input.image),
                                       "schemes", schemes), out);
        return;
    }
    wp_trace_legend(trace[0], out);
    wp_explain_paragraph(out, 0, "r, g, b and a of shaders and of --show matrix are %s.",
                         trace[0]->dims == 3 ? "eee, oee, eoe and ooe; R, G, B and A are eeo, oeo, "
                                              "eoo and ooo"
                                            : "ee, oe, eo and oo");
    wp_text_add(out, "\n");
    for (int i = 0; i < 2 && trace[i]; i++) {
        wp_trace_print(trace[i], false, out);
        wp_text_add(out, "%s", trace[1] ? "\n" : "");
    }
    if (trace[1])
        wp_trace_compare(trace[0], trace[1], out);
}

static bool add_pixel(struct wp_report_params params, struct wp_text *out)
{
    struct wp_image *image = wp_report_read(&params, NULL);
    const struct wp_report_params other = other_of(&params);
    struct traces traces = {0};
    const bool ok = image && trace_pixel(&params, image, &traces, 0) &&
                    (!params.other || trace_pixel(&other, image, &traces, 1));
    if (ok)
        print_pixel(&params, &traces, out);
    wp_trace_destroy(&traces.trace[0]);
    wp_trace_destroy(&traces.trace[1]);
    wp_image_destroy(&image);
    return ok;
}

static bool add_diff(const struct wp_report_params *params, struct wp_text *out)
{
    const struct wp_report_params other = other_of(params);
    const struct wp_explain_params *const explain_params[2] = {&params->explain, &other.explain};
    struct wp_text listing[2] = {0};
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        ok = wp_explain(explain_params[i], &listing[i]);
        wp_text_add(out, "%s %s/%s/%s\n", i ? "+++" : "---", explain_params[i]->wavelet->name,
                    explain_params[i]->kind->name, wp_form_names[explain_params[i]->form]);
    }
    if (ok)
        wp_explain_diff(wp_text_get(&listing[0]), wp_text_get(&listing[1]), out);
    wp_text_free(&listing[0]);
    wp_text_free(&listing[1]);
    return ok;
}

bool wp_report(const struct wp_report_params *params, struct wp_text *out)
{
    const struct wp_explain_params *explain = &params->explain;
    if (!wp_report_is_files(explain->topic) && !wp_explain_check(explain))
        return false;
    switch (explain->topic) {
    case WP_EXPLAIN_TILES: wp_report_tiles(explain, out); return true;
    case WP_EXPLAIN_PASSES: return write_passes(*params);
    case WP_EXPLAIN_PIXEL: return add_pixel(*params, out);
    case WP_EXPLAIN_REPORT: return wp_report_page(params, out);
    case WP_EXPLAIN_ALL: return wp_report_all(params);
    default: break;
    }
    if (params->other)
        return add_diff(params, out);
    return explain->format == WP_EXPLAIN_JSON ? wp_report_json(explain, out)
                                              : wp_explain(explain, out);
}
