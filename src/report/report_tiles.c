#include "report_tiles.h"

#include "registry.h"
#include "json_value.h"
#include "memory.h"
#include "report_json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

// A variant of a backend that computes a level in one operation.
struct level_variant {
    char name[NAME_SIZE]; // "fragment/tile-2x2"
    const struct wp_variant *v;
};

struct table {
    const struct wp_explain_params *params;
    struct wp_text *out;
    json_t *rows;            // for JSON
    char reason[256];        // why the latest variant did not support the latest scheme
    bool is_listed;          // the variant supports a scheme
    char latest_reason[256]; // the latest reason in `omitted`
    struct wp_text omitted;
};

static enum wp_form form_of(const struct wp_explain_params *params)
{
    return params->form == WP_FORM_PLAIN ? WP_FORM_PLAIN : WP_FORM_BLOCK;
}

static bool is_supported(struct table *table, const struct level_variant *variant,
                         const struct wp_scheme_kind *kind)
{
    const struct wp_explain_params *p = table->params;
    if (wp_explain_terms(p, kind) > WP_EXPLAIN_DRAWN_MAX)
        return false;
    if (!variant->v->supports)
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
    return variant->v->supports(variant->v, &description, table->reason, sizeof table->reason);
}

static void add_row(struct table *table, const struct level_variant *variant,
                    const struct wp_scheme_kind *kind)
{
    if (!is_supported(table, variant, kind))
        return;
    table->is_listed = true;
    struct wp_scheme *scheme = wp_explain_scheme(table->params, kind, form_of(table->params));
    const struct wp_counts counts = variant->v->counts(variant->v, scheme);
    const int scheme_operations = wp_scheme_operations(scheme);
    const char *wavelet = table->params->wavelet->name;
    switch (table->params->format) {
    case WP_EXPLAIN_JSON:
        json_array_append_new(table->rows,
                              json_pack("{s:s, s:s, s:s, s:s, s:f, s:i, s:f}", "wavelet", wavelet,
                                        "scheme", kind->name, "form", wp_form_names[scheme->form],
                                        "way", variant->name, "operations", counts.operations,
                                        "operations_of_scheme", scheme_operations, "fetches",
                                        counts.fetches));
        break;
    case WP_EXPLAIN_CSV:
        wp_text_add(table->out, "%s,%s,%s,%s,%.6g,%d,%.6g\n", wavelet, kind->name,
                    wp_form_names[scheme->form], variant->name, counts.operations,
                    scheme_operations, counts.fetches);
        break;
    case WP_EXPLAIN_MD:
        wp_text_add(table->out, "| %s | %s | %.2f | %d | %.2f | %.2f |\n", variant->name,
                    kind->name, counts.operations, scheme_operations,
                    counts.operations / scheme_operations, counts.fetches);
        break;
    default:
        wp_text_add(table->out, "%-28s %-22s %10.2f %4d %5.2f %6.2f\n", variant->name, kind->name,
                    counts.operations, scheme_operations, counts.operations / scheme_operations,
                    counts.fetches);
        break;
    }
    wp_scheme_destroy(&scheme);
}

static void add_variant(struct table *table, const struct level_variant *variant)
{
    table->is_listed = false;
    table->reason[0] = 0;
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        if (!table->params->kind || table->params->kind == &wp_scheme_kinds[k])
            add_row(table, variant, &wp_scheme_kinds[k]);
    if (table->is_listed || !table->reason[0] || strcmp(table->latest_reason, table->reason) == 0)
        return;
    memcpy(table->latest_reason, table->reason, sizeof table->latest_reason);
    wp_explain_paragraph(&table->omitted, 0, "Omitted: %s.", table->reason);
    wp_text_add(&table->omitted, "\n");
}

static void add_backend(struct table *table, const struct wp_backend *backend)
{
    struct level_variant variant;
    for (const struct wp_variant *v = backend->variants; v && v->name; v++) {
        variant.v = v;
        snprintf(variant.name, sizeof variant.name, "%s/%s", backend->name, v->name);
        if (v->counts)
            add_variant(table, &variant);
    }
}

static void add_notes(const struct table *table, struct wp_text *out)
{
    wp_text_add(out, "\n%s", wp_text_get(&table->omitted));
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
    static const char *const headers[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] = "variant                      scheme                 operations "
                           "once times  reads\n",
        [WP_EXPLAIN_CSV] = "wavelet,scheme,form,way,operations,operations_of_scheme,fetches\n",
        [WP_EXPLAIN_MD] = "| variant | scheme | operations | once | times | fetches |\n"
                          "|:---|:---|---:|---:|---:|---:|\n",
        [WP_EXPLAIN_JSON] = "",
    };
    struct table table = {.params = params, .out = out, .rows = json_array()};
    wp_text_add(out, "%s", headers[params->format]);
    for (int i = 0; wp_backends[i]; i++)
        add_backend(&table, wp_backends[i]);
    if (params->format == WP_EXPLAIN_JSON)
        wp_report_json_print(json_incref(table.rows), out);
    json_decref(table.rows);
    if (params->format == WP_EXPLAIN_TXT || params->format == WP_EXPLAIN_MD)
        add_notes(&table, out);
    wp_text_free(&table.omitted);
}
