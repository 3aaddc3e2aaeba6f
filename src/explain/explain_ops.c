// Tables: the subbands of a transform, and the costs of schemes.
#include "explain_internal.h"

#include "operand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A description for the names and levels of bands, which do not depend on the size.
static struct wp_description describe_bands(const struct wp_explain_params *params)
{
    const int dims = wp_explain_dims(params);
    const bool is_default = params->levels == 0 && params->levels_z == 0;
    const int levels_z = is_default ? WP_EXPLAIN_LEVELS : params->levels_z;
    return (struct wp_description){
        .wavelet = params->wavelet,
        .size = {2, 2, dims == 3 ? 2 : 1},
        .levels = is_default ? WP_EXPLAIN_LEVELS : params->levels,
        .levels_z = dims == 3 ? levels_z : 0,
        .decomposition = params->decomposition,
    };
}

static int levels_along(const struct wp_description *d, const struct wp_subband *band, int axis)
{
    const int level = axis == WP_Z ? band->level_z : band->level;
    const int limit = axis == WP_Z ? d->levels_z : d->levels;
    return level < limit ? level : limit;
}

// The number of times that the samples of a band were halved.
static int halvings(const struct wp_description *d, const struct wp_subband *band)
{
    int times = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        times += levels_along(d, band, a);
    return times;
}

// "L2", "H1"; "-" for an axis without levels.
static void format_axis(const struct wp_description *d, const struct wp_subband *band, int axis,
                        char text[8])
{
    const int levels = levels_along(d, band, axis);
    if (levels)
        snprintf(text, 8, "%c%d", band->band >> axis & 1 ? 'H' : 'L', levels);
    else
        snprintf(text, 8, "-");
}

static void add_band_row(const struct wp_description *d, const struct wp_subband *band, int dims,
                         enum wp_explain_format format, struct wp_text *out)
{
    char name[WP_BAND_NAME_SIZE], along[WP_DIMS_MAX][8], share[WP_NUMBER_SIZE];
    const double parts = ldexp(1, halvings(d, band));
    wp_subband_name(band, name);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        format_axis(d, band, a, along[a]);
    if (format == WP_EXPLAIN_CSV) {
        wp_text_add(out, "%s,%s,%s,%s,%s\n", name, along[WP_X], along[WP_Y], along[WP_Z],
                    wp_format_number(share, 1 / parts, 10));
        return;
    }
    snprintf(share, sizeof share, "1/%.0f", parts);
    const bool md = format == WP_EXPLAIN_MD;
    wp_text_add(out, md ? "| %s" : "%-10s", name);
    for (int a = 0; a < dims; a++)
        wp_text_add(out, md ? " | %s" : " %-4s", along[a]);
    wp_text_add(out, md ? " | %s |\n" : " %s\n", share);
}

static void add_band_header(int dims, enum wp_explain_format format, struct wp_text *out)
{
    const char *z = dims == 3 ? "z    " : "";
    if (format == WP_EXPLAIN_CSV)
        wp_text_add(out, "band,x,y,z,share\n");
    else if (format == WP_EXPLAIN_MD)
        wp_text_add(out, "| band | x | y |%s share |\n|:---|:---|:---|%s---:|\n",
                    dims == 3 ? " z |" : "", dims == 3 ? ":---|" : "");
    else
        wp_text_add(out, "%-10s x    y    %sof all samples\n", "band", z);
}

static const char *const image_words =
    "Level l splits the low-pass band of level l-1. Names have a letter for x, then one for y: L "
    "is low-pass, H high-pass. Level 1 is the finest.";
static const char *const volume_words[WP_DECOMPOSITION_COUNT] = {
    [WP_DECOMPOSITION_DYADIC] =
        "Level l splits the low-pass band of level l-1 along every axis that has at least l "
        "levels. Names have a letter for each of x, y and z: L is low-pass, H high-pass. Level 1 "
        "is the finest.",
    [WP_DECOMPOSITION_SPATIAL_TEMPORAL] =
        "The spatial-temporal decomposition (t+2D) first transforms each slice over all levels, "
        "like an image, and then every coefficient over all levels along z, the time axis of a "
        "video. Each band of the slices is split into bands along z. Names have the letters and "
        "the level of the slice, a dot, and those of z. With one level each, the coefficients are "
        "equal to those of the dyadic decomposition.",
};

static void add_band_text(const struct wp_description *d, int dims, struct wp_text *out)
{
    const char *words = dims == 2 ? image_words : volume_words[d->decomposition];
    wp_text_add(out, "%d bands of %s, %d level%s", wp_subband_count(d),
                dims == 2 ? "an image" : "a volume", d->levels, WP_PLURAL(d->levels));
    if (dims == 3)
        wp_text_add(out, " of x and y, %d of z, %s", d->levels_z,
                    wp_decomposition_names[d->decomposition]);
    wp_text_add(out, d->decomposition == WP_DECOMPOSITION_DYADIC ? ".\n\n"
                                                                 : ": (3 x %d + 1) x (%d + 1).\n\n",
                d->levels, d->levels_z);
    wp_explain_wrap(out, 0, words);
    wp_text_add(out, "\n\n");
}

void wp_explain_bands(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_description d = describe_bands(params);
    const int dims = wp_explain_dims(params);
    if (params->format == WP_EXPLAIN_TXT)
        add_band_text(&d, dims, out);
    add_band_header(dims, params->format, out);
    for (int i = 0; i < wp_subband_count(&d); i++) {
        const struct wp_subband band = wp_subband_describe(&d, i);
        add_band_row(&d, &band, dims, params->format, out);
    }
}

// ---- costs of schemes ----

// Numbers of operations for which Table 1 of Barina et al. 2017 deviates from its counting rule.
struct deviation {
    const char *wavelet;
    const struct wp_scheme_kind *kind;
    int shader; // as printed
    const char *reason;
};

static const struct deviation deviations[] = {
    {"cdf97", &wp_scheme_kinds[WP_SCHEME_SEP_POLYCONVOLUTION], 56,
     "the count without optimization"},
};

static const struct deviation *find_deviation(const struct wp_explain_params *params,
                                              const struct wp_scheme_kind *kind)
{
    // The table has only images.
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations && params->dims != 3; i++)
        if (deviations[i].kind == kind &&
            strcmp(deviations[i].wavelet, params->wavelet->name) == 0)
            return &deviations[i];
    return NULL;
}

// The costs of a scheme per quad or octet and level.
struct costs {
    int steps, fetches;
    int operations[WP_FORM_COUNT];
    struct wp_text per_pass; // "3 + 3"; "8 x 2" for many passes, or "4 x (4 + 2)"
};

static int fetches_of(const struct wp_scheme *scheme, int pass)
{
    return scheme->pass[pass].reach.fetches;
}

// The period of the passes' numbers of fetches.
static int find_period(const struct wp_scheme *scheme)
{
    for (int period = 1;; period++) {
        int p = period;
        while (p < scheme->pass_count && fetches_of(scheme, p) == fetches_of(scheme, p - period))
            p++;
        if (p == scheme->pass_count && p % period == 0)
            return period;
    }
}

static void add_per_pass(const struct wp_scheme *scheme, struct wp_text *out)
{
    enum { MAX_LISTED = 4 };
    const int period = find_period(scheme);
    if (scheme->dims == 3 && scheme->pass_count > MAX_LISTED && period == 2) {
        wp_text_add(out, "%d x (%d + %d)", scheme->pass_count / 2, fetches_of(scheme, 0),
                    fetches_of(scheme, 1));
        return;
    }
    for (int p = 0, run; p < scheme->pass_count; p += run) {
        const int fetches = fetches_of(scheme, p);
        run = 1;
        while (scheme->pass_count > MAX_LISTED && p + run < scheme->pass_count &&
               fetches_of(scheme, p + run) == fetches)
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
                    const struct deviation *deviation, struct wp_text *out)
{
    wp_text_add(out, "%s,%s,%d,%d,%d,%d,%d,", wavelet, scheme, costs->steps,
                costs->operations[WP_FORM_PLAIN], costs->operations[WP_FORM_BLOCK],
                costs->operations[WP_FORM_SHADER], costs->fetches);
    if (deviation)
        wp_text_add(out, "%d", deviation->shader);
    wp_text_add(out, "\n");
}

enum { PER_PASS_INDENT = 40 };

// Adds a sum after the fetches; in text without spaces, and in a new line if it does not fit.
static void print_per_pass(enum wp_explain_format format, const char *sum, struct wp_text *out)
{
    if (format != WP_EXPLAIN_TXT) {
        wp_text_add(out, " = %s", sum);
        return;
    }
    struct wp_text narrow = {0};
    struct wp_explain_lines lines = wp_explain_lines(out, PER_PASS_INDENT);
    wp_text_add(&narrow, " = ");
    for (; *sum; sum++)
        if (*sum != ' ')
            wp_text_add(&narrow, "%c", *sum);
    wp_explain_piece(&lines, "%s", wp_text_get(&narrow));
    wp_text_free(&narrow);
}

static void add_row(enum wp_explain_format format, const char *scheme, const struct costs *costs,
                    bool marked, struct wp_text *out)
{
    const char *mark = marked ? "*" : format == WP_EXPLAIN_TXT ? " " : "";
    const int bytes = 4 * (costs->fetches + costs->steps);
    static const char *const rows[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] = "%-22s %5d %6d %6d %6d%s %11d  %d",
        [WP_EXPLAIN_MD] = "| %s | %d | %d | %d | %d%s | %d | %d",
        [WP_EXPLAIN_TEX] = "%s & %d & %d & %d & %d%s & %d & %d \\\\",
    };
    const int *operations = costs->operations;
    wp_text_add(out, rows[format], scheme, costs->steps, operations[WP_FORM_PLAIN],
                operations[WP_FORM_BLOCK], operations[WP_FORM_SHADER], mark, bytes,
                costs->fetches);
    if (costs->steps > 1 && format != WP_EXPLAIN_TEX)
        print_per_pass(format, wp_text_get(&costs->per_pass), out);
    wp_text_add(out, format == WP_EXPLAIN_MD ? " |\n" : "\n");
}

bool wp_explain_ops_deviates(const struct wp_explain_params *params,
                             const struct wp_scheme_kind *kind)
{
    return find_deviation(params, kind);
}

static void add_omitted(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_scheme_kind *kind;
    for (int k = 0; !params->kind && (kind = wp_scheme_kind_at(wp_explain_dims(params), k)); k++)
        if (wp_explain_terms(params, kind) > WP_SCHEME_TERMS_MAX)
            wp_text_add(out, "Omitted: %s has %.0f terms in a pass (%.0f at most).\n",
                        kind->name, wp_explain_terms(params, kind), WP_SCHEME_TERMS_MAX);
}

void wp_explain_ops_notes(const struct wp_explain_params *params, struct wp_text *out)
{
    const char *note = NULL;
    const struct wp_scheme_kind *kind;
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++) {
        const struct deviation *deviation = find_deviation(params, kind);
        struct wp_scheme *scheme = wp_explain_scheme(params, kind, WP_FORM_SHADER);
        if (deviation)
            wp_explain_paragraph(out, 2,
                                 "* Table 1 of Barina et al. 2017 prints %d here, %s; its counting "
                                 "rule gives %d.",
                                 deviation->shader, deviation->reason,
                                 wp_scheme_operations(scheme));
        // A note that applies to several schemes is printed once.
        if (scheme->note && (!note || strcmp(note, scheme->note) != 0))
            wp_text_add(out, "Note: %s.\n", note = scheme->note);
        wp_scheme_destroy(&scheme);
    }
    add_omitted(params, out);
}

static void add_header(enum wp_explain_format format, const char *sample, struct wp_text *out)
{
    static const char *const headers[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] = "scheme                 steps  plain OpenCL shader  bytes/%s  fetches\n",
        [WP_EXPLAIN_CSV] = "wavelet,scheme,steps,plain,opencl,shader,fetches,shader_in_print\n",
        [WP_EXPLAIN_MD] = "| scheme | steps | plain | OpenCL | shader | bytes/%s | fetches |\n"
                          "|:---|---:|---:|---:|---:|---:|:---|\n",
        [WP_EXPLAIN_TEX] = "\\begin{tabular}{lrrrrrr}\n\\hline\n"
                           "scheme & steps & plain & OpenCL & shader & bytes/%s & fetches \\\\\n"
                           "\\hline\n",
    };
    wp_text_add(out, headers[format], sample);
}

void wp_explain_ops(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_explain_vocabulary *words = wp_explain_vocabulary(wp_explain_dims(params));
    // JSON is that of the report.
    const enum wp_explain_format format =
        params->format == WP_EXPLAIN_JSON ? WP_EXPLAIN_TXT : params->format;
    const struct wp_scheme_kind *kind;
    struct wp_text notes = {0};
    wp_explain_ops_notes(params, &notes);
    add_header(format, words->sample, out);
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++) {
        struct costs costs = find_costs(params, kind);
        if (format == WP_EXPLAIN_CSV)
            add_csv(params->wavelet->name, kind->name, &costs, find_deviation(params, kind), out);
        else
            add_row(format, kind->name, &costs, find_deviation(params, kind), out);
        wp_text_free(&costs.per_pass);
    }
    if (format == WP_EXPLAIN_TEX) {
        wp_text_add(out, "\\hline\n\\end{tabular}\n\n%s", wp_text_get(&notes));
    } else if (format != WP_EXPLAIN_CSV) {
        wp_text_add(out, "\n%s", wp_text_get(&notes));
        wp_explain_paragraph(out, 0,
                             "Per %s (%s %ss) and level: steps are passes with a barrier between "
                             "them; operations are multiply-adds, plain and optimized for OpenCL "
                             "kernels and for fragment shaders; bytes are fetches and results, "
                             "without caches. Steps and fetches: %s form.",
                             words->group, words->size, words->sample,
                             wp_form_names[params->form]);
    }
    wp_text_free(&notes);
}
