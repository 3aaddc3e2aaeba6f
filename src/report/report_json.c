#include "report_json.h"

#include "explain_symbols.h"
#include "report_factoring.h"

#include <jansson.h>
#include <stdlib.h>

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
                     : params->topic == WP_EXPLAIN_FACTORING ? wp_report_factoring(params->wavelet)
                                                            : make_passes(params);
    if (object)
        wp_report_json_print(object, out);
    return object;
}
