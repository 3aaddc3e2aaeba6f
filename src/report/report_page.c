#include "report_page.h"

#include "channel.h"
#include "explain_symbols.h"
#include "html.h"
#include "log.h"
#include "memory.h"
#include "report_passes.h"
#include "report_pixel.h"
#include "report_run.h"
#include "report_times.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report {
    const struct wp_report_params *page;
    struct wp_image *image; // what the plans read, or NULL
    struct wp_image *colour; // where pictures are in colour, its three planes, else NULL
    struct wp_text *out;
    bool hide;     // answers are blanks
    int svg_count; // pictures so far
};

static int dims_of(const struct report *report)
{
    return wp_explain_dims(&report->page->explain);
}

static const struct wp_explain_vocabulary *words_of(const struct report *report)
{
    return wp_explain_vocabulary(dims_of(report));
}

static struct wp_explain_params params_of(const struct report *report,
                                          const struct wp_scheme_kind *kind,
                                          enum wp_explain_what what,
                                          enum wp_explain_format format)
{
    struct wp_explain_params params = report->page->explain;
    params.kind = kind;
    params.what = what;
    // The filters of a volume are those of every axis.
    if (wp_explain_of_images(what))
        params.dims = 2;
    params.format = format;
    return params;
}

static struct wp_scheme *make_scheme(const struct report *report,
                                     const struct wp_scheme_kind *kind, enum wp_form form)
{
    return wp_explain_scheme(&report->page->explain, kind, form);
}

static void add_svg(struct report *report, const struct wp_scheme_kind *kind,
                    enum wp_explain_what what)
{
    struct wp_text svg = {0};
    struct wp_explain_params params = params_of(report, kind, what, WP_EXPLAIN_SVG);
    if (report->hide)
        params.arrows = WP_EXPLAIN_NO_ARROWS;
    if (wp_explain(&params, &svg))
        wp_html_svg(report->out, wp_text_get(&svg), ++report->svg_count);
    wp_text_free(&svg);
}

static void add_listing(struct report *report, const struct wp_scheme_kind *kind,
                        enum wp_explain_what what)
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

static int find_count(const struct report *report, const struct wp_scheme_kind *kind,
                      enum count count)
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

// "texels fetched"; of volumes "octets fetched".
static void add_count_name(const struct report *report, enum count count)
{
    static const char *const names[COUNTS] = {
        [STEPS] = "steps (passes)",
        [PLAIN] = "operations, plain",
        [BLOCK] = "operations, optimised for OpenCL",
        [SHADER] = "operations, optimised for shaders",
        [FETCHES] = "texels fetched",
    };
    struct wp_text *out = report->out;
    if (count == BYTES)
        wp_text_add(out, "bytes a %s, before any cache", words_of(report)->sample);
    else if (count == FETCHES && dims_of(report) == 3)
        wp_text_add(out, "octets fetched");
    else
        wp_text_add(out, "%s", names[count]);
}

static void add_notation(struct report *report)
{
    wp_html_element(report->out, "p",
                    dims_of(report) == 2
                        ? "An operation is a multiply-add. Rows and columns of matrices, and "
                          "letters in diagrams, are the components of a quad: r even x and "
                          "even y (which becomes LL), g odd x (HL), b odd y (LH), a both odd "
                          "(HH)."
                        : "An operation is a multiply-add. Rows and columns of matrices, and "
                          "letters in diagrams, are the components of an octet: of its even "
                          "slice r even x and even y (which becomes LLL), g odd x (HLL), b odd y "
                          "(LHL), a both odd (HHL), and R, G, B, A the same of its odd slice "
                          "(LLH, HLH, LHH, HHH). A volume's slices are of x and y; H, V and D "
                          "are steps along x, along y and across slices.");
}

// The schemes side by side: a column each.
static void add_comparison(struct report *report)
{
    struct wp_text *out = report->out;
    const struct wp_explain_params *params = &report->page->explain;
    const struct wp_explain_vocabulary *words = words_of(report);
    const struct wp_scheme_kind *kind;
    wp_text_add(out, "<table>\n<thead><tr><th scope=\"col\">for %s %s of %s samples</th>",
                dims_of(report) == 3 ? "an" : "a", words->group, words->size);
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++)
        wp_text_add(out, "<th scope=\"col\">%s</th>", kind->name);
    wp_text_add(out, "</tr></thead>\n<tbody>\n");
    for (int c = 0; c < COUNTS; c++) {
        wp_text_add(out, "<tr><th scope=\"row\">");
        add_count_name(report, (enum count)c);
        wp_text_add(out, "</th>");
        for (int k = 0; (kind = wp_explain_listed(params, k)); k++)
            add_count(report, find_count(report, kind, (enum count)c),
                      c == SHADER && wp_explain_ops_deviates(params, kind));
        wp_text_add(out, "</tr>\n");
    }
    wp_text_add(out, "</tbody>\n</table>\n");
    if (!report->hide)
        add_notes(report);
    add_notation(report);
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
    if (wp_symbols_starred(symbols, 1))
        wp_text_add(out, "A star: the same with z<sub>n</sub> in place of z<sub>m</sub>.");
    if (wp_symbols_starred(symbols, 2))
        wp_text_add(out, "%sTwo stars: the same with z<sub>o</sub>%s.",
                    wp_symbols_starred(symbols, 1) ? " " : "",
                    wp_symbols_starred(symbols, 1) ? "" : " in place of z<sub>m</sub>");
    wp_text_add(out, "</p>\n");
}

// Of eight columns and rows the fifth begins the odd slice.
static const char *rule_before(int row, int column)
{
    static const char *const rules[2][2] = {
        {"", " style=\"border-left: 3px double #222\""},
        {" style=\"border-top: 3px double #222\"",
         " style=\"border-left: 3px double #222; border-top: 3px double #222\""},
    };
    return rules[row == WP_COMPONENTS][column == WP_COMPONENTS];
}

static void add_matrix(struct report *report, const struct wp_scheme *scheme,
                       const struct wp_pass *pass)
{
    struct wp_text *out = report->out;
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    wp_text_add(out, "<table class=\"matrix\">\n<tr><th></th>");
    for (int j = 0; j < symbols.components; j++)
        wp_text_add(out, "<th%s scope=\"col\">%c</th>", rule_before(0, j),
                    wp_explain_letters[j]);
    wp_text_add(out, "</tr>\n");
    for (int i = 0; i < symbols.components; i++) {
        wp_text_add(out, "<tr><th%s scope=\"row\">%c</th>", rule_before(i, 0),
                    wp_explain_letters[i]);
        for (int j = 0; j < symbols.components; j++) {
            wp_text_add(out, "<td%s>", rule_before(i, j));
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
            wp_text_add(out, "%s %c += %s %c", s ? "," : ":",
                        wp_explain_letters[statement[s].destination],
                        wp_format_number(number, statement[s].c, 6),
                        wp_explain_letters[statement[s].source]);
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

// Planes run one after the other, and their stages come together to pictures.
struct shot {
    struct wp_image *image;
    struct wp_text name, alt;
};

struct gallery {
    struct report *report;
    double range;
    int plane;
    struct shot *shot; // as many as there are stages, once they were counted
    int count, next;
};

// Of which `plane` is the one that runs.
static int planes_of(const struct report *report)
{
    return report->colour ? WP_COLOURS : 1;
}

static bool measure(void *user, const struct wp_report_stage *stage)
{
    struct gallery *gallery = user;
    const double range = wp_report_stage_range(stage);
    if (isfinite(range))
        gallery->range = fmax(gallery->range, range);
    gallery->count += gallery->plane == 0;
    return true;
}

// The slice of a volume that is shown: that of the voxel, else the one in the middle.
static int shown_slice(const struct report *report)
{
    const int *place = report->page->pixel;
    return place && place[WP_Z] != WP_REPORT_NO_Z ? place[WP_Z] : report->image->depth / 2;
}

static int shown_layer(const struct report *report, const struct wp_report_stage *stage)
{
    const struct wp_description d = wp_report_describe(report->page, report->image);
    int layer = shown_slice(report);
    for (int level = 1; level <= stage->level; level++)
        layer >>= wp_description_axes(&d, level) >> WP_Z & 1;
    return layer;
}

static void describe_shot(const struct gallery *gallery, const struct wp_report_stage *stage,
                          int layer, struct shot *shot)
{
    const bool volume = stage->components > WP_COMPONENTS;
    char number[WP_NUMBER_SIZE];
    wp_report_stage_name(&shot->name, stage);
    if (volume)
        wp_text_add(&shot->name, ", layer %d of octets", layer);
    wp_text_add(&shot->alt, "%s, %s: the %s components side by side, r and g above b and a%s; ",
                stage->scheme->name, wp_text_get(&shot->name), volume ? "eight" : "four",
                volume ? ", R and G above B and A" : "");
    if (gallery->report->colour)
        wp_text_add(&shot->alt, "red, green and blue planes in colour; ");
    wp_text_add(&shot->alt, "zero is mid-grey, %s are -%s and +%s",
                gallery->report->colour ? "none and all of a colour" : "black and white",
                wp_format_number(number, gallery->range, 3), number);
}

// Puts a plane's picture where it belongs, the first with the words, and shows it with the last.
static bool take_picture(void *user, const struct wp_report_stage *stage)
{
    struct gallery *gallery = user;
    struct shot *shot = &gallery->shot[gallery->next++];
    const int planes = planes_of(gallery->report);
    const int layer = stage->components > WP_COMPONENTS ? shown_layer(gallery->report, stage) : 0;
    struct wp_image *image = wp_report_stage_picture(stage, gallery->range, true, layer);
    if (gallery->plane == 0)
        describe_shot(gallery, stage, layer, shot);
    if (image && gallery->plane == 0)
        shot->image = wp_image_create(image->width, image->height, planes, false);
    const bool ok = image && shot->image;
    if (ok)
        memcpy(shot->image->plane[gallery->plane], image->plane[0],
               wp_image_samples(image) * sizeof(float));
    wp_image_destroy(&image);
    if (!ok || gallery->plane < planes - 1)
        return ok;
    const bool shown = wp_html_picture(gallery->report->out, shot->image,
                                       wp_text_get(&shot->alt), wp_text_get(&shot->name));
    wp_image_destroy(&shot->image);
    return shown;
}

static bool run_plane(struct gallery *gallery, const struct wp_description *description, int plane,
                      wp_report_watch watch)
{
    const struct report *report = gallery->report;
    struct wp_image one = report->colour ? *report->colour : *report->image;
    one.plane[0] = one.plane[plane];
    gallery->plane = plane;
    gallery->next = 0;
    return wp_report_run(description, &one, NULL, watch, gallery);
}

static bool run_planes(struct gallery *gallery, const struct wp_description *description,
                       wp_report_watch watch)
{
    bool ok = true;
    for (int p = 0; p < planes_of(gallery->report) && ok; p++)
        ok = run_plane(gallery, description, p, watch);
    return ok;
}

static bool add_pictures(struct report *report, const struct wp_description *description)
{
    struct gallery gallery = {.report = report};
    wp_html_element(report->out, "h3", "What the passes leave");
    bool ok = run_planes(&gallery, description, measure);
    if (ok) {
        gallery.shot = wp_allocate((size_t)gallery.count, sizeof *gallery.shot, "pictures");
        ok = gallery.shot && run_planes(&gallery, description, take_picture);
    }
    for (int i = 0; i < gallery.count && gallery.shot; i++) {
        wp_image_destroy(&gallery.shot[i].image);
        wp_text_free(&gallery.shot[i].name);
        wp_text_free(&gallery.shot[i].alt);
    }
    free(gallery.shot);
    return ok;
}

static bool add_work(struct report *report, const struct wp_description *description)
{
    const int *place = report->page->pixel;
    json_t *work = wp_report_pixel(description, report->image, place);
    if (!work)
        return false;
    struct wp_text text = {0}, title = {0};
    wp_text_add(&title, "The arithmetic for %s %d,%d", words_of(report)->sample, place[WP_X],
                place[WP_Y]);
    if (dims_of(report) == 3)
        wp_text_add(&title, ",%d", place[WP_Z]);
    wp_text_add(&title, "%s", report->colour ? ", of the luma" : "");
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

static bool add_runs(struct report *report, const struct wp_scheme_kind *kind)
{
    if (!report->image)
        return true;
    struct wp_report_params params = *report->page;
    params.explain.kind = kind;
    const struct wp_description description = wp_report_describe(&params, report->image);
    // The answers come after the pictures, and need them no second time.
    const bool pictures = report->hide || !report->page->worksheet;
    return (!pictures || add_pictures(report, &description)) &&
           (!report->page->pixel || add_work(report, &description));
}

static void add_shaders(struct report *report, const struct wp_scheme_kind *kind)
{
    if (dims_of(report) == 3)
        return;
    wp_html_element(report->out, "h3", "Shaders");
    add_listing(report, kind, WP_EXPLAIN_GLSL);
}

static bool add_details(struct report *report, const struct wp_scheme_kind *kind,
                        const struct wp_scheme *scheme)
{
    struct wp_text *out = report->out;
    if (report->hide)
        wp_text_add(out, "<p>Write the entries of each matrix, draw the arrows of the diagram, "
                         "count them for the table above, and say which samples each of the %s "
                         "results depends on.</p>\n", scheme->dims == 3 ? "eight" : "four");
    add_passes(report, scheme);
    wp_html_element(out, "h3", "Data flow");
    add_svg(report, kind, WP_EXPLAIN_DIAGRAM);
    const bool ok = add_runs(report, kind);
    if (!report->hide) {
        wp_html_element(out, "h3", "Samples that a result depends on");
        add_svg(report, kind, WP_EXPLAIN_FOOTPRINT);
        add_shaders(report, kind);
    }
    return ok;
}

static bool add_scheme(struct report *report, const struct wp_scheme_kind *kind)
{
    struct wp_text *out = report->out;
    struct wp_scheme *scheme = make_scheme(report, kind, report->page->explain.form);
    // What is the same as another scheme of this page is not shown twice.
    const bool same = scheme->note && !report->page->explain.kind;
    wp_text_add(out, same ? "<h2 class=\"same\">" : "<h2>");
    wp_html_text(out, scheme->name);
    wp_text_add(out, "</h2>\n<p>");
    wp_html_text(out, wp_scheme_kind_summary(kind, scheme->dims));
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
    const struct wp_scheme_kind *kind;
    bool ok = true;
    for (int k = 0; (kind = wp_explain_listed(&report->page->explain, k)) && ok; k++)
        ok = add_scheme(report, kind);
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
    add_svg(report, NULL, WP_EXPLAIN_FILTERS);
    add_listing(report, NULL, WP_EXPLAIN_FILTERS);
    if (report->hide)
        return;
    wp_html_element(out, "h2", "From the filters to the steps");
    add_listing(report, NULL, WP_EXPLAIN_FACTORING);
}

static struct wp_image *copy_slice(const struct wp_image *image, int slice)
{
    const int planes = image->planes == WP_COLOURS ? WP_COLOURS : 1;
    struct wp_image *copy = wp_image_create(image->width, image->height, planes, false);
    if (!copy)
        return NULL;
    const size_t count = wp_image_samples(copy);
    for (int p = 0; p < planes; p++)
        memcpy(copy->plane[p], image->plane[p] + (size_t)slice * count, count * sizeof(float));
    copy->source_bits = image->source_bits;
    return copy;
}

static bool add_image(struct report *report)
{
    const struct wp_report_params *page = report->page;
    if (!report->image || page->explain.direction == WP_INVERSE)
        return true;
    const bool volume = report->image->depth > 1;
    struct wp_text alt = {0}, caption = {0};
    const char *channel = page->input.channel;
    const bool one = channel && strcmp(channel, wp_channel_words[WP_CHANNEL_LUMA]) != 0;
    wp_text_add(&alt, "the %s: %s%s of %s, %dx%d", volume ? "volume" : "image",
                report->colour ? "red, green and blue" : one ? "channel " : "the gray values",
                one && !report->colour ? channel : "", page->input.image, report->image->width,
                report->image->height);
    if (volume)
        wp_text_add(&alt, "x%d voxels, of which slice %d is shown", report->image->depth,
                    shown_slice(report));
    else
        wp_text_add(&alt, " pixels");
    if (volume)
        wp_text_add(&caption, "The volume that the passes run on: slice %d of %d.",
                    shown_slice(report), report->image->depth);
    else
        wp_text_add(&caption, "The image that the passes run on.");
    struct wp_image *slice = copy_slice(report->colour ? report->colour : report->image,
                                        volume ? shown_slice(report) : 0);
    const bool ok = slice && wp_html_picture(report->out, slice, wp_text_get(&alt),
                                             wp_text_get(&caption));
    wp_image_destroy(&slice);
    wp_text_free(&alt);
    wp_text_free(&caption);
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

// What a page of volumes cannot show: the slice of a voxel that is not there, and times.
static bool check_volume(const struct report *report)
{
    const struct wp_image *image = report->image;
    if (dims_of(report) == 2)
        return true;
    if (report->page->results)
        return wp_fail(WP_ERROR_USAGE, "the times of results are of images\nhint: leave out "
                                       "--results");
    const int slice = image ? shown_slice(report) : 0;
    return !image || (slice >= 0 && slice < image->depth) ||
           wp_fail(WP_ERROR_USAGE, "there is no slice %d (the volume has %d)", slice,
                   image->depth);
}

bool wp_report_page(const struct wp_report_params *given, struct wp_text *out)
{
    struct wp_report_params params = *given;
    const struct wp_report_params *const page = &params;
    struct report report = {.page = page, .out = out};
    struct wp_text title = {0};
    if (page->input.image && !(report.image = wp_report_read(&params, &report.colour)))
        return false;
    if (!check_volume(&report)) {
        wp_image_destroy(&report.image);
        wp_image_destroy(&report.colour);
        return false;
    }
    wp_text_add(&title, "%s, %s%s: %s%s", page->explain.wavelet->name,
                wp_direction_names[page->explain.direction],
                dims_of(&report) == 3 ? ", of volumes" : "", page->explain.wavelet->title,
                page->worksheet ? ", a worksheet" : "");
    wp_html_begin(out, wp_text_get(&title));
    const bool ok = add_body(&report);
    wp_html_end(out);
    wp_text_free(&title);
    wp_image_destroy(&report.image);
    wp_image_destroy(&report.colour);
    return ok;
}
