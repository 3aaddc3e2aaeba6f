#include "report_page.h"

#include "explain_symbols.h"
#include "html.h"
#include "log.h"
#include "report_passes.h"
#include "report_pixel.h"
#include "report_times.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report {
    const struct wp_report_params *page;
    struct wp_image *image; // what the plans read, or NULL
    struct wp_text *out;
    bool hide;     // answers are blanks
    int svg_count; // pictures so far
};

static const char letters[WP_COMPONENTS] = {'r', 'g', 'b', 'a'};

static bool is_shown(const struct report *report, int kind)
{
    const struct wp_scheme_kind *named = report->page->explain.kind;
    return !named || named == &wp_scheme_kinds[kind];
}

static struct wp_explain_params params_of(const struct report *report, int kind,
                                          enum wp_explain_what what,
                                          enum wp_explain_format format)
{
    struct wp_explain_params params = report->page->explain;
    params.kind = &wp_scheme_kinds[kind];
    params.what = what;
    params.format = format;
    return params;
}

static struct wp_scheme *make_scheme(const struct report *report, int kind, enum wp_form form)
{
    return wp_explain_scheme(&report->page->explain, &wp_scheme_kinds[kind], form);
}

static void add_svg(struct report *report, int kind, enum wp_explain_what what)
{
    struct wp_text svg = {0};
    struct wp_explain_params params = params_of(report, kind, what, WP_EXPLAIN_SVG);
    if (report->hide)
        params.arrows = WP_EXPLAIN_NO_ARROWS;
    if (wp_explain(&params, &svg))
        wp_html_svg(report->out, wp_text_get(&svg), ++report->svg_count);
    wp_text_free(&svg);
}

static void add_listing(struct report *report, int kind, enum wp_explain_what what)
{
    struct wp_text text = {0};
    const struct wp_explain_params params = params_of(report, kind, what, WP_EXPLAIN_TXT);
    if (wp_explain(&params, &text))
        wp_html_element(report->out, "pre", wp_text_get(&text));
    wp_text_free(&text);
}

// A cell with a number to be found.
static void add_count(struct report *report, int count, bool marked)
{
    if (report->hide)
        wp_text_add(report->out, "<td></td>");
    else
        wp_text_add(report->out, "<td>%d%s</td>", count, marked ? "*" : "");
}

enum count { STEPS, PLAIN, BLOCK, SHADER, FETCHES, BYTES, COUNTS };

static int find_count(const struct report *report, int kind, enum count count)
{
    const enum wp_form form = count == PLAIN    ? WP_FORM_PLAIN
                              : count == BLOCK  ? WP_FORM_BLOCK
                              : count == SHADER ? WP_FORM_SHADER
                                                : report->page->explain.form;
    struct wp_scheme *scheme = make_scheme(report, kind, form);
    const int steps = scheme->pass_count, fetches = wp_scheme_fetches(scheme);
    const int found = count == STEPS     ? steps
                      : count == FETCHES ? fetches
                      : count == BYTES   ? 4 * (fetches + steps)
                                         : wp_scheme_operations(scheme);
    wp_scheme_destroy(&scheme);
    return found;
}

// Where the published table has another number.
static void add_notes(struct report *report)
{
    struct wp_text notes = {0};
    wp_explain_ops_notes(&report->page->explain, &notes);
    if (notes.length)
        wp_html_element(report->out, "p", wp_text_get(&notes));
    wp_text_free(&notes);
}

// The schemes side by side: a column each.
static void add_comparison(struct report *report)
{
    static const char *const names[COUNTS] = {
        [STEPS] = "steps (passes)",
        [PLAIN] = "operations, plain",
        [BLOCK] = "operations, optimised for OpenCL",
        [SHADER] = "operations, optimised for shaders",
        [FETCHES] = "texels fetched",
        [BYTES] = "bytes a pixel, before any cache",
    };
    struct wp_text *out = report->out;
    wp_text_add(out, "<table>\n<thead><tr><th scope=\"col\">for a quad of 2x2 samples</th>");
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        if (is_shown(report, k))
            wp_text_add(out, "<th scope=\"col\">%s</th>", wp_scheme_kinds[k].name);
    wp_text_add(out, "</tr></thead>\n<tbody>\n");
    for (int c = 0; c < COUNTS; c++) {
        wp_text_add(out, "<tr><th scope=\"row\">%s</th>", names[c]);
        for (int k = 0; k < WP_SCHEME_KINDS; k++)
            if (is_shown(report, k))
                add_count(report, find_count(report, k, (enum count)c),
                          c == SHADER && wp_explain_ops_deviates(report->page->explain.wavelet,
                                                                 &wp_scheme_kinds[k]));
        wp_text_add(out, "</tr>\n");
    }
    wp_text_add(out, "</tbody>\n</table>\n");
    if (!report->hide)
        add_notes(report);
    wp_html_element(out, "p", "An operation is a multiply-add. Rows and columns of matrices, and "
                              "letters in diagrams, are the components of a quad: r even x and "
                              "even y (which becomes LL), g odd x (HL), b odd y (LH), a both odd "
                              "(HH).");
}

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
            wp_html_poly(out, &symbol->filter);
        wp_text_add(out, "<br/>\n");
    }
    if (wp_symbols_vertical(symbols))
        wp_text_add(out, "A star: the same with z<sub>n</sub> in place of z<sub>m</sub>.");
    wp_text_add(out, "</p>\n");
}

static void add_matrix(struct report *report, const struct wp_scheme *scheme,
                       const struct wp_pass *pass)
{
    struct wp_text *out = report->out;
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    wp_text_add(out, "<table class=\"matrix\">\n<tr><th></th>");
    for (int j = 0; j < WP_COMPONENTS; j++)
        wp_text_add(out, "<th scope=\"col\">%c</th>", letters[j]);
    wp_text_add(out, "</tr>\n");
    for (int i = 0; i < WP_COMPONENTS; i++) {
        wp_text_add(out, "<tr><th scope=\"row\">%c</th>", letters[i]);
        for (int j = 0; j < WP_COMPONENTS; j++) {
            wp_text_add(out, "<td>");
            if (!report->hide)
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
    wp_text_add(out, "<p>%s, inside the quad:", when);
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
            wp_text_add(out, "%s %c += %s %c", s ? "," : ":", letters[statement[s].destination],
                        wp_format_number(number, statement[s].c, 6),
                        letters[statement[s].source]);
        }
    }
    wp_text_add(out, "</p>\n");
}

static void add_passes(struct report *report, const struct wp_scheme *scheme)
{
    struct wp_text *out = report->out;
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        wp_text_add(out, "<h3>%sPass %d of %d: ", p ? "Barrier. " : "", p + 1,
                    scheme->pass_count);
        wp_html_label(out, pass->label);
        wp_text_add(out, "</h3>\n");
        wp_text_add(out, "<div class=\"pass\">\n");
        add_constants(scheme, pass->before, pass->before_count, "Before the matrix", out);
        if (wp_matrix_is_identity(&pass->core))
            wp_html_element(out, "p", "The matrix is the identity.");
        else
            add_matrix(report, scheme, pass);
        add_constants(scheme, pass->after, pass->after_count, "After the matrix", out);
        wp_text_add(out, "</div>\n");
    }
}

// ---- what runs on the image ----

struct gallery {
    struct report *report;
    const char *scheme;
    double range;
};

static bool measure(void *user, const struct wp_stage *stage)
{
    struct gallery *gallery = user;
    const size_t count =
        (size_t)stage->domain.width * (size_t)stage->domain.height * WP_COMPONENTS;
    for (size_t i = 0; i < count; i++)
        if (isfinite(stage->quads[i]))
            gallery->range = fmax(gallery->range, fabs((double)stage->quads[i]));
    return true;
}

static bool add_picture(void *user, const struct wp_stage *stage)
{
    const struct gallery *gallery = user;
    struct wp_text name = {0}, alt = {0};
    char number[WP_NUMBER_SIZE];
    wp_report_stage_name(&name, stage->op);
    wp_text_add(&alt,
                "%s, %s: the four components side by side, r and g above b and a; zero is "
                "mid-grey, black and white are -%s and +%s",
                gallery->scheme, wp_text_get(&name),
                wp_format_number(number, gallery->range, 3), number);
    struct wp_image *image = wp_report_stage_picture(stage, gallery->range, true);
    const bool ok = image && wp_html_picture(gallery->report->out, image, wp_text_get(&alt),
                                             wp_text_get(&name));
    wp_image_destroy(&image);
    wp_text_free(&name);
    wp_text_free(&alt);
    return ok;
}

static bool add_pictures(struct report *report, const struct wp_plan *plan)
{
    struct gallery gallery = {.report = report, .scheme = plan->op[0].scheme->name};
    const float *plane = report->image->plane[0];
    wp_html_element(report->out, "h3", "What the passes leave");
    return wp_reference_watch(plan, plane, measure, &gallery) &&
           wp_reference_watch(plan, plane, add_picture, &gallery);
}

static bool add_work(struct report *report, const struct wp_plan *plan)
{
    const int *pixel = report->page->pixel;
    json_t *work = wp_report_pixel(plan, report->image, pixel[0], pixel[1]);
    if (!work)
        return false;
    struct wp_text text = {0}, title = {0};
    wp_text_add(&title, "The arithmetic for pixel %d,%d", pixel[0], pixel[1]);
    wp_html_element(report->out, "h3", wp_text_get(&title));
    wp_report_pixel_legend(work, &text);
    wp_html_element(report->out, "p", wp_text_get(&text));
    wp_text_clear(&text);
    wp_report_pixel_print(work, report->hide, &text);
    wp_html_element(report->out, "pre", wp_text_get(&text));
    wp_text_free(&text);
    wp_text_free(&title);
    json_decref(work);
    return true;
}

static bool add_runs(struct report *report, int kind)
{
    if (!report->image)
        return true;
    struct wp_report_params params = *report->page;
    params.explain.kind = &wp_scheme_kinds[kind];
    struct wp_plan *plan = wp_report_plan(&params, report->image);
    // The answers come after the pictures, and need them no second time.
    const bool pictures = report->hide || !report->page->worksheet;
    const bool ok = plan && (!pictures || add_pictures(report, plan)) &&
                    (!report->page->pixel || add_work(report, plan));
    wp_plan_destroy(&plan);
    return ok;
}

static bool add_details(struct report *report, int kind, const struct wp_scheme *scheme)
{
    struct wp_text *out = report->out;
    if (report->hide)
        wp_html_element(out, "p", "Write the entries of each matrix, draw the arrows of the "
                                  "diagram, count them for the table above, and say which "
                                  "samples each of the four results depends on.");
    add_passes(report, scheme);
    wp_html_element(out, "h3", "Data flow");
    add_svg(report, kind, WP_EXPLAIN_DIAGRAM);
    const bool ok = add_runs(report, kind);
    if (!report->hide) {
        wp_html_element(out, "h3", "Samples that a result depends on");
        add_svg(report, kind, WP_EXPLAIN_FOOTPRINT);
        wp_html_element(out, "h3", "Shaders");
        add_listing(report, kind, WP_EXPLAIN_GLSL);
    }
    return ok;
}

static bool add_scheme(struct report *report, int kind)
{
    struct wp_text *out = report->out;
    struct wp_scheme *scheme = make_scheme(report, kind, report->page->explain.form);
    // What is the same as another scheme of this page is not shown twice.
    const bool same = scheme->note && !report->page->explain.kind;
    wp_text_add(out, same ? "<h2 class=\"same\">" : "<h2>");
    wp_html_text(out, scheme->name);
    wp_text_add(out, "</h2>\n<p>");
    wp_html_text(out, wp_scheme_kinds[kind].summary);
    wp_text_add(out, ".%s%s</p>\n", scheme->note ? " Note: " : "",
                scheme->note ? scheme->note : "");
    const bool ok = same || add_details(report, kind, scheme);
    wp_scheme_destroy(&scheme);
    return ok;
}

static bool add_schemes(struct report *report)
{
    wp_html_element(report->out, "h2", "The schemes side by side");
    add_comparison(report);
    bool ok = true;
    for (int k = 0; k < WP_SCHEME_KINDS && ok; k++)
        if (is_shown(report, k))
            ok = add_scheme(report, k);
    return ok;
}

static void add_wavelet(struct report *report)
{
    struct wp_text *out = report->out, text = {0};
    const struct wp_wavelet *wavelet = report->page->explain.wavelet;
    wp_explain_lifting(wavelet, &text);
    wp_html_element(out, "pre", wp_text_get(&text));
    wp_text_free(&text);
    if (wavelet->source[0]) {
        wp_text_add(out, "<p>Source of the numbers: ");
        wp_html_text(out, wavelet->source);
        wp_text_add(out, "</p>\n");
    }
    wp_html_element(out, "h2", "Filters and functions");
    add_svg(report, 0, WP_EXPLAIN_FILTERS);
    add_listing(report, 0, WP_EXPLAIN_FILTERS);
}

static bool add_image(struct report *report)
{
    const struct wp_report_params *page = report->page;
    if (!report->image)
        return true;
    struct wp_text alt = {0};
    wp_text_add(&alt, "the image: the gray values of %s, %dx%d pixels", page->input.image,
                report->image->width, report->image->height);
    const bool ok = page->explain.direction == WP_INVERSE ||
                    wp_html_picture(report->out, report->image, wp_text_get(&alt),
                                    "The image that the passes run on.");
    wp_text_free(&alt);
    return ok;
}

static bool add_body(struct report *report)
{
    const struct wp_report_params *page = report->page;
    report->hide = page->worksheet;
    add_wavelet(report);
    if (!add_image(report) || !add_schemes(report))
        return false;
    if (page->results && !wp_report_times(page->results, &page->explain, report->out))
        return false;
    if (!page->worksheet)
        return true;
    report->hide = false;
    wp_text_add(report->out, "<h1 class=\"answers\">Answers</h1>\n");
    return add_schemes(report);
}

bool wp_report_page(const struct wp_report_params *page, struct wp_text *out)
{
    struct report report = {.page = page, .out = out};
    struct wp_text title = {0};
    if (page->input.image && !(report.image = wp_report_read(page)))
        return false;
    wp_text_add(&title, "%s, %s: %s%s", page->explain.wavelet->name,
                wp_direction_names[page->explain.direction], page->explain.wavelet->title,
                page->worksheet ? ", a worksheet" : "");
    wp_html_begin(out, wp_text_get(&title));
    const bool ok = add_body(&report);
    wp_html_end(out);
    wp_text_free(&title);
    wp_image_destroy(&report.image);
    return ok;
}
