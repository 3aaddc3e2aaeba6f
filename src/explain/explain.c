#include "emit_tile.h"
#include "explain_internal.h"
#include "log.h"
#include "wavelet_taps.h"

#include <math.h>
#include <string.h>

const char *const wp_explain_topic_names[WP_EXPLAIN_TOPIC_COUNT] = {
    [WP_EXPLAIN_SUMMARY] = "summary",
    [WP_EXPLAIN_OPS] = "ops",
    [WP_EXPLAIN_MATRIX] = "matrix",
    [WP_EXPLAIN_GLSL] = "glsl",
    [WP_EXPLAIN_CUDA] = "cuda",
    [WP_EXPLAIN_DIAGRAM] = "diagram",
    [WP_EXPLAIN_FOOTPRINT] = "footprint",
    [WP_EXPLAIN_FILTERS] = "filters",
    [WP_EXPLAIN_FACTORING] = "factoring",
    [WP_EXPLAIN_STEPS] = "steps",
    [WP_EXPLAIN_BANDS] = "bands",
    [WP_EXPLAIN_BORDER] = "border",
    [WP_EXPLAIN_SHIFT] = "shift",
    [WP_EXPLAIN_TILES] = "tiles",
    [WP_EXPLAIN_PASSES] = "passes",
    [WP_EXPLAIN_PIXEL] = "pixel",
    [WP_EXPLAIN_REPORT] = "report",
    [WP_EXPLAIN_ALL] = "all",
};

const char *const wp_explain_format_names[WP_EXPLAIN_FORMAT_COUNT] = {
    [WP_EXPLAIN_TXT] = "txt",
    [WP_EXPLAIN_CSV] = "csv",
    [WP_EXPLAIN_MD] = "md",
    [WP_EXPLAIN_SVG] = "svg",
    [WP_EXPLAIN_TEX] = "tex",
    [WP_EXPLAIN_JSON] = "json",
    [WP_EXPLAIN_HTML] = "html",
};

enum { TXT = 1 << WP_EXPLAIN_TXT, CSV = 1 << WP_EXPLAIN_CSV, MD = 1 << WP_EXPLAIN_MD,
       SVG = 1 << WP_EXPLAIN_SVG, TEX = 1 << WP_EXPLAIN_TEX, JSON = 1 << WP_EXPLAIN_JSON,
       HTML = 1 << WP_EXPLAIN_HTML };

// The formats of each topic; none for topics that write files, whose formats follow from their
// names.
static const int formats[WP_EXPLAIN_TOPIC_COUNT] = {
    [WP_EXPLAIN_SUMMARY] = TXT,
    [WP_EXPLAIN_OPS] = TXT | CSV | MD | TEX | JSON,
    [WP_EXPLAIN_MATRIX] = TXT | MD | TEX | JSON,
    [WP_EXPLAIN_GLSL] = TXT,
    [WP_EXPLAIN_CUDA] = TXT,
    [WP_EXPLAIN_DIAGRAM] = TXT | SVG,
    [WP_EXPLAIN_FOOTPRINT] = TXT | CSV | SVG,
    [WP_EXPLAIN_FILTERS] = TXT | CSV | SVG,
    [WP_EXPLAIN_FACTORING] = TXT | MD | TEX | JSON,
    [WP_EXPLAIN_STEPS] = TXT,
    [WP_EXPLAIN_BANDS] = TXT | CSV | MD,
    [WP_EXPLAIN_BORDER] = TXT | SVG,
    [WP_EXPLAIN_SHIFT] = TXT | CSV | SVG,
    [WP_EXPLAIN_TILES] = TXT | CSV | MD | JSON,
    [WP_EXPLAIN_PASSES] = 0,
    [WP_EXPLAIN_PIXEL] = TXT | JSON,
    [WP_EXPLAIN_REPORT] = HTML,
    [WP_EXPLAIN_ALL] = 0,
};

// "odd[n] += -0.5 even[n] - 0.5 even[n+1]"
static void add_step(struct wp_text *out, const char *destination, const char *source,
                     const struct wp_filter *filter)
{
    if (filter->count == 0)
        return;
    wp_text_add(out, "  %s[n] += ", destination);
    struct wp_text sum = {0};
    for (int t = 0; t < filter->count; t++) {
        const struct wp_tap *tap = &filter->tap[t];
        const char *sign = tap->c < 0 ? (t ? " - " : "-") : (t ? " + " : "");
        char number[WP_NUMBER_SIZE];
        wp_text_add(&sum, "%s%s %s[n", sign, wp_format_number(number, fabs(tap->c), 10), source);
        wp_text_add(&sum, tap->k ? "%+d]" : "]", tap->k);
    }
    wp_explain_wrap_sum(out, 6, wp_text_get(&sum));
    wp_text_free(&sum);
    wp_text_add(out, "\n");
}

void wp_explain_lifting(const struct wp_wavelet *wavelet, struct wp_text *out)
{
    wp_text_add(out, "%s: %s\n", wavelet->name, wavelet->title);
    for (int s = 0; s < 2 * wavelet->pairs; s++)
        add_step(out, s % 2 ? "even" : "odd", s % 2 ? "odd" : "even", wp_wavelet_step(wavelet, s));
    char number[WP_NUMBER_SIZE];
    wp_text_add(out, "  zeta = %s%s\n", wp_format_number(number, wavelet->zeta, 10),
                wavelet->symmetry == WP_SYMMETRY_NONE ? "; not symmetric: requires periodic borders"
                                                      : "");
}

static void add_passes(const struct wp_scheme *scheme, struct wp_text *out)
{
    const bool volume = scheme->dims == 3;
    wp_explain_paragraph(out, 0, "Passes in the order of execution, with a barrier (|) between "
                                 "them. The factors of a pass apply from right to left:");
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        wp_text_add(out, "%s  %d  ", p ? "  |\n" : "", p + 1);
        wp_explain_wrap(out, 5, pass->label);
        const int operations = wp_pass_operations(pass), fetches = pass->reach.fetches;
        wp_text_add(out, "\n     %d operation%s, %d fetch%s\n", operations,
                    WP_PLURAL(operations), fetches, WP_PLURAL_ES(fetches));
    }
    wp_explain_paragraph(out, 0,
                         "T is a predict step, S an update step; H is along rows, V along "
                         "columns%s; (k) is the number of the lifting pair.",
                         volume ? ", D across slices" : "");
    if (scheme->direction == WP_INVERSE)
        wp_text_add(out, "In the inverse, T inverts an update step and S a predict step.\n");
    if (scheme->form != WP_FORM_PLAIN)
        wp_explain_paragraph(out, 0,
                             "P0 is the constant term of P, and P1 is the rest. P0 stays inside %s "
                             "and needs no barrier. The same applies to U0 and U1.",
                             volume ? "an octet" : "a quad");
}

// Adds the paragraph on rounding: what each step adds before it rounds down, and the order of axes.
static void add_rounding(const struct wp_scheme *scheme, struct wp_text *out)
{
    const struct wp_lifting *lifting = &scheme->lifting;
    const bool y_first = wp_lifting_y_first(lifting);
    char number[WP_NUMBER_SIZE];
    struct wp_text rounds = {0};
    for (int s = 0; s < lifting->steps; s++)
        if (lifting->step[s].filter.count)
            wp_text_add(&rounds, "%s %s in %c(%d)", s ? "," : "",
                        wp_format_number(number, lifting->step[s].round, 9), s % 2 ? 'S' : 'T',
                        s / 2 + 1);
    wp_explain_paragraph(out, 0,
                         "Reversible (integer lifting): every step maps integers to integers. It "
                         "rounds down after it has added%s.", wp_text_get(&rounds));
    wp_text_free(&rounds);
    wp_explain_paragraph(out, 0,
                         "All steps along %s are before those along %s, as in JPEG 2000, because "
                         "steps that round do not commute.", y_first ? "V" : "H",
                         y_first ? "H" : "V");
}

static void summarise_scheme(const struct wp_explain_params *params, struct wp_text *out)
{
    struct wp_scheme *scheme = wp_explain_scheme(params, params->kind, params->form);
    wp_text_add(out, "%s, %s\n\n%s: ", scheme->name, wp_direction_names[params->direction],
                params->kind->name);
    wp_explain_wrap(out, 2, wp_scheme_kind_summary(params->kind, scheme->dims));
    wp_text_add(out, ".\n");
    if (scheme->note)
        wp_text_add(out, "Note: %s.\n", scheme->note);
    wp_explain_lifting(params->wavelet, out);
    wp_text_add(out, "\n");
    add_passes(scheme, out);
    const char *inverse = params->direction == WP_INVERSE ? " --inverse" : "";
    if (scheme->lifting.reversible) {
        add_rounding(scheme, out);
        wp_text_add(out, "\nNext:\n  wavepass explain %s --reversible --show glsl%s\n",
                    params->wavelet->name, inverse);
        wp_scheme_destroy(&scheme);
        return;
    }
    wp_text_add(out, "\n");
    wp_explain_ops(params, out);
    const char *volume = wp_explain_vocabulary(scheme->dims)->option;
    const char *volume_option = scheme->kind->fusion == WP_FUSE_PLANE ? "" : volume; // else implied
    const char *wavelet = params->wavelet->name, *kind = scheme->kind->name;
    const char *form = scheme->form == WP_FORM_PLAIN ? "/plain" : "";
    wp_text_add(out,
                "\nNext:\n"
                "  wavepass explain %s/%s%s --show matrix%s%s\n"
                "  wavepass explain %s/%s%s --show %s%s%s\n"
                "  wavepass explain %s --show ops%s    all schemes side by side\n",
                wavelet, kind, form, inverse, volume_option, wavelet, kind, form,
                scheme->dims == 3 ? "diagram" : "glsl", inverse, volume_option, wavelet, volume);
    wp_scheme_destroy(&scheme);
}

// The scheme that examples suggest if none was named.
static const struct wp_scheme_kind *another_kind(int dims)
{
    return &wp_scheme_kinds[dims == 2 ? WP_SCHEME_NONSEP_LIFTING : WP_SCHEME_PLANAR_LIFTING];
}

static void summarise_wavelet(const struct wp_explain_params *params, struct wp_text *out)
{
    wp_explain_lifting(params->wavelet, out);
    if (params->wavelet->source[0]) {
        wp_text_add(out, "  source: ");
        wp_explain_wrap(out, 4, params->wavelet->source);
        wp_text_add(out, "\n");
    }
    const int dims = wp_explain_dims(params);
    wp_text_add(out, dims == 2 ? "\nThe same transform in six schemes:\n"
                               : "\nThe same transform of volumes in nine schemes:\n");
    const struct wp_scheme_kind *kind;
    for (int k = 0; (kind = wp_scheme_kind_at(dims, k)); k++) {
        wp_text_add(out, "  %-9s ", kind->alias);
        wp_explain_wrap(out, 12, wp_scheme_kind_summary(kind, dims));
        wp_text_add(out, "\n");
    }
    wp_text_add(out, "\n");
    wp_explain_ops(params, out);
    wp_text_add(out, "\nNext:\n  wavepass explain %s/%s%s\n", params->wavelet->name,
                another_kind(dims)->name, wp_explain_vocabulary(dims)->option);
    if (dims == 3)
        wp_text_add(out, "  wavepass explain --show bands --decomposition spatial-temporal"
                         "    t+2D\n");
}

static bool is_code(enum wp_explain_topic topic)
{
    return topic == WP_EXPLAIN_GLSL || topic == WP_EXPLAIN_CUDA;
}

static void list_shaders(const struct wp_scheme *scheme, struct wp_text *out)
{
    for (int p = 0; p < scheme->pass_count; p++) {
        if (p)
            wp_text_add(out, "\n// ---------------- barrier ----------------\n\n");
        wp_emit_fragment_pass(scheme, p, out);
    }
}

static void show_kernel(const struct wp_scheme *scheme, struct wp_text *out)
{
    const struct wp_tile tile = wp_tile_of_block(scheme);
    wp_text_add(out, "// Kernel of -b cuda --variant block-%s: %d threads are side by side, and\n"
                "// each computes a column of %d quads (2x2 samples).\n", scheme->kind->name,
                tile.lanes, tile.rows);
    wp_emit_tile(scheme, &tile, &(struct wp_emit_target){.dialect = &wp_cuda_c}, out);
}

// Names the default scheme if none was named. SVG, Markdown and LaTeX have it in their title.
static void add_default_note(const struct wp_explain_params *params, struct wp_text *out)
{
    if (!params->kind && params->format == WP_EXPLAIN_TXT)
        wp_text_add(out, "%sthe default scheme; select another one with %s/%s\n\n",
                    is_code(params->topic) ? "// " : "", params->wavelet->name,
                    another_kind(wp_explain_dims(params))->name);
}

static void show_matrix(const struct wp_explain_params *params, const struct wp_scheme *scheme,
                        struct wp_text *out)
{
    if (params->format != WP_EXPLAIN_TXT) {
        wp_explain_matrix_tex(scheme, params->numbers, params->format, out);
        return;
    }
    wp_text_add(out, "%s, %s\n\n", scheme->name, wp_direction_names[params->direction]);
    wp_explain_matrix(scheme, params->numbers, out);
}

// Topics of one scheme, the default one if none was named.
static void explain_scheme(const struct wp_explain_params *params, struct wp_text *out)
{
    const enum wp_form form = params->topic == WP_EXPLAIN_CUDA ? WP_FORM_BLOCK : params->form;
    struct wp_scheme *scheme = wp_explain_scheme(params, wp_explain_kind(params), form);
    add_default_note(params, out);
    switch (params->topic) {
    case WP_EXPLAIN_GLSL: list_shaders(scheme, out); break;
    case WP_EXPLAIN_CUDA: show_kernel(scheme, out); break;
    case WP_EXPLAIN_DIAGRAM:
        wp_explain_diagram(scheme, params, out);
        break;
    case WP_EXPLAIN_FOOTPRINT: wp_explain_footprint(scheme, params->format, out); break;
    default: show_matrix(params, scheme, out); break;
    }
    wp_scheme_destroy(&scheme);
}

bool wp_explain_has(enum wp_explain_topic topic, enum wp_explain_format format)
{
    return formats[topic] >> format & 1;
}

// The reason why a topic does not support volumes; NULL if it does.
static const char *const image_only_reasons[WP_EXPLAIN_TOPIC_COUNT] = {
    [WP_EXPLAIN_GLSL] = "a pass over octets needs more than one shader",
    [WP_EXPLAIN_CUDA] = "kernels process blocks of pixels",
    [WP_EXPLAIN_FILTERS] = "volumes use the same filters along each axis",
    [WP_EXPLAIN_FACTORING] = "volumes use the same steps along each axis",
    [WP_EXPLAIN_STEPS] = "volumes use the same steps along each axis",
    [WP_EXPLAIN_BORDER] = "volumes have the same sums along each axis",
    [WP_EXPLAIN_SHIFT] = "volumes have the same details along each axis",
    [WP_EXPLAIN_TILES] = "tiles are blocks of pixels",
};

bool wp_explain_is_image_only(enum wp_explain_topic topic)
{
    return image_only_reasons[topic];
}

// The largest number of terms in a pass for which a topic is useful.
static double max_terms(enum wp_explain_topic topic)
{
    const bool is_drawn = topic == WP_EXPLAIN_DIAGRAM || topic == WP_EXPLAIN_FOOTPRINT ||
                          topic == WP_EXPLAIN_TILES;
    return is_drawn ? WP_EXPLAIN_DRAWN_MAX : WP_SCHEME_TERMS_MAX;
}

static bool check_terms(const struct wp_explain_params *params)
{
    const bool is_one = params->kind || params->topic == WP_EXPLAIN_DIAGRAM ||
                        params->topic == WP_EXPLAIN_FOOTPRINT;
    if (!params->wavelet || !is_one)
        return true;
    const struct wp_scheme_kind *kind = wp_explain_kind(params);
    const double terms = wp_explain_terms(params, kind), limit = max_terms(params->topic);
    return terms <= limit ||
           wp_fail(WP_ERROR_TOO_LARGE,
                   "%s/%s has %.0f terms in a pass (%.0f at most for --show %s)\nhint: lifting "
                   "schemes have fewer", params->wavelet->name, kind->name, terms, limit,
                   wp_explain_topic_names[params->topic]);
}

bool wp_explain_check(const struct wp_explain_params *params)
{
    if (params->bank == WP_BANK_DECIMATED && !check_terms(params))
        return false;
    const char *const reason = image_only_reasons[params->topic];
    if (wp_explain_dims(params) == 3 && reason)
        return wp_fail(WP_ERROR_USAGE, "--show %s supports only images (%s)\nhint: omit "
                       "--volume, and use no planar scheme", wp_explain_topic_names[params->topic],
                       reason);
    if (wp_explain_has(params->topic, params->format))
        return true;
    struct wp_text supported = {0};
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT; f++)
        if (wp_explain_has(params->topic, (enum wp_explain_format)f))
            wp_text_add(&supported, "%s--format %s", supported.length ? ", " : "",
                        wp_explain_format_names[f]);
    wp_fail(WP_ERROR_USAGE, "--show %s does not support --format %s\nhint: it supports %s",
            wp_explain_topic_names[params->topic], wp_explain_format_names[params->format],
            wp_text_get(&supported));
    wp_text_free(&supported);
    return false;
}

bool wp_explain(const struct wp_explain_params *params, struct wp_text *out)
{
    if (!wp_explain_check(params))
        return false;
    if (params->form == WP_FORM_BLOCK && params->topic == WP_EXPLAIN_GLSL)
        return wp_fail(WP_ERROR_USAGE,
                       "the block form has no fragment shaders (it changes quads before their "
                       "neighbors read them)\nhint: omit '/%s', or use --show matrix",
                       wp_form_names[WP_FORM_BLOCK]);
    if (params->form == WP_FORM_PLAIN && params->topic == WP_EXPLAIN_CUDA)
        return wp_fail(WP_ERROR_USAGE,
                       "CUDA kernels use the block form\nhint: omit '/%s'",
                       wp_form_names[WP_FORM_PLAIN]);
    if (params->bank == WP_BANK_PACKETS)
        return wp_explain_packets(params, out);
    if (params->bank != WP_BANK_DECIMATED)
        return wp_explain_bank(params, out);
    switch (params->topic) {
    case WP_EXPLAIN_SUMMARY:
        (params->kind ? summarise_scheme : summarise_wavelet)(params, out);
        break;
    case WP_EXPLAIN_OPS: wp_explain_ops(params, out); break;
    case WP_EXPLAIN_FILTERS: wp_explain_filters(params->wavelet, params->format, out); break;
    case WP_EXPLAIN_FACTORING: 
        return wp_explain_factoring(params->wavelet, params->format, out);
    case WP_EXPLAIN_STEPS: wp_wavelet_write(params->wavelet, out); break;
    case WP_EXPLAIN_BANDS: wp_explain_bands(params, out); break;
    default: explain_scheme(params, out); break;
    }
    return true;
}
