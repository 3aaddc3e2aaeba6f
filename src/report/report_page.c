#include "report_internal.h"

#include "channel.h"
#include "explain_grid.h"
#include "log.h"
#include "lesson.h"
#include "memory.h"
#include "svg.h"
#include "xmemory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// intro.html with a terminating zero: passes, quads and barriers for beginners.
extern const unsigned char wp_page_introduction[];

struct report {
    const struct wp_report_params *page;
    struct wp_image *image;  // input of the transform, or NULL
    struct wp_image *colour; // the three planes for color pictures, or NULL
    struct wp_text *out;     // the sections
    struct wp_text contents; // list entries
    bool hide;               // answers are blank
    bool answers;            // the part of a worksheet with answers
    int svg_count;           // number of SVG pictures so far
};

// Larger parts, in bytes, are omitted with a note, since browsers would not open the page.
enum { MAX_PIECE_SIZE = 1 << 19 };

// Printed pages have at most this many passes of a scheme: the first ones and the last one.
enum { PRINTED_PASSES = 4 };

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
                                          enum wp_explain_topic topic,
                                          enum wp_explain_format format)
{
    struct wp_explain_params params = report->page->explain;
    params.kind = kind;
    params.topic = topic;
    // A volume has the same filters along each axis.
    if (wp_explain_is_image_only(topic))
        params.dims = 2;
    params.format = format;
    return params;
}

static struct wp_scheme *create_scheme(const struct report *report,
                                       const struct wp_scheme_kind *kind, enum wp_form form)
{
    return wp_explain_scheme(&report->page->explain, kind, form);
}

static void add_omitted(struct report *report, const struct wp_explain_params *params,
                        const char *name, size_t size)
{
    const char *topic = wp_explain_topic_names[params->topic];
    const bool svg = params->format == WP_EXPLAIN_SVG;
    wp_text_add(report->out, "<p class=\"muted\">Too large for this page (%zu kB). This command "
                             "writes it: <code>wavepass explain ", size >> 10);
    wp_svg_escape(report->out, name);
    wp_text_add(report->out, "%s%s --show %s%s%s</code></p>\n", words_of(report)->option,
                params->direction == WP_INVERSE ? " --inverse" : "", topic, svg ? " -o " : "",
                svg ? "picture.svg" : "");
}

// Adds a topic as a picture or a listing.
static void add_piece(struct report *report, const struct wp_explain_params *params)
{
    struct wp_text text = {0}, name = {0};
    struct wp_report_params page = *report->page;
    page.input.levels = 0; // those of the image
    if (!wp_report_topic(&page, params, &text))
        return;
    wp_text_add(&name, "%s%s%s", params->wavelet->name, params->kind ? "/" : "",
                params->kind ? params->kind->name : "");
    if (text.length > MAX_PIECE_SIZE) {
        add_omitted(report, params, wp_text_get(&name), text.length);
    } else if (params->format == WP_EXPLAIN_SVG) {
        wp_html_svg(report->out, wp_text_get(&text), ++report->svg_count);
    } else {
        wp_text_add(report->out, "<pre%s>",
                    params->topic == WP_EXPLAIN_GLSL ? " class=\"code\"" : "");
        wp_svg_escape(report->out, wp_text_get(&text));
        wp_text_add(report->out, "</pre>\n");
    }
    wp_text_free(&text);
    wp_text_free(&name);
}

static void add_svg(struct report *report, const struct wp_scheme_kind *kind,
                    enum wp_explain_topic topic, int pass)
{
    struct wp_explain_params params = params_of(report, kind, topic, WP_EXPLAIN_SVG);
    if (report->hide)
        params.arrows = WP_EXPLAIN_NO_ARROWS;
    params.pass = pass;
    add_piece(report, &params);
}

static void add_listing(struct report *report, const struct wp_scheme_kind *kind,
                        enum wp_explain_topic topic)
{
    const struct wp_explain_params params = params_of(report, kind, topic, WP_EXPLAIN_TXT);
    add_piece(report, &params);
}

// ---- sections and their entries in the contents ----

// The prefix of ids, which must be unique: "answer-nonsep-lifting".
static const char *id_prefix(const struct report *report)
{
    return report->answers ? "answer-" : "";
}

static void add_entry(struct report *report, const char *id, const char *title)
{
    wp_text_add(&report->contents, "<li><a href=\"#%s%s\">", id_prefix(report), id);
    wp_svg_escape(&report->contents, title);
    wp_text_add(&report->contents, "</a></li>\n");
}

static void begin_section(struct report *report, const char *id, const char *title)
{
    add_entry(report, id, title);
    wp_text_add(report->out, "<section id=\"%s%s\">\n", id_prefix(report), id);
    wp_html_element(report->out, "h2", title);
}

// Begins a section that is closed by default.
static void begin_more(struct report *report, const char *title, bool open)
{
    wp_text_add(report->out, "<details class=\"more\"%s><summary>", open ? " open=\"open\"" : "");
    wp_svg_escape(report->out, title);
    wp_text_add(report->out, "</summary>\n");
}

// Adds a table cell with a count, or a blank cell.
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
    struct wp_scheme *scheme = create_scheme(report, kind, form);
    const int steps = scheme->pass_count, fetches = wp_scheme_fetches(scheme);
    const int found = count == STEPS     ? steps
                      : count == FETCHES ? fetches
                      : count == BYTES   ? 4 * (fetches + steps)
                                         : wp_scheme_operations(scheme);
    wp_scheme_destroy(&scheme);
    return found;
}

// Adds notes on differences from the published table.
static void add_notes(struct report *report)
{
    struct wp_text notes = {0};
    wp_explain_ops_notes(&report->page->explain, &notes);
    if (notes.length)
        wp_html_element(report->out, "p", wp_text_get(&notes));
    wp_text_free(&notes);
}

// Adds the name of a count: "texels fetched"; for volumes "octets fetched".
static void add_count_name(const struct report *report, enum count count)
{
    static const char *const names[COUNTS] = {
        [STEPS] = "steps (passes)",
        [PLAIN] = "operations, plain",
        [BLOCK] = "operations, optimized for OpenCL",
        [SHADER] = "operations, optimized for shaders",
        [FETCHES] = "texels fetched",
    };
    struct wp_text *out = report->out;
    if (count == BYTES)
        wp_text_add(out, "bytes per %s, without caches", words_of(report)->sample);
    else if (count == FETCHES && dims_of(report) == 3)
        wp_text_add(out, "octets fetched");
    else
        wp_text_add(out, "%s", names[count]);
}

// Adds the table of schemes, with one column per scheme.
static void add_comparison(struct report *report)
{
    struct wp_text *out = report->out;
    const struct wp_explain_params *params = &report->page->explain;
    const struct wp_explain_vocabulary *words = words_of(report);
    const struct wp_scheme_kind *kind;
    wp_html_begin_wide(out, "The schemes side by side");
    wp_text_add(out, "<table>\n<thead><tr><th scope=\"col\">for %s %s of %s samples</th>",
                dims_of(report) == 3 ? "an" : "a", words->group, words->size);
    // Nine columns have short names.
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++)
        wp_html_heading_cell(out, dims_of(report) == 3 ? kind->alias : kind->name);
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
    wp_text_add(out, "</div>\n");
    if (!report->hide)
        add_notes(report);
    wp_report_notation(&report->page->explain, !report->answers, out);
}

static bool add_calculation(struct report *report, const struct wp_description *description)
{
    const int *position = report->page->pixel;
    struct wp_trace *trace = wp_report_trace(description, report->image, position);
    if (!trace)
        return false;
    struct wp_text text = {0}, title = {0};
    wp_text_add(&title, "Worked calculation for %s %d,%d", words_of(report)->sample, position[WP_X],
                position[WP_Y]);
    if (dims_of(report) == 3)
        wp_text_add(&title, ",%d", position[WP_Z]);
    wp_text_add(&title, "%s", report->colour ? " (luma)" : "");
    // Open if it is to be filled in.
    begin_more(report, wp_text_get(&title), report->hide);
    wp_trace_legend(trace, &text);
    wp_html_element(report->out, "p", wp_text_get(&text));
    wp_text_clear(&text);
    wp_trace_print(trace, report->hide, &text);
    wp_html_element(report->out, "pre", wp_text_get(&text));
    wp_text_add(report->out, "</details>\n");
    wp_text_free(&text);
    wp_text_free(&title);
    wp_trace_destroy(&trace);
    return true;
}

// ---- a scheme, pass by pass ----

// Adds a link to the web page, except in worksheets, whose answers it shows.
static void add_page_link(struct report *report, const struct wp_scheme_kind *kind, int pass)
{
    if (!report->hide)
        wp_report_link(report->page, kind, pass, report->out);
}

// Adds the slider, which the script makes visible.
static void add_slider(struct report *report, const struct wp_scheme *scheme,
                       const struct wp_scheme_kind *kind)
{
    if (scheme->pass_count == 1)
        return;
    wp_text_add(report->out,
                "<div class=\"slider\" hidden=\"hidden\">\n"
                "<label for=\"%s%s-slider\">Pass</label> <input type=\"range\" "
                "id=\"%s%s-slider\" min=\"1\" max=\"%d\" step=\"1\" value=\"1\"/> "
                "<output for=\"%s%s-slider\">1 of %d</output>\n"
                "<button type=\"button\">Back</button> <button type=\"button\">Next</button> "
                "<button type=\"button\" aria-pressed=\"false\">All passes</button>\n</div>\n",
                id_prefix(report), kind->name, id_prefix(report), kind->name, scheme->pass_count,
                id_prefix(report), kind->name, scheme->pass_count);
}

static bool is_printed(const struct wp_scheme *scheme, int p)
{
    return scheme->pass_count <= PRINTED_PASSES || p < PRINTED_PASSES - 1 ||
           p == scheme->pass_count - 1;
}

static void add_step_counts(struct report *report, const struct wp_pass *pass)
{
    const int operations = wp_pass_operations(pass), fetches = pass->reach.fetches;
    const char *texel = dims_of(report) == 3 ? "octet" : "texel";
    if (!report->hide)
        wp_text_add(report->out, "<p class=\"counts\">%d operation%s, %d %s%s read</p>\n",
                    operations, WP_PLURAL(operations), fetches, texel, WP_PLURAL(fetches));
}

static void add_step(struct report *report, const struct wp_scheme_kind *kind,
                     const struct wp_scheme *scheme, int p, const char *pictures)
{
    struct wp_text *out = report->out;
    wp_text_add(out, "<article class=\"step%s%s\" id=\"%s%s-pass-%d\">\n<h3>%sPass %d of %d: ",
                p ? " barrier" : "", is_printed(scheme, p) ? "" : " skipped", id_prefix(report),
                kind->name, p + 1, p ? "Barrier. " : "", p + 1, scheme->pass_count);
    wp_html_label(out, scheme->pass[p].label);
    wp_text_add(out, "</h3>\n");
    add_step_counts(report, &scheme->pass[p]);
    add_page_link(report, kind, p + 1);
    wp_text_add(out, "<div class=\"row\">\n<div class=\"flow\">\n");
    add_svg(report, kind, WP_EXPLAIN_DIAGRAM, p + 1);
    wp_text_add(out, "</div>\n<div class=\"algebra\">\n");
    wp_report_algebra(scheme, &scheme->pass[p], report->hide, out);
    wp_text_add(out, "</div>\n%s</div>\n</article>\n", pictures);
}

static void add_steps(struct report *report, const struct wp_scheme_kind *kind,
                      const struct wp_scheme *scheme, const struct wp_report_pictures *pictures)
{
    struct wp_text *out = report->out;
    const bool labelled = report->page->explain.arrows == WP_EXPLAIN_LABELLED_ARROWS;
    wp_text_add(out, "<div class=\"steps%s%s%s\">\n", scheme->dims == 3 ? " volume" : "",
                labelled ? " labelled" : "", report->hide ? " blank" : "");
    add_slider(report, scheme, kind);
    if (pictures->before.length)
        wp_text_add(out, "<div class=\"row only-screen\">\n%s</div>\n",
                    wp_text_get(&pictures->before));
    for (int p = 0; p < scheme->pass_count; p++) {
        add_step(report, kind, scheme, p, wp_text_get(&pictures->after[p]));
        if (p == PRINTED_PASSES - 2 && !is_printed(scheme, p + 1))
            wp_text_add(out, "<p class=\"only-paper muted\">Passes %d to %d are similar; only the "
                             "page on a screen shows them.</p>\n", p + 2, scheme->pass_count - 1);
    }
    wp_text_add(out, "</div>\n");
}

static bool add_scheme_body(struct report *report, const struct wp_scheme_kind *kind,
                            const struct wp_scheme *scheme, struct wp_report_pictures *pictures)
{
    struct wp_report_params params = *report->page;
    params.explain.kind = kind;
    const struct wp_description description =
        report->image ? wp_report_describe(&params) : (struct wp_description){0};
    // The answers follow the pictures, which are not repeated.
    if (report->image && !report->answers &&
        !wp_report_add_pictures(report->page, report->image, report->colour, &description,
                                pictures))
        return false;
    if (report->hide)
        wp_text_add(report->out,
                    "<p class=\"lead\">Fill in the entries of each matrix, draw the arrows of "
                    "each diagram, count them for the table above, and list the samples that each "
                    "of the %s results depends on.</p>\n", scheme->dims == 3 ? "eight" : "four");
    add_steps(report, kind, scheme, pictures);
    if (report->image && report->page->pixel && !add_calculation(report, &description))
        return false;
    if (report->hide)
        return true;
    begin_more(report, "Samples that a result depends on", false);
    add_svg(report, kind, WP_EXPLAIN_FOOTPRINT, 0);
    wp_text_add(report->out, "</details>\n");
    if (scheme->dims == 3)
        return true;
    begin_more(report, "Shaders", false);
    wp_html_element(report->out, "p", "In the shaders a quad is one RGBA texel: its channels r, g, "
                                      "b and a are ee, oe, eo and oo.");
    add_listing(report, kind, WP_EXPLAIN_GLSL);
    wp_text_add(report->out, "</details>\n");
    return true;
}

static bool add_details(struct report *report, const struct wp_scheme_kind *kind,
                        const struct wp_scheme *scheme)
{
    struct wp_report_pictures pictures = {0};
    pictures.after = wp_xcalloc((size_t)scheme->pass_count, sizeof *pictures.after);
    const bool ok = add_scheme_body(report, kind, scheme, &pictures);
    for (int p = 0; p < scheme->pass_count; p++)
        wp_text_free(&pictures.after[p]);
    wp_text_free(&pictures.before);
    free(pictures.after);
    return ok;
}

// Schemes that are equal to another scheme of the page are not shown again.
static bool is_same(const struct report *report, const struct wp_scheme *scheme)
{
    return scheme->note && !report->page->explain.kind;
}

// The scheme that is open, and printed: the requested or default one, or the scheme that it is
// equal to.
static const struct wp_scheme_kind *find_open_scheme(const struct report *report)
{
    const struct wp_explain_params *params = &report->page->explain;
    const struct wp_scheme_kind *kind, *found = NULL;
    for (int k = 0; (kind = wp_explain_listed(params, k)); k++) {
        struct wp_scheme *scheme = create_scheme(report, kind, params->form);
        if (!is_same(report, scheme))
            found = kind;
        wp_scheme_destroy(&scheme);
        if (kind == wp_explain_kind(params))
            break;
    }
    return found;
}

static void add_scheme_header(struct report *report, const struct wp_scheme_kind *kind,
                              const struct wp_scheme *scheme, bool open)
{
    struct wp_text *out = report->out;
    const bool same = is_same(report, scheme);
    add_entry(report, kind->name, kind->name);
    wp_text_add(out, "<%s class=\"%s\"%s id=\"%s%s\">\n%s<h2>", same ? "section" : "details",
                same ? "same" : "scheme", open ? " open=\"open\"" : "", id_prefix(report),
                kind->name, same ? "" : "<summary>");
    wp_svg_escape(out, scheme->name);
    wp_text_add(out, "</h2> <span class=\"muted\">(%s)", kind->alias);
    if (!same && !report->hide)
        wp_text_add(out, " %d pass%s, %d operations", scheme->pass_count,
                    WP_PLURAL_ES(scheme->pass_count), wp_scheme_operations(scheme));
    wp_text_add(out, "</span>");
    wp_text_add(out, "%s\n<p class=\"lead\">", same ? "" : "</summary>");
    const char *summary = wp_scheme_kind_summary(kind, scheme->dims);
    wp_text_add(out, "%c", toupper(*summary));
    wp_svg_escape(out, summary + 1);
    wp_text_add(out, ".%s%s%s</p>\n", scheme->note ? " Note: " : "",
                scheme->note ? scheme->note : "", scheme->note ? "." : "");
    add_page_link(report, kind, 0);
}

static bool add_scheme(struct report *report, const struct wp_scheme_kind *kind, bool open)
{
    struct wp_scheme *scheme = create_scheme(report, kind, report->page->explain.form);
    const bool same = is_same(report, scheme);
    add_scheme_header(report, kind, scheme, open);
    const bool ok = same || add_details(report, kind, scheme);
    wp_text_add(report->out, same ? "</section>\n" : "</details>\n");
    wp_scheme_destroy(&scheme);
    return ok;
}

static bool add_schemes(struct report *report)
{
    begin_section(report, "schemes", "The schemes side by side");
    add_comparison(report);
    wp_text_add(report->out, "</section>\n");
    const struct wp_scheme_kind *kind, *open = find_open_scheme(report);
    bool ok = true;
    for (int k = 0; (kind = wp_explain_listed(&report->page->explain, k)) && ok; k++)
        ok = add_scheme(report, kind, kind == open);
    return ok;
}

// ---- the page ----

// Adds an example of the trade-off, if both schemes are on the page.
static void add_trade(struct report *report)
{
    const struct wp_explain_params *params = &report->page->explain;
    const struct wp_scheme_kind *non_separable = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION];
    const struct wp_scheme_kind *separable = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    if (report->hide || wp_explain_terms(params, non_separable) > WP_SCHEME_TERMS_MAX)
        return;
    const int steps = find_count(report, separable, STEPS);
    const char *name = params->wavelet->name, *group = words_of(report)->group;
    if (steps == 1)
        wp_text_add(report->out,
                    "<p>All steps of %s stay inside the %s, so every scheme needs only one "
                    "pass.</p>\n", name, group);
    else
        wp_text_add(report->out,
                    "<p>For %s, separable lifting needs %d operations per %s in %d passes for one "
                    "level; non-separable convolution needs %d in one pass.</p>\n",
                    name, find_count(report, separable, SHADER), group, steps,
                    find_count(report, non_separable, SHADER));
}

static void add_idea(struct report *report)
{
    begin_section(report, "idea", "Introduction");
    wp_text_add(report->out, "%s", (const char *)wp_page_introduction);
    if (dims_of(report) == 3)
        wp_html_element(report->out, "p",
                        "The transform of a volume also has steps along the third axis, z. Two "
                        "quads, one of an even and one of an odd slice, form an octet of "
                        "2\u00d72\u00d72 samples. Matrices have eight rows, and one level gives "
                        "eight subbands.");
    add_trade(report);
    wp_text_add(report->out, "</section>\n");
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
    copy->origin = image->origin;
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
        wp_text_add(&alt, "x%d voxels; slice %d is shown", report->image->depth,
                    wp_report_slice(page));
    else
        wp_text_add(&alt, " pixels");
    if (volume)
        wp_text_add(&caption, "The input volume: slice %d of %d.",
                    wp_report_slice(page), report->image->depth);
    else
        wp_text_add(&caption, "The input image.");
    struct wp_image *slice = copy_slice(report->colour ? report->colour : report->image,
                                        volume ? wp_report_slice(page) : 0);
    const bool ok = slice && wp_html_picture(report->out, slice, wp_text_get(&alt),
                                             wp_text_get(&caption));
    wp_image_destroy(&slice);
    wp_text_free(&alt);
    wp_text_free(&caption);
    return ok;
}

static bool add_wavelet(struct report *report)
{
    struct wp_text *out = report->out, text = {0};
    const struct wp_wavelet *wavelet = report->page->explain.wavelet;
    wp_explain_lifting(wavelet, &text);
    wp_text_add(out, "<div class=\"row\">\n");
    wp_html_element(out, "pre", wp_text_get(&text));
    const bool ok = add_image(report);
    wp_text_add(out, "</div>\n");
    wp_text_free(&text);
    if (wavelet->source[0]) {
        wp_text_add(out, "<p>Source of the coefficients: ");
        wp_svg_escape(out, wavelet->source);
        wp_text_add(out, "</p>\n");
    }
    wp_html_begin_wide(out, "Filters and functions");
    add_svg(report, NULL, WP_EXPLAIN_FILTERS, 0);
    wp_text_add(out, "</div>\n");
    begin_more(report, "Filter taps and properties", false);
    add_listing(report, NULL, WP_EXPLAIN_FILTERS);
    wp_text_add(report->out, "</details>\n");
    begin_more(report, "Sums at the borders", false);
    wp_html_begin_wide(out, "Sums at the borders");
    add_svg(report, NULL, WP_EXPLAIN_BORDER, 0);
    wp_text_add(out, "</div>\n");
    if (!report->hide)
        add_listing(report, NULL, WP_EXPLAIN_BORDER);
    wp_text_add(report->out, "</details>\n");
    begin_more(report, "Shift invariance", false);
    wp_html_begin_wide(out, "Shift invariance");
    add_svg(report, NULL, WP_EXPLAIN_SHIFT, 0);
    wp_text_add(out, "</div>\n");
    if (!report->hide)
        add_listing(report, NULL, WP_EXPLAIN_SHIFT);
    wp_text_add(report->out, "</details>\n");
    if (report->hide)
        return ok;
    begin_more(report, "Lifting factorization", false);
    add_listing(report, NULL, WP_EXPLAIN_FACTORING);
    wp_text_add(report->out, "</details>\n");
    return ok;
}

// Adds the questions of a worksheet of images, or their answers.
static bool add_questions(struct report *report)
{
    const int seed = report->page->seed ? report->page->seed : 1;
    struct wp_text *out = report->out, text = {0};
    if (!report->page->worksheet || dims_of(report) == 3)
        return true;
    struct wp_questions *questions =
        wp_questions_create(report->page->explain.wavelet, (unsigned long long)seed);
    if (!questions)
        return false;
    add_entry(report, "questions", "Questions");
    wp_text_add(out, "<details class=\"questions\" id=\"%squestions\">\n<summary><h2>Questions"
                     "</h2></summary>\n<p class=\"lead\">Set %d: images, forward transform.</p>\n",
                id_prefix(report), seed);
    if (report->hide)
        wp_report_link_questions(report->page, seed, out);
    wp_text_add(out, "<ol>\n");
    for (int i = 0; i < questions->count; i++) {
        const struct wp_question *question = &questions->question[i];
        wp_text_add(out, "<li>");
        wp_html_element(out, "p", wp_text_get(&question->text));
        wp_text_clear(&text);
        wp_question_solution(question, &text);
        if (!report->hide && question->working.length)
            wp_text_add(&text, ": %s", wp_text_get(&question->working));
        wp_html_element(out, "p", report->hide ? "____________" : wp_text_get(&text));
        wp_text_add(out, "</li>\n");
    }
    wp_text_add(out, "</ol>\n</details>\n");
    wp_questions_destroy(&questions);
    wp_text_free(&text);
    return true;
}

static bool add_body(struct report *report)
{
    const struct wp_report_params *page = report->page;
    report->hide = page->worksheet;
    add_idea(report);
    begin_section(report, "wavelet", "The wavelet");
    bool ok = add_wavelet(report);
    wp_text_add(report->out, "</section>\n");
    if (!ok || !add_schemes(report) || !add_questions(report))
        return false;
    if (page->results) {
        begin_section(report, "times", "Measured times");
        ok = wp_report_times(page->results, &page->explain, report->out);
        wp_text_add(report->out, "</section>\n");
    }
    if (!ok || !page->worksheet)
        return ok;
    report->hide = false;
    wp_text_add(report->out, "<details class=\"answers\" id=\"answers\">\n"
                             "<summary><h1 class=\"answers\">Answers</h1></summary>\n");
    add_entry(report, "answers", "Answers");
    report->answers = true;
    ok = add_schemes(report) && add_questions(report);
    wp_text_add(report->out, "</details>\n");
    return ok;
}

// Rejects parameters that pages of volumes do not support, and a voxel outside the volume.
static bool check_volume(const struct report *report)
{
    const struct wp_image *image = report->image;
    if (dims_of(report) == 2)
        return true;
    if (report->page->seed)
        return wp_fail(WP_ERROR_USAGE, "the questions of a worksheet are only for images"
                                       "\nhint: omit the seed");
    if (report->page->page)
        return wp_fail(WP_ERROR_USAGE, "the page for browsers is only for images"
                                       "\nhint: omit its address");
    if (report->page->results)
        return wp_fail(WP_ERROR_USAGE, "times of results are only for images"
                                       "\nhint: omit the results");
    const int slice = image ? wp_report_slice(report->page) : 0;
    const int depth = report->page->size[WP_Z];
    return !image || (slice >= 0 && slice < depth) ||
           wp_fail(WP_ERROR_USAGE, "slice %d is out of range (0 to %d)", slice, depth - 1);
}

bool wp_report_page(const struct wp_report_params *original, struct wp_text *out)
{
    struct wp_report_params params = *original;
    const struct wp_report_params *const page = &params;
    struct wp_text title = {0}, body = {0};
    struct report report = {.page = page, .out = &body};
    if (page->page && !wp_report_link_check(page->page))
        return false;
    if (page->input.image && !(report.image = wp_report_read(&params, &report.colour)))
        return false;
    if (!check_volume(&report)) {
        wp_image_destroy(&report.image);
        wp_image_destroy(&report.colour);
        return false;
    }
    wp_text_add(&title, "%s, %s%s: %s%s", page->explain.wavelet->name,
                wp_direction_names[page->explain.direction],
                dims_of(&report) == 3 ? ", volumes" : "", page->explain.wavelet->title,
                page->worksheet ? "; worksheet" : "");
    const bool ok = add_body(&report);
    wp_html_page(out, wp_text_get(&title), wp_text_get(&report.contents), &body);
    wp_text_free(&title);
    wp_text_free(&body);
    wp_text_free(&report.contents);
    wp_image_destroy(&report.image);
    wp_image_destroy(&report.colour);
    return ok;
}
