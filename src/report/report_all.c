#include "report_all.h"

#include "output.h"
#include "report_json.h"
#include "report_page.h"
#include "report_passes.h"
#include "report_run.h"
#include "report_tiles.h"

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
        if (topic != WP_EXPLAIN_FILTERS && topic != WP_EXPLAIN_FACTORING)
            return true;
        explain.dims = 2;
    }
    explain.topic = topic;
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT && ok; f++) {
        explain.format = (enum wp_explain_format)f;
        if (!wp_explain_has(topic, explain.format))
            continue;
        struct wp_text text = {0};
        if (topic == WP_EXPLAIN_TILES)
            wp_report_tiles(&explain, &text);
        else if (explain.format == WP_EXPLAIN_JSON)
            ok = wp_report_json(&explain, &text);
        else
            ok = wp_explain(&explain, &text);
        ok = ok && write_file(params, wp_explain_topic_names[topic],
                              topic == WP_EXPLAIN_GLSL   ? "glsl"
                              : topic == WP_EXPLAIN_CUDA ? "cu"
                                                         : wp_explain_format_names[f],
                              &text);
        wp_text_free(&text);
    }
    return ok;
}

static bool write_passes(struct wp_report_params params, const struct wp_image *image)
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
    ok = ok && (!image || write_passes(params, image));
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

bool wp_report_all(const struct wp_report_params *original)
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
              write_formats(&params, WP_EXPLAIN_BANDS);
    const struct wp_scheme_kind *kind;
    for (int k = 0; (kind = wp_explain_listed(&params.explain, k)) && ok; k++)
        ok = write_scheme(params, kind, image);
    wp_image_destroy(&image);
    return ok;
}
