#include "report_all.h"

#include "log.h"
#include "output.h"
#include "report_json.h"
#include "report_passes.h"
#include "report_tiles.h"

static bool write_file(const char *directory, const char *name, const char *suffix,
                       bool overwrite, const struct wp_text *text)
{
    struct wp_text path = {0};
    wp_text_add(&path, "%s/%s.%s", directory, name, suffix);
    struct wp_output *output = wp_output_open(wp_text_get(&path), overwrite);
    wp_text_free(&path);
    if (!output)
        return false;
    fputs(wp_text_get(text), wp_output_stream(output));
    return wp_output_commit(&output);
}

// A subject in every format that there is of it.
static bool write_formats(struct wp_explain_params params, enum wp_explain_what what,
                          const char *directory, bool overwrite)
{
    bool ok = true;
    params.what = what;
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT && ok; f++) {
        params.format = (enum wp_explain_format)f;
        if (!wp_explain_has(what, params.format))
            continue;
        struct wp_text text = {0};
        if (what == WP_EXPLAIN_TILES)
            wp_explain_tiles(&params, &text);
        else if (params.format == WP_EXPLAIN_JSON)
            wp_explain_json(&params, &text);
        else
            ok = wp_explain(&params, &text);
        ok = ok && write_file(directory, wp_explain_what_names[what],
                              what == WP_EXPLAIN_GLSL ? "glsl" : wp_explain_format_names[f],
                              overwrite, &text);
        wp_text_free(&text);
    }
    return ok;
}

static bool write_passes(const struct wp_explain_page *page,
                         const struct wp_explain_params *params, const struct wp_image *image,
                         const char *directory, bool overwrite)
{
    struct wp_text path = {0};
    wp_text_add(&path, "%s/passes", directory);
    struct wp_plan *plan = wp_explain_run_plan(params, &page->input, image);
    const bool ok =
        plan && wp_explain_passes(plan, image->plane[0], wp_text_get(&path), overwrite);
    wp_plan_destroy(&plan);
    wp_text_free(&path);
    return ok;
}

static bool write_scheme(const struct wp_explain_page *page, const struct wp_scheme_kind *kind,
                         const struct wp_image *image, const char *parent, bool overwrite)
{
    static const enum wp_explain_what whats[] = {WP_EXPLAIN_SUMMARY, WP_EXPLAIN_MATRIX,
                                                 WP_EXPLAIN_GLSL, WP_EXPLAIN_DIAGRAM,
                                                 WP_EXPLAIN_FOOTPRINT};
    struct wp_explain_params params = *page->params;
    struct wp_text path = {0};
    wp_text_add(&path, "%s/%s", parent, kind->name);
    const char *const directory = wp_text_get(&path);
    params.kind = kind;
    bool ok = wp_explain_make_directory(directory);
    for (size_t w = 0; w < sizeof whats / sizeof *whats && ok; w++)
        ok = write_formats(params, whats[w], directory, overwrite);
    ok = ok && (!image || write_passes(page, &params, image, directory, overwrite));
    wp_text_free(&path);
    return ok;
}

static bool write_page(struct wp_explain_page page, bool worksheet, const char *directory,
                       bool overwrite)
{
    struct wp_text text = {0};
    page.worksheet = worksheet;
    const bool ok =
        wp_explain_report(&page, &text) &&
        write_file(directory, worksheet ? "worksheet" : "report", "html", overwrite, &text);
    wp_text_free(&text);
    return ok;
}

bool wp_explain_all(const struct wp_explain_page *page, const char *directory, bool overwrite)
{
    struct wp_image *image = NULL;
    if (page->input.image && !(image = wp_explain_run_read(page->params, &page->input)))
        return false;
    const struct wp_scheme_kind *named = page->params->kind;
    bool ok = wp_explain_make_directory(directory) &&
              write_page(*page, false, directory, overwrite) &&
              write_page(*page, true, directory, overwrite) &&
              write_formats(*page->params, WP_EXPLAIN_OPS, directory, overwrite) &&
              write_formats(*page->params, WP_EXPLAIN_TILES, directory, overwrite) &&
              write_formats(*page->params, WP_EXPLAIN_FILTERS, directory, overwrite);
    for (int k = 0; k < WP_SCHEME_KINDS && ok; k++)
        if (!named || named == &wp_scheme_kinds[k])
            ok = write_scheme(page, &wp_scheme_kinds[k], image, directory, overwrite);
    wp_image_destroy(&image);
    return ok;
}
