#include "report_internal.h"

#include "lesson.h"
#include "json_value.h"
#include "output.h"

#include <jansson.h>

static bool write_file(const struct wp_report_params *params, const char *name, const char *suffix,
                       const struct wp_text *text)
{
    struct wp_text path = {0};
    wp_text_add(&path, "%s/%s.%s", params->directory, name, suffix);
    const bool ok = wp_output_text(wp_text_get(&path), params->overwrite, wp_text_get(text));
    wp_text_free(&path);
    return ok;
}

// Writes a topic in all its formats.
static bool write_formats(const struct wp_report_params *params, enum wp_explain_topic topic)
{
    struct wp_explain_params explain = params->explain;
    bool ok = true;
    if (wp_explain_dims(&explain) == 3 && wp_explain_is_image_only(topic)) {
        // Filters and their factorization are the same for each axis.
        if (topic != WP_EXPLAIN_FILTERS && topic != WP_EXPLAIN_FACTORING &&
            topic != WP_EXPLAIN_BORDER && topic != WP_EXPLAIN_SHIFT)
            return true;
        explain.dims = 2;
    }
    explain.topic = topic;
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT && ok; f++) {
        explain.format = (enum wp_explain_format)f;
        if (!wp_explain_has(topic, explain.format))
            continue;
        struct wp_text text = {0};
        ok = wp_report_topic(params, &explain, &text) && write_file(params, wp_explain_topic_names[topic],
                              topic == WP_EXPLAIN_GLSL   ? "glsl"
                              : topic == WP_EXPLAIN_CUDA ? "cu"
                                                         : wp_explain_format_names[f],
                              &text);
        wp_text_free(&text);
    }
    return ok;
}

static bool write_all_passes(struct wp_report_params params, const struct wp_image *image)
{
    struct wp_text path = {0};
    wp_text_add(&path, "%s/passes", params.directory);
    params.directory = wp_text_get(&path);
    const bool ok = wp_report_passes(&params, image);
    wp_text_free(&path);
    return ok;
}

static bool write_scheme(struct wp_report_params params, const struct wp_scheme_kind *kind,
                         const struct wp_image *image)
{
    static const enum wp_explain_topic topics[] = {WP_EXPLAIN_SUMMARY, WP_EXPLAIN_MATRIX,
                                                 WP_EXPLAIN_GLSL, WP_EXPLAIN_CUDA,
                                                 WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_FOOTPRINT};
    struct wp_text path = {0};
    wp_text_add(&path, "%s/%s", params.directory, kind->name);
    params.directory = wp_text_get(&path);
    params.explain.kind = kind;
    bool ok = wp_report_make_directory(params.directory);
    for (size_t w = 0; w < sizeof topics / sizeof *topics && ok; w++)
        ok = write_formats(&params, topics[w]);
    ok = ok && (!image || write_all_passes(params, image));
    wp_text_free(&path);
    return ok;
}

static bool write_page(struct wp_report_params params, bool worksheet)
{
    struct wp_text text = {0};
    params.worksheet = worksheet;
    const bool ok = wp_report_page(&params, &text) &&
                    write_file(&params, worksheet ? "worksheet" : "report", "html", &text);
    wp_text_free(&text);
    return ok;
}

// Writes to the directory: report.html and worksheet.html; filters, borders, shifts and ops; for each scheme
// diagram, footprint, matrix and shaders, in all formats; with an image the passes of each scheme.
// False after an error.
static bool report_all(const struct wp_report_params *original)
{
    struct wp_report_params params = *original;
    struct wp_image *image = NULL, *colour = NULL; // read again by the page
    if (params.input.image && !(image = wp_report_read(&params, &colour)))
        return false;
    wp_image_destroy(&colour);
    bool ok = wp_report_make_directory(params.directory) && write_page(params, false) &&
              write_page(params, true) && write_formats(&params, WP_EXPLAIN_OPS) &&
              write_formats(&params, WP_EXPLAIN_TILES) &&
              write_formats(&params, WP_EXPLAIN_FILTERS) &&
              write_formats(&params, WP_EXPLAIN_FACTORING) &&
              write_formats(&params, WP_EXPLAIN_BORDER) &&
              write_formats(&params, WP_EXPLAIN_SHIFT) &&
              write_formats(&params, WP_EXPLAIN_BANDS);
    const struct wp_scheme_kind *kind;
    for (int k = 0; (kind = wp_explain_listed(&params.explain, k)) && ok; k++)
        ok = write_scheme(params, kind, image);
    wp_image_destroy(&image);
    return ok;
}

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
    traces->description[number] = wp_report_describe(params);
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
    case WP_EXPLAIN_PASSES: return write_passes(*params);
    case WP_EXPLAIN_PIXEL: return add_pixel(*params, out);
    case WP_EXPLAIN_REPORT: return wp_report_page(params, out);
    case WP_EXPLAIN_ALL: return report_all(params);
    default: break;
    }
    if (params->other)
        return add_diff(params, out);
    return wp_report_topic(params, explain, out);
}
