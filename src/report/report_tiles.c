#include "report_tiles.h"

#include "registry.h"
#include "json_value.h"
#include "memory.h"
#include "report_json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

// One way to run a level at once: a variant of a backend.
struct way {
    char name[NAME_SIZE]; // "fragment/tile-2x2"
    const struct wp_variant *variant;
};

struct table {
    const struct wp_explain_params *params;
    struct wp_text *out;
    json_t *rows; // where the format is JSON
    char unfit[256]; // why the last way did not take the last scheme
    bool fitted;     // it took one
    char told[256];  // the last of why ways took none, and all of them
    struct wp_text left_out;
};

static enum wp_form form_of(const struct wp_explain_params *params)
{
    return params->form == WP_FORM_PLAIN ? WP_FORM_PLAIN : WP_FORM_BLOCK;
}

static bool fits(struct table *table, const struct way *way, const struct wp_scheme_kind *kind)
{
    const struct wp_explain_params *p = table->params;
    if (wp_explain_terms(p, kind) > WP_EXPLAIN_DRAWN_MAX)
        return false;
    if (!way->variant->supports)
        return true;
    const bool symmetric = p->wavelet->symmetry != WP_SYMMETRY_NONE;
    const struct wp_description description = {
        .wavelet = p->wavelet,
        .kind = kind,
        .form = p->form == WP_FORM_PLAIN ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .direction = p->direction,
        .border = symmetric ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC,
        .levels = 1,
        .size = {64, 64},
    };
    return way->variant->supports(way->variant, &description, table->unfit, sizeof table->unfit);
}

static void add_row(struct table *table, const struct way *way, const struct wp_scheme_kind *kind)
{
    if (!fits(table, way, kind))
        return;
    table->fitted = true;
    struct wp_scheme *scheme = wp_explain_scheme(table->params, kind, form_of(table->params));
    const struct wp_counts counts = way->variant->counts(way->variant, scheme);
    const int once = wp_scheme_operations(scheme);
    const char *wavelet = table->params->wavelet->name;
    switch (table->params->format) {
    case WP_EXPLAIN_JSON:
        json_array_append_new(
            table->rows, json_pack("{s:s, s:s, s:s, s:s, s:f, s:i, s:f}", "wavelet", wavelet,
                                   "scheme", kind->name, "form", wp_form_names[scheme->form],
                                   "way", way->name, "operations", counts.operations,
                                   "operations_of_scheme", once, "fetches", counts.fetches));
        break;
    case WP_EXPLAIN_CSV:
        wp_text_add(table->out, "%s,%s,%s,%s,%.6g,%d,%.6g\n", wavelet, kind->name,
                    wp_form_names[scheme->form], way->name, counts.operations, once,
                    counts.fetches);
        break;
    case WP_EXPLAIN_MD:
        wp_text_add(table->out, "| %s | %s | %.2f | %d | %.2f | %.2f |\n", way->name, kind->name,
                    counts.operations, once, counts.operations / once, counts.fetches);
        break;
    default:
        wp_text_add(table->out, "%-28s %-22s %10.2f %4d %5.2f %6.2f\n", way->name, kind->name,
                    counts.operations, once, counts.operations / once, counts.fetches);
        break;
    }
    wp_scheme_destroy(&scheme);
}

static void add_way(struct table *table, const struct way *way)
{
    table->fitted = false;
    table->unfit[0] = 0;
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        if (!table->params->kind || table->params->kind == &wp_scheme_kinds[k])
            add_row(table, way, &wp_scheme_kinds[k]);
    if (table->fitted || !table->unfit[0] || strcmp(table->told, table->unfit) == 0)
        return;
    memcpy(table->told, table->unfit, sizeof table->told);
    wp_explain_paragraph(&table->left_out, 0, "Omitted: %s.", table->unfit);
    wp_text_add(&table->left_out, "\n");
}

static void add_backend(struct table *table, const struct wp_backend *backend)
{
    struct way way;
    for (const struct wp_variant *v = backend->variants; v && v->name; v++) {
        way.variant = v;
        snprintf(way.name, sizeof way.name, "%s/%s", backend->name, v->name);
        if (v->counts)
            add_way(table, &way);
    }
}

static void add_words(const struct table *table, struct wp_text *out)
{
    wp_text_add(out, "\n%s", wp_text_get(&table->left_out));
    wp_explain_paragraph(out, 0,
                         "Per texel (a quad of 2x2 pixels) and level, %s form. operations: "
                         "multiply-adds whose results are used, including halos that several "
                         "blocks compute; once: multiply-adds of the scheme itself; times: their "
                         "ratio; %s: texels read. The workgroups of compute are those of a GPU "
                         "with common limits.",
                         wp_form_names[form_of(table->params)],
                         table->params->format == WP_EXPLAIN_MD ? "fetches" : "reads");
}

void wp_report_tiles(const struct wp_explain_params *params, struct wp_text *out)
{
    static const char *const heads[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] = "variant                      scheme                 operations "
                           "once times  reads\n",
        [WP_EXPLAIN_CSV] = "wavelet,scheme,form,way,operations,operations_of_scheme,fetches\n",
        [WP_EXPLAIN_MD] = "| variant | scheme | operations | once | times | fetches |\n"
                          "|:---|:---|---:|---:|---:|---:|\n",
        [WP_EXPLAIN_JSON] = "",
    };
    struct table table = {.params = params, .out = out, .rows = json_array()};
    wp_text_add(out, "%s", heads[params->format]);
    for (int i = 0; wp_backends[i]; i++)
        add_backend(&table, wp_backends[i]);
    if (params->format == WP_EXPLAIN_JSON)
        wp_report_json_print(json_incref(table.rows), out);
    json_decref(table.rows);
    if (params->format == WP_EXPLAIN_TXT || params->format == WP_EXPLAIN_MD)
        add_words(&table, out);
    wp_text_free(&table.left_out);
}
