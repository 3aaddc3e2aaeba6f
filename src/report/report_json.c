// Topics of `explain` as JSON, and the costs of variants.
#include "report_internal.h"

#include "explain_symbols.h"
#include "json_value.h"
#include "memory.h"
#include "registry.h"
#include "wavelet_growth.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// {"first": k, "c": [...]}: c[i] is the coefficient of z^-(k + i).
static json_t *make_series(const struct wp_series *series)
{
    json_t *c = json_array();
    for (int i = 0; i < series->count; i++)
        json_array_append_new(c, json_real((double)series->c[i]));
    return json_pack("{s:i, s:o}", "first", series->count ? series->first : 0, "c", c);
}

static json_t *make_division(const struct wp_division *d)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "band", d->of_high ? "high" : "low",
                     "target", d->odd ? "odd" : "even", "dividend", make_series(&d->dividend),
                     "divisor", make_series(&d->divisor), "quotient", make_series(&d->quotient),
                     "remainder", make_series(&d->remainder));
}

// [one axis, two axes processed together], each [forward, inverse].
static json_t *make_growth(const struct wp_factoring *f)
{
    return json_pack("[[f, f], [f, f]]", f->growth[0][0], f->growth[0][1], f->growth[1][0],
                     f->growth[1][1]);
}

// Returns a new reference. NULL after WP_ERROR_USAGE.
static json_t *report_factoring(const struct wp_wavelet *wavelet)
{
    struct wp_factoring *f = wp_explain_factor(wavelet);
    if (!f)
        return NULL;
    json_t *divisions = json_array();
    for (int i = 0; i < f->divisions; i++)
        json_array_append_new(divisions, make_division(&f->division[i]));
    double bound[2];
    for (int axes = 0; axes < 2; axes++)
        bound[axes] = fmax(WP_WAVELET_EXACT,
                           wp_wavelet_error(wavelet, axes + 1, false, WP_WAVELET_EXACT));
    json_t *object = json_pack(
        "{s:s, s:b, s:{s:o, s:o, s:o, s:o}, s:i, s:o, s:[f, f], s:o, s:f, s:f}", "wavelet",
        wavelet->name,
        "symmetric", f->symmetric, "filters", "h_e", make_series(&f->bank.low[0]), "h_o",
        make_series(&f->bank.low[1]), "g_e", make_series(&f->bank.high[0]), "g_o",
        make_series(&f->bank.high[1]), "found", f->found, "growth", make_growth(f), "bound",
        bound[0], bound[1], "divisions", divisions, "gain", (double)f->gain, "zeta",
        (double)(wp_real_sqrt(2) / f->gain));
    free(f);
    return object;
}

static json_t *make_terms(const struct wp_poly *poly, int dims)
{
    static const char *const names[WP_VARIABLES] = {"m", "n", "o"};
    json_t *terms = json_array();
    for (int t = 0; t < poly->count; t++) {
        json_t *term = json_object();
        for (int v = 0; v < dims; v++)
            json_object_set_new(term, names[v], json_integer(poly->term[t].at[v]));
        json_object_set_new(term, "c", json_real(poly->term[t].c));
        json_array_append_new(terms, term);
    }
    return terms;
}

static json_t *make_matrix(const struct wp_matrix *matrix, int dims)
{
    json_t *rows = json_array();
    for (int i = 0; i < matrix->components; i++) {
        json_t *row = json_array();
        for (int j = 0; j < matrix->components; j++)
            json_array_append_new(row, make_terms(&matrix->at[i][j], dims));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void add_symbols(json_t *object, const struct wp_scheme *scheme,
                        const struct wp_pass *pass)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    json_t *rows = json_array(), *meaning = json_object();
    for (int i = 0; i < symbols.components; i++) {
        json_t *row = json_array();
        for (int j = 0; j < symbols.components; j++)
            json_array_append_new(row, json_string(wp_text_get(&symbols.cell[i][j])));
        json_array_append_new(rows, row);
    }
    for (int s = 0; s < symbols.count; s++) {
        const struct wp_symbol *symbol = &symbols.symbol[s];
        json_object_set_new(meaning, symbol->name,
                            symbol->expression.length
                                ? json_string(wp_text_get(&symbol->expression))
                                : make_terms(&symbol->filter, scheme->dims));
    }
    json_object_set_new(object, "symbols", rows);
    json_object_set_new(object, "meaning", meaning);
    wp_symbols_free(&symbols);
}

static json_t *make_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                              int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        struct wp_text name = {0};
        wp_explain_constant_name(&name, &constants[i]);
        for (int s = 0; s < statements; s++)
            json_array_append_new(list, json_pack("{s:s, s:s#, s:s#, s:f}", "name",
                                                  wp_text_get(&name), "destination",
                                                  &wp_explain_letters[statement[s].destination], 1,
                                                  "source",
                                                  &wp_explain_letters[statement[s].source], 1,
                                                  "c", statement[s].c));
        wp_text_free(&name);
    }
    return list;
}

static json_t *make_scale(const double scale[], int components)
{
    json_t *list = json_array();
    for (int c = 0; c < components; c++)
        json_array_append_new(list, json_real(scale[c]));
    return list;
}

json_t *wp_report_json_pass(const struct wp_scheme *scheme, int index)
{
    static const double one[WP_COMPONENTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    const int components = 1 << scheme->dims;
    const struct wp_pass *pass = &scheme->pass[index];
    json_t *object = json_object();
    json_object_set_new(object, "label", json_string(pass->label));
    json_object_set_new(object, "reads", json_integer(pass->reach.fetches));
    json_object_set_new(object, "multiply_adds", json_integer(wp_pass_operations(pass)));
    json_object_set_new(object, "scale_in",
                        make_scale(index == 0 ? scheme->scale_in : one, components));
    json_object_set_new(object, "before",
                        make_constants(scheme, pass->before, pass->before_count));
    add_symbols(object, scheme, pass);
    json_object_set_new(object, "matrix", make_matrix(&pass->core, scheme->dims));
    json_object_set_new(object, "after", make_constants(scheme, pass->after, pass->after_count));
    json_object_set_new(object, "scale_out",
                        make_scale(index == scheme->pass_count - 1 ? scheme->scale_out : one,
                                   components));
    return object;
}

static json_t *make_passes(const struct wp_explain_params *params)
{
    struct wp_scheme *scheme = wp_explain_scheme(params, wp_explain_kind(params), params->form);
    json_t *passes = json_array();
    for (int p = 0; p < scheme->pass_count; p++)
        json_array_append_new(passes, wp_report_json_pass(scheme, p));
    json_t *object = json_pack("{s:s, s:s, s:o}", "scheme", scheme->name, "direction",
                               wp_direction_names[params->direction], "passes",
                               passes);
    wp_scheme_destroy(&scheme);
    return object;
}

static json_t *make_counts(const struct wp_explain_params *params,
                           const struct wp_scheme_kind *kind)
{
    json_t *object = json_pack("{s:s, s:s}", "wavelet", params->wavelet->name, "scheme",
                               kind->name);
    static const char *const names[] = {
        [WP_FORM_PLAIN] = "plain", [WP_FORM_BLOCK] = "opencl", [WP_FORM_SHADER] = "shader"};
    for (int form = 0; form < WP_FORM_COUNT; form++) {
        struct wp_scheme *scheme = wp_explain_scheme(params, kind, (enum wp_form)form);
        json_object_set_new(object, names[form], json_integer(wp_scheme_operations(scheme)));
        if (scheme->form == params->form) {
            json_t *fetches = json_array();
            for (int p = 0; p < scheme->pass_count; p++)
                json_array_append_new(fetches, json_integer(scheme->pass[p].reach.fetches));
            const int bytes = 4 * (wp_scheme_fetches(scheme) + scheme->pass_count);
            json_object_set_new(object, "steps", json_integer(scheme->pass_count));
            json_object_set_new(object, "fetches", fetches);
            json_object_set_new(object, scheme->dims == 3 ? "bytes_per_voxel" : "bytes_per_pixel",
                                json_integer(bytes));
        }
        wp_scheme_destroy(&scheme);
    }
    return object;
}

static json_t *make_table(const struct wp_explain_params *params)
{
    json_t *rows = json_array();
    const struct wp_scheme_kind *kind;
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++)
        json_array_append_new(rows, make_counts(params, kind));
    return rows;
}

void wp_report_json_print(json_t *object, struct wp_text *out)
{
    char *text = json_dumps(object, JSON_INDENT(2));
    wp_text_add(out, "%s\n", text ? text : "null");
    free(text);
    json_decref(object);
}

bool wp_report_json(const struct wp_explain_params *params, struct wp_text *out)
{
    json_t *object = params->topic == WP_EXPLAIN_OPS         ? make_table(params)
                     : params->topic == WP_EXPLAIN_FACTORING ? report_factoring(params->wavelet)
                                                            : make_passes(params);
    if (object)
        wp_report_json_print(object, out);
    return object;
}

// ---- costs of variants that compute a level in one operation ----

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
