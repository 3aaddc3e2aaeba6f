#include "report_internal.h"

#include "explain_symbols.h"
#include "log.h"
#include "results.h"
#include "svg.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// page.css and page.js, each with a terminating zero.
extern const unsigned char wp_page_style[], wp_page_script[];

void wp_html_page(struct wp_text *out, const char *title, const char *contents,
                  const struct wp_text *body)
{
    wp_text_add(out, "<!DOCTYPE html>\n"
                     "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    wp_html_element(out, "title", title);
    wp_text_add(out, "<style>\n%s</style>\n</head>\n<body>\n<div class=\"page\">\n",
                (const char *)wp_page_style);
    wp_html_element(out, "h1", title);
    wp_text_add(out, "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n%s</ol>\n"
                     "<p class=\"muted\">Only open sections are printed.</p>\n"
                     "<button type=\"button\" class=\"open-all\" hidden=\"hidden\">Open all"
                     "</button>\n</nav>\n<main>\n%s</main>\n</div>\n"
                     "<script>\n%s</script>\n</body>\n</html>\n",
                contents, wp_text_get(body), (const char *)wp_page_script);
}

void wp_html_begin_wide(struct wp_text *out, const char *name)
{
    wp_text_add(out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    wp_svg_escape(out, name);
    wp_text_add(out, "\">\n");
}

void wp_html_heading_cell(struct wp_text *out, const char *name)
{
    const char *const word = strstr(name, "polyconvolution");
    wp_text_add(out, "<th scope=\"col\">%.*s%s%s</th>", word ? (int)(word - name) : -1, name,
                word ? "poly<wbr/>" : "", word ? word + strlen("poly") : "");
}

void wp_html_element(struct wp_text *out, const char *element, const char *text)
{
    wp_text_add(out, "<%s>", element);
    wp_svg_escape(out, text);
    wp_text_add(out, "</%s>\n", element);
}

static void add_base64(struct wp_text *out, const unsigned char *bytes, size_t size)
{
    static const char base64_digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
        wp_text_add(out, "%c%c%c%c", base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                    i + 1 < size ? base64_digits[bits >> 6 & 63] : '=',
                    i + 2 < size ? base64_digits[bits & 63] : '=');
    }
}

bool wp_html_picture(struct wp_text *out, const struct wp_image *image, const char *alt,
                     const char *caption)
{
    size_t size;
    unsigned char *png = wp_image_encode_png(image, &size);
    if (!png)
        return false;
    wp_text_add(out, "<figure><img src=\"data:image/png;base64,");
    add_base64(out, png, size);
    wp_text_add(out, "\" alt=\"");
    wp_svg_escape(out, alt);
    wp_text_add(out, "\"/>");
    wp_html_element(out, "figcaption", caption);
    wp_text_add(out, "</figure>\n");
    free(png);
    return true;
}

void wp_html_svg(struct wp_text *out, const char *svg, int number)
{
    static const char prefix[] = "head-";
    svg = strstr(svg, "<svg");
    while (*svg) {
        const char *id = strstr(svg, prefix);
        const size_t length = id ? (size_t)(id - svg) : strlen(svg);
        wp_text_add(out, "%.*s", (int)length, svg);
        svg += length;
        if (*svg) {
            wp_text_add(out, "p%d-%s", number, prefix);
            svg += strlen(prefix);
        }
    }
}

void wp_html_label(struct wp_text *out, const char *label)
{
    while (*label) {
        if (*label == '^' || *label == '_') {
            const char *element = *label == '^' ? "sup" : "sub";
            const size_t length = 1 + strcspn(label + 1, "_ ");
            wp_text_add(out, "<%s>%.*s</%s>", element, (int)length - 1, label + 1, element);
            label += length;
        } else {
            wp_text_add(out, "%c", *label++);
        }
    }
}

// Adds a polynomial such as "-0.5 - 0.5 z_m^-1" with superscripts and subscripts.
static void html_poly(struct wp_text *out, const struct wp_poly *poly)
{
    struct wp_text text = {0};
    wp_explain_poly(&text, poly);
    for (const char *at = wp_text_get(&text); *at; at++) {
        if (*at == 'z') {
            wp_text_add(out, "z<sub>%c</sub>", *++at);
        } else if (*at == '^') {
            const size_t length = 1 + strspn(at + 1, "-0123456789");
            char power[16];
            snprintf(power, sizeof power, "%.*s", (int)length - 1, at + 1);
            wp_text_add(out, "<sup>");
            wp_text_add_signed(out, power);
            wp_text_add(out, "</sup>");
            at += length - 1;
        } else {
            wp_text_add_signed(out, (const char[]){*at, '\0'});
        }
    }
    wp_text_free(&text);
}

// ---- notation ----

static const char *const image_words =
    "An operation is a multiply-add. Matrices, diagrams and calculations use the components of a "
    "quad: ee (even x, even y; becomes LL), oe (odd x, even y; HL), eo (even x, odd y; LH) and oo "
    "(odd x, odd y; HH).";
static const char *const volume_words =
    "An operation is a multiply-add. Matrices, diagrams and calculations use the components of an "
    "octet, with a letter for each of x, y and z: eee (all even; becomes LLL), oee (odd x; HLL), "
    "eoe (odd y; LHL) and ooe (odd x and y; HHL) of its even slice; eeo (LLH), oeo (HLH), eoo "
    "(LHH) and ooo (HHH) of its odd slice.";

static void add_labels(const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<p>In the labels of passes T %s; H is along rows, V along columns%s. "
                     "P<sub>0</sub> and U<sub>0</sub> are the constant terms of P and U, which "
                     "need no barrier; P<sub>1</sub> and U<sub>1</sub> are the other terms. (k) is "
                     "the number of the lifting pair. The factors of a pass apply from right to "
                     "left.</p>\n",
                params->direction == WP_INVERSE ? "inverts an update step and S a predict step"
                                                : "is a predict step and S an update step",
                wp_explain_dims(params) == 3 ? ", D across slices" : "");
}

static bool reads_neighbors(const struct wp_filter *filter)
{
    for (int t = 0; t < filter->count; t++)
        if (filter->tap[t].k)
            return true;
    return false;
}

// Adds the first predict step in powers of z with this page's sign, or that of textbooks.
static void add_predict(const struct wp_wavelet *wavelet, bool textbook, struct wp_text *out)
{
    struct wp_poly poly =
        wp_explain_filter(&wavelet->pair[0].predict, textbook ? -1 : 1, false);
    html_poly(out, &poly);
    wp_poly_free(&poly);
}

static void add_convention(const struct wp_explain_params *params, struct wp_text *out)
{
    const int dims = wp_explain_dims(params);
    const char *group = wp_explain_vocabulary(dims)->group;
    wp_text_add(out, "<p><strong>Powers of z.</strong> z<sub>m</sub><sup>\u2212k</sup> reads the "
                     "%s k to the right, z<sub>n</sub><sup>\u2212k</sup> the %s k below%s: "
                     "z<sup>\u2212k</sup> stands for x[n+k], as in Barina et al. 2017. Textbooks "
                     "use the opposite sign: their X(z) = \u03a3 x[n] z<sup>\u2212n</sup> makes "
                     "z<sup>\u2212k</sup> a delay, x[n\u2212k], and x[n+k] is z<sup>k</sup>. For "
                     "the textbook form replace z by z<sup>\u22121</sup>.",
                group, group,
                dims == 3 ? ", z<sub>o</sub><sup>\u2212k</sup> the octet k behind" : "");
    if (reads_neighbors(&params->wavelet->pair[0].predict)) {
        wp_text_add(out, " The first predict step of ");
        wp_svg_escape(out, params->wavelet->name);
        wp_text_add(out, " is ");
        add_predict(params->wavelet, false, out);
        wp_text_add(out, " here and ");
        add_predict(params->wavelet, true, out);
        wp_text_add(out, " in textbooks.");
    }
    wp_text_add(out, "</p>\n");
}

void wp_report_notation(const struct wp_explain_params *params, bool convention,
                        struct wp_text *out)
{
    wp_html_element(out, "p", wp_explain_dims(params) == 3 ? volume_words : image_words);
    add_labels(params, out);
    if (convention)
        add_convention(params, out);
}

// ---- a pass in symbols ----

static void add_meaning(const struct wp_symbols *symbols, struct wp_text *out)
{
    wp_text_add(out, "<p>");
    for (int s = 0; s < symbols->count; s++) {
        const struct wp_symbol *symbol = &symbols->symbol[s];
        wp_symbols_mark_up(out, symbol->name, &wp_markup_html);
        wp_text_add(out, " = ");
        if (symbol->expression.length)
            wp_symbols_mark_up(out, wp_text_get(&symbol->expression), &wp_markup_html);
        else
            html_poly(out, &symbol->filter);
        wp_text_add(out, "<br/>\n");
    }
    if (wp_symbols_starred(symbols, 1))
        wp_text_add(out, "A star marks the same polynomial in z<sub>n</sub>.");
    if (wp_symbols_starred(symbols, 2))
        wp_text_add(out, "%sTwo stars mark the same polynomial in z<sub>o</sub>.",
                    wp_symbols_starred(symbols, 1) ? " " : "");
    wp_text_add(out, "</p>\n");
}

// In 8x8 matrices the fifth row and column begin the odd slice.
static const char *rule_before(int row, int column)
{
    static const char *const rules[2][2] = {
        {"", " class=\"odd-column\""},
        {" class=\"odd-row\"", " class=\"odd-column odd-row\""},
    };
    return rules[row == WP_COMPONENTS][column == WP_COMPONENTS];
}

static void add_matrix(const struct wp_scheme *scheme, const struct wp_pass *pass, bool hide,
                       struct wp_text *out)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    wp_text_add(out, "<table class=\"matrix\">\n<tr><th></th>");
    for (int j = 0; j < symbols.components; j++)
        wp_text_add(out, "<th%s scope=\"col\">%s</th>", rule_before(0, j),
                    wp_explain_component(j, scheme->dims));
    wp_text_add(out, "</tr>\n");
    for (int i = 0; i < symbols.components; i++) {
        wp_text_add(out, "<tr><th%s scope=\"row\">%s</th>", rule_before(i, 0),
                    wp_explain_component(i, scheme->dims));
        for (int j = 0; j < symbols.components; j++) {
            wp_text_add(out, "<td%s>", rule_before(i, j));
            if (!hide)
                wp_symbols_mark_up(out, wp_text_get(&symbols.cell[i][j]), &wp_markup_html);
            wp_text_add(out, "</td>");
        }
        wp_text_add(out, "</tr>\n");
    }
    wp_text_add(out, "</table>\n");
    add_meaning(&symbols, out);
    wp_symbols_free(&symbols);
}

static void add_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                          int count, const char *when, struct wp_text *out)
{
    if (count == 0)
        return;
    wp_text_add(out, "<p>%s, inside the %s:", when, wp_explain_vocabulary(scheme->dims)->group);
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        struct wp_text name = {0};
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        wp_explain_constant_name(&name, &constants[i]);
        wp_text_add(out, "<br/>\n");
        wp_html_label(out, wp_text_get(&name));
        wp_text_free(&name);
        for (int s = 0; s < statements; s++) {
            char number[WP_NUMBER_SIZE];
            wp_text_add(out, "%s %s += ", s ? "," : ":",
                        wp_explain_component(statement[s].destination, scheme->dims));
            wp_text_add_signed(out, wp_format_number(number, statement[s].c, 6));
            wp_text_add(out, " %s", wp_explain_component(statement[s].source, scheme->dims));
        }
    }
    wp_text_add(out, "</p>\n");
}

void wp_report_algebra(const struct wp_scheme *scheme, const struct wp_pass *pass, bool blanks,
                       struct wp_text *out)
{
    add_constants(scheme, pass->before, pass->before_count, "Before the matrix", out);
    if (wp_matrix_is_identity(&pass->core))
        wp_html_element(out, "p", "The matrix is the identity.");
    else
        add_matrix(scheme, pass, blanks, out);
    add_constants(scheme, pass->after, pass->after_count, "After the matrix", out);
}

// ---- links to the web page ----

bool wp_report_link_check(const char *page)
{
    if (strchr(page, '#') || page[strcspn(page, "\r\n\t ")] != '\0')
        return wp_fail(WP_ERROR_USAGE, "'%s' is not a valid address for links"
                                       "\nhint: use one without blanks and '#', such as index.html "
                                       "or https://example.org/wavepass/", page);
    return true;
}

// Whether the web page, which has the built-in wavelets, finds this wavelet by name.
static bool has_wavelet(const struct wp_wavelet *wavelet)
{
    struct wp_wavelet builtin;
    char *file = wp_wavelet_path(wavelet->name);
    const bool built_in = !file;
    free(file);
    return built_in && wp_wavelet_is_known(wavelet->name) &&
           wp_wavelet_find(wavelet->name, &builtin) && wp_wavelet_same_steps(&builtin, wavelet);
}

// The name in "pattern:text:64x64" and its length; NULL for other images.
static const char *pattern_of(const char *image, int *length)
{
    static const char prefix[] = "pattern:";
    if (!image || strncmp(image, prefix, strlen(prefix)) != 0)
        return NULL;
    const char *name = image + strlen(prefix);
    *length = (int)strcspn(name, ":");
    return name;
}

static void add_link(const char *address, const char *words, struct wp_text *out)
{
    wp_text_add(out, "<p class=\"link\"><a href=\"");
    wp_svg_escape(out, address);
    wp_text_add(out, "\">%s</a>", words);
}

static void add_address(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                        int pass, struct wp_text *out)
{
    const struct wp_report_input *input = &params->input;
    int length;
    const char *pattern = pattern_of(input->image, &length);
    wp_text_add(out, "%s#", params->page);
    if (has_wavelet(params->explain.wavelet))
        wp_text_add(out, "w=%s&", params->explain.wavelet->name);
    wp_text_add(out, "s=%s&l=%d", kind->name, input->levels > 0 ? input->levels : 1);
    if (pattern)
        wp_text_add(out, "&i=%.*s", length, pattern);
    if (input->border)
        wp_text_add(out, "&b=%s", input->border);
    if (params->explain.direction == WP_INVERSE)
        wp_text_add(out, "&d=inverse");
    if (pass)
        wp_text_add(out, "&p=%d", pass);
}

void wp_report_link(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                    int pass, struct wp_text *out)
{
    struct wp_text address = {0};
    int length;
    if (!params->page || wp_explain_dims(&params->explain) == 3)
        return;
    add_address(params, kind, pass, &address);
    add_link(wp_text_get(&address),
             pass ? "Run this pass in a browser" : "Run this scheme in a browser", out);
    if (!pass && !has_wavelet(params->explain.wavelet))
        wp_text_add(out, ", with another wavelet (to use this one, drop its wavelet file on that "
                         "page)");
    if (!pass && params->input.image && !pattern_of(params->input.image, &length))
        wp_text_add(out, ", on a test pattern (to use this image, drop it on that page)");
    wp_text_add(out, "</p>\n");
    wp_text_free(&address);
}

void wp_report_link_questions(const struct wp_report_params *params, int seed,
                              struct wp_text *out)
{
    struct wp_text address = {0};
    if (!params->page || !has_wavelet(params->explain.wavelet))
        return;
    wp_text_add(&address, "%s#w=%s&q=%d", params->page, params->explain.wavelet->name, seed);
    add_link(wp_text_get(&address), "Answer and check these questions in a browser", out);
    wp_text_add(out, "</p>\n");
    wp_text_free(&address);
}

// ---- results of wavepass bench ----

// Whether a row is of a transform with the wavelet, direction and form of the page.
static bool matches(const struct wp_row *row, const struct wp_explain_params *params)
{
    const char *direction = wp_direction_names[params->direction];
    return row->kind == WP_ROW_TRANSFORM && strcmp(row->wavelet, params->wavelet->name) == 0 &&
           strcmp(row->direction, direction) == 0 && !row->includes[0] &&
           (!row->form[0] || strcmp(row->form, wp_form_names[params->form]) == 0) &&
           isfinite(row->median_ns);
}

// The keys in which groups of rows differ.
#define KEY_BIT(member, NAME, word, help) WP_KEY_BIT(WP_KEY_##NAME) |
#define CONDITIONS (WP_FIELDS_DYADIC(KEY_BIT) WP_KEY_BIT(WP_KEY_PLANES))
#define GROUP (CONDITIONS | WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_VARIANT))

// Whether two rows differ only in size and scheme.
static bool is_same_group(const struct wp_row *a, const struct wp_row *b)
{
    return strcmp(a->device, b->device) == 0 && wp_row_keys_equal(a, b, GROUP);
}

// Whether two rows differ only in their scheme.
static bool is_same_line(const struct wp_row *a, const struct wp_row *b)
{
    return is_same_group(a, b) && a->width == b->width && a->height == b->height &&
           a->levels == b->levels;
}

static void add_time(const struct wp_row *row, int columns, struct wp_text *out)
{
    wp_text_add(out, columns > 1 ? "<td colspan=\"%d\">" : "<td>", columns);
    if (row) {
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, "%s%s", wp_format_number(number, 1e-6 * row->median_ns, 4),
                    row->verified == 1 ? "" : "?");
    }
    wp_text_add(out, "</td>");
}

static const struct wp_row *find_row(const struct wp_results *results, int first,
                                     const char *scheme, const struct wp_explain_params *params)
{
    for (int i = first; i < results->row_count; i++)
        if (matches(&results->row[i], params) &&
            is_same_line(&results->row[i], &results->row[first]) &&
            strcmp(results->row[i].scheme, scheme) == 0)
            return &results->row[i];
    return NULL;
}

static void add_line(const struct wp_results *results, int first,
                     const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_row *row = &results->row[first];
    wp_text_add(out, "<tr><th scope=\"row\">%dx%d</th><td>%d</td>", row->width, row->height,
                row->levels);
    // Rows have no scheme if it makes no difference.
    if (row->scheme[0] == '\0')
        add_time(row, WP_SCHEME_KINDS, out);
    for (int k = 0; k < WP_SCHEME_KINDS && row->scheme[0]; k++)
        add_time(find_row(results, first, wp_scheme_kinds[k].name, params), 1, out);
    wp_text_add(out, "</tr>\n");
}

static void add_word(const char *separator, const char *word, struct wp_text *out)
{
    if (*word) {
        wp_text_add(out, "%s", separator);
        wp_svg_escape(out, word);
    }
}

// Adds the conditions that differ between groups: ", periodic, 3 planes".
static void add_conditions(const struct wp_results *results, const struct wp_row *row,
                           const struct wp_explain_params *params, struct wp_text *out)
{
    for (int k = 0; k < WP_KEY_COUNT; k++) {
        bool differs = false;
        for (int i = 0; i < results->row_count && CONDITIONS & WP_KEY_BIT(k); i++)
            differs = differs || (matches(&results->row[i], params) &&
                                  !wp_row_keys_equal(&results->row[i], row, WP_KEY_BIT(k)));
        struct wp_text words = {0};
        if (differs)
            wp_row_describe(row, WP_KEY_BIT(k), &words);
        add_word(", ", wp_text_get(&words), out);
        wp_text_free(&words);
    }
}

// Adds a heading across all columns: "fragment passes, NVIDIA H200/PCIe/SSE2".
static void add_heading(const struct wp_results *results, const struct wp_row *row,
                        const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<tr><th scope=\"rowgroup\" colspan=\"%d\">", 2 + WP_SCHEME_KINDS);
    wp_svg_escape(out, row->backend);
    add_word(" ", row->variant, out);
    add_word(", ", row->device, out);
    wp_text_add(out, "%s", row->software == 1 ? " (SOFTWARE)" : "");
    add_conditions(results, row, params, out);
    wp_text_add(out, "</th></tr>\n");
}

static bool is_first(const struct wp_results *results, int index,
                     const struct wp_explain_params *params,
                     bool (*is_same)(const struct wp_row *a, const struct wp_row *b))
{
    const struct wp_row *row = &results->row[index];
    if (!matches(row, params))
        return false;
    for (int i = 0; i < index; i++)
        if (matches(&results->row[i], params) && is_same(&results->row[i], row))
            return false;
    return true;
}

// Adds the lines of the group that begins with row `first`.
static void add_group(const struct wp_results *results, int first,
                      const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<tbody>\n");
    add_heading(results, &results->row[first], params, out);
    for (int i = first; i < results->row_count; i++)
        if (is_same_group(&results->row[first], &results->row[i]) &&
            is_first(results, i, params, is_same_line))
            add_line(results, i, params, out);
    wp_text_add(out, "</tbody>\n");
}

static void add_table(const struct wp_results *results, const struct wp_explain_params *params,
                      struct wp_text *out)
{
    struct wp_text groups = {0};
    for (int i = 0; i < results->row_count; i++)
        if (is_first(results, i, params, is_same_group))
            add_group(results, i, params, &groups);
    if (groups.length == 0) {
        wp_html_element(out, "p", "The results have no row for this wavelet.");
        return;
    }
    wp_html_element(out, "p", "Median time of the transform in milliseconds.");
    wp_html_begin_wide(out, "Measured times");
    wp_text_add(out, "<table class=\"times\">\n<thead><tr><th scope=\"col\">size</th>"
                     "<th scope=\"col\">levels</th>");
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        wp_text_add(out, "<th scope=\"col\">%s</th>", wp_scheme_kinds[k].alias);
    wp_text_add(out, "</tr></thead>\n%s</table>\n", wp_text_get(&groups));
    wp_text_add(out, "</div>\n");
    if (strstr(wp_text_get(&groups), "<td colspan"))
        wp_html_element(out, "p", "A time across all columns does not depend on the scheme.");
    if (strstr(wp_text_get(&groups), "?</td>"))
        wp_html_element(out, "p", "?: the result of this configuration was not compared with the "
                                  "reference.");
    wp_text_free(&groups);
}

bool wp_report_times(const char *path, const struct wp_explain_params *params,
                     struct wp_text *out)
{
    struct wp_results results;
    if (!wp_results_read(path, &results))
        return false;
    add_table(&results, params, out);
    wp_results_free(&results);
    return true;
}
