#include "explain_internal.h"

#include <string.h>

// Where the counting rule and the print of Table 1 of Barina et al. 2017 disagree.
struct deviation {
    const char *wavelet;
    const struct wp_scheme_kind *kind;
    int shader; // in print
    const char *why;
};

static const struct deviation deviations[] = {
    {"cdf97", &wp_scheme_kinds[WP_SCHEME_SEP_POLYCONVOLUTION], 56,
     "the count without optimisation"},
};

static const struct deviation *find_deviation(const char *wavelet,
                                              const struct wp_scheme_kind *kind)
{
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++)
        if (deviations[i].kind == kind && strcmp(deviations[i].wavelet, wavelet) == 0)
            return &deviations[i];
    return NULL;
}

// What one scheme costs for a quad and a level.
struct costs {
    int steps, fetches;
    int operations[WP_FORM_COUNT];
    struct wp_text per_pass; // "3 + 3"; "8 x 2" for many passes
};

static void add_per_pass(const struct wp_scheme *scheme, struct wp_text *out)
{
    enum { LISTED_MAX = 4 };
    for (int p = 0, run; p < scheme->pass_count; p += run) {
        const int fetches = scheme->pass[p].reach.fetches;
        run = 1;
        while (scheme->pass_count > LISTED_MAX && p + run < scheme->pass_count &&
               scheme->pass[p + run].reach.fetches == fetches)
            run++;
        wp_text_add(out, "%s", p ? " + " : "");
        if (run > 1)
            wp_text_add(out, "%d x ", run);
        wp_text_add(out, "%d", fetches);
    }
}

static struct costs find_costs(const struct wp_explain_params *params,
                               const struct wp_scheme_kind *kind)
{
    struct costs costs = {0};
    for (int form = 0; form < WP_FORM_COUNT; form++) {
        struct wp_scheme *scheme = wp_explain_scheme(params, kind, (enum wp_form)form);
        costs.operations[form] = wp_scheme_operations(scheme);
        if (params->form == scheme->form) {
            costs.steps = scheme->pass_count;
            costs.fetches = wp_scheme_fetches(scheme);
            add_per_pass(scheme, &costs.per_pass);
        }
        wp_scheme_destroy(&scheme);
    }
    return costs;
}

static void add_csv(const char *wavelet, const char *scheme, const struct costs *costs,
                    struct wp_text *out)
{
    wp_text_add(out, "%s,%s,%d,%d,%d,%d,%d\n", wavelet, scheme, costs->steps,
                costs->operations[WP_FORM_PLAIN], costs->operations[WP_FORM_BLOCK],
                costs->operations[WP_FORM_SHADER], costs->fetches);
}

// A row of a table but CSV. Every fetch and the result of every pass are
// 16 bytes for the four pixels of a quad.
static void add_row(enum wp_explain_format format, const char *scheme, const struct costs *costs,
                    bool marked, struct wp_text *out)
{
    const char *mark = marked ? "*" : format == WP_EXPLAIN_TXT ? " " : "";
    const int bytes = 4 * (costs->fetches + costs->steps);
    const int *operations = costs->operations;
    if (format == WP_EXPLAIN_TEX) {
        wp_text_add(out, "%s & %d & %d & %d & %d%s & %d & %d \\\\\n", scheme, costs->steps,
                    operations[WP_FORM_PLAIN], operations[WP_FORM_BLOCK],
                    operations[WP_FORM_SHADER], mark, bytes, costs->fetches);
        return;
    }
    if (format == WP_EXPLAIN_MD)
        wp_text_add(out, "| %s | %d | %d | %d | %d%s | %d | %d", scheme, costs->steps,
                    operations[WP_FORM_PLAIN], operations[WP_FORM_BLOCK],
                    operations[WP_FORM_SHADER], mark, bytes, costs->fetches);
    else
        wp_text_add(out, "%-22s %6d %6d %7d %7d%s %12d   %d", scheme, costs->steps,
                    operations[WP_FORM_PLAIN], operations[WP_FORM_BLOCK],
                    operations[WP_FORM_SHADER], mark, bytes, costs->fetches);
    if (costs->steps > 1)
        wp_text_add(out, " = %s", wp_text_get(&costs->per_pass));
    wp_text_add(out, format == WP_EXPLAIN_MD ? " |\n" : "\n");
}

bool wp_explain_ops_deviates(const struct wp_wavelet *wavelet, const struct wp_scheme_kind *kind)
{
    return find_deviation(wavelet->name, kind);
}

void wp_explain_ops_notes(const struct wp_explain_params *params, struct wp_text *out)
{
    const char *note = NULL;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        const struct wp_scheme_kind *kind = &wp_scheme_kinds[k];
        if (params->kind && params->kind != kind)
            continue;
        const struct deviation *deviation = find_deviation(params->wavelet->name, kind);
        struct wp_scheme *scheme = wp_explain_scheme(params, kind, WP_FORM_SHADER);
        if (deviation)
            wp_text_add(out,
                        "* print: %d. Table 1 of Barina et al. 2017 has %s here; its counting\n"
                        "  rule gives %d.\n",
                        deviation->shader, deviation->why, wp_scheme_operations(scheme));
        // One note for all schemes that it concerns.
        if (scheme->note && (!note || strcmp(note, scheme->note) != 0))
            wp_text_add(out, "Note: %s.\n", note = scheme->note);
        wp_scheme_destroy(&scheme);
    }
}

void wp_explain_ops(const struct wp_explain_params *params, struct wp_text *out)
{
    static const char *const heads[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] =
            "scheme                  steps  plain  OpenCL  shader   bytes/pixel  fetches\n",
        [WP_EXPLAIN_CSV] = "wavelet,scheme,steps,plain,opencl,shader,fetches\n",
        [WP_EXPLAIN_MD] =
            ("| scheme | steps | plain | OpenCL | shader | bytes/pixel | fetches |\n"
             "|:---|---:|---:|---:|---:|---:|:---|\n"),
        [WP_EXPLAIN_TEX] =
            ("\\begin{tabular}{lrrrrrr}\n\\hline\n"
             "scheme & steps & plain & OpenCL & shader & bytes/pixel & fetches \\\\\n"
             "\\hline\n"),
    };
    const char *const wavelet = params->wavelet->name;
    struct wp_text notes = {0};
    wp_explain_ops_notes(params, &notes);
    wp_text_add(out, "%s", heads[params->format]);
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        const struct wp_scheme_kind *kind = &wp_scheme_kinds[k];
        if (params->kind && params->kind != kind)
            continue;
        struct costs costs = find_costs(params, kind);
        if (params->format == WP_EXPLAIN_CSV)
            add_csv(wavelet, kind->name, &costs, out);
        else
            add_row(params->format, kind->name, &costs,
                    wp_explain_ops_deviates(params->wavelet, kind), out);
        wp_text_free(&costs.per_pass);
    }
    if (params->format == WP_EXPLAIN_TEX)
        wp_text_add(out, "\\hline\n\\end{tabular}\n\n%s", wp_text_get(&notes));
    else if (params->format != WP_EXPLAIN_CSV)
        wp_text_add(out,
                    "\n%s"
                    "For one quad (2x2 pixels) and one level: steps are passes with a barrier "
                    "between them;\noperations are multiply-adds, plain and optimised for OpenCL "
                    "kernels and for fragment\nshaders; bytes are fetches and results before any "
                    "cache. Steps and fetches: %s form.\n",
                    wp_text_get(&notes), wp_form_names[params->form]);
    wp_text_free(&notes);
}
