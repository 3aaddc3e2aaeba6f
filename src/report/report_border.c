// The topic `border`: sums of a level along one axis that read beyond the ends of a signal, before
// and after the extension is replaced by samples.
#include "report_internal.h"

#include "axis_map.h"
#include "log.h"
#include "svg.h"
#include "wavelet_taps.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A sum over positions of the input. For the inverse positions are those of interleaved
// coefficients: low-pass coefficient m at 2m, high-pass coefficient m at 2m + 1.
struct sum {
    int component; // forward: 0 low-pass, 1 high-pass; inverse: 0
    int index;     // of the coefficient or the sample
    int first, count;
    double *weight; // of positions first .. first + count - 1
    double *folded; // of positions 0 .. n - 1
};

struct border {
    const struct wp_explain_params *params;
    enum wp_border border;
    int n;               // positions of the input, even; large enough that no sum reads beyond both
                         // ends, and positions below n/2 are at the first end
    int outputs;         // coefficients per band, or samples
    int low, high;       // range of positions that are read, at least 0 .. n - 1
    int left, right;     // sums have weights of positions below `left` and from `right` on
    int sums;            // those that read beyond an end
    struct sum *sum;
    struct wp_axis_map extension; // from 0 .. n - 1 to low .. high
};

static bool is_inverse(const struct border *b)
{
    return b->params->direction == WP_INVERSE;
}

// Have bands more than half of the samples? Then the inverse reads only coefficients that exist.
static bool is_expansive(enum wp_border border)
{
    return border >= WP_BORDER_NATIVE && border != WP_BORDER_PYWT_PERIODIZATION;
}

static double gain_of(const struct wp_explain_params *params, int component)
{
    const double gain = wp_norm_gain(params->wavelet, params->norm, 1, (unsigned)component) *
                        (component ? wp_norm_high_sign(params->wavelet, params->norm) : 1);
    return params->direction == WP_FORWARD ? gain : 1 / gain;
}

static struct wp_description describe(const struct wp_explain_params *params,
                                      enum wp_border border, int n)
{
    return (struct wp_description){.wavelet = params->wavelet,
                                   .direction = params->direction,
                                   .border = border,
                                   .norm = params->norm,
                                   .size = {n, 1},
                                   .levels = 1};
}

// The weight of a position in output `index` (see axis_map.h for the alignment of PyWavelets).
static double weight_of(const struct border *b, const struct wp_taps taps[2], int component,
                        int index, int at)
{
    const int shift = is_expansive(b->border) ? b->params->wavelet->window / 2 - 1 : 0;
    const int band = is_inverse(b) ? at & 1 : component;
    const int k = is_inverse(b) ? index + shift - at : at + shift - 2 * index - component;
    const struct wp_taps *t = &taps[band];
    return k < t->first || k > t->last ? 0 : gain_of(b->params, band) * t->tap[k - t->first];
}

// Adds the sum of an output if it reads positions outside 0 .. n - 1.
static void add_sum(struct border *b, const struct wp_taps taps[2], int component, int index)
{
    const int end = is_expansive(b->border) && is_inverse(b) ? 2 * b->outputs : b->n;
    const int reach = 2 * b->n;
    int first = reach, last = -reach;
    for (int at = -reach; at < b->n + reach; at++) {
        if (fabs(weight_of(b, taps, component, index, at)) > 0) {
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
    }
    if (first > last || (first >= 0 && last < end))
        return;
    b->sum = wp_xrealloc(b->sum, (size_t)b->sums + 1, sizeof *b->sum);
    struct sum *sum = &b->sum[b->sums++];
    *sum = (struct sum){component, index, first, last - first + 1, NULL, NULL};
    sum->weight = wp_xcalloc((size_t)sum->count, sizeof *sum->weight);
    for (int i = 0; i < sum->count; i++)
        sum->weight[i] = weight_of(b, taps, component, index, first + i);
    b->low = first < b->low ? first : b->low;
    b->high = last > b->high ? last : b->high;
}

// The samples or coefficients that position low + row is replaced by.
static int extended(const struct border *b, int row, const struct wp_axis_entry **entry,
                    struct wp_axis_entry *one)
{
    if (is_expansive(b->border))
        return wp_axis_map_row(&b->extension, row, entry, one);
    const struct wp_description d = describe(b->params, b->border, b->n);
    struct wp_description native = d;
    if (b->border == WP_BORDER_PYWT_PERIODIZATION)
        native.border = WP_BORDER_PERIODIC;
    const int from = wp_extend(wp_description_lifting(&native).extension, row + b->low, b->n);
    *one = (struct wp_axis_entry){from, 1};
    *entry = one;
    return from >= 0;
}

static void fold(const struct border *b, struct sum *sum)
{
    sum->folded = wp_xcalloc((size_t)b->n, sizeof *sum->folded);
    for (int i = 0; i < sum->count; i++) {
        const struct wp_axis_entry *entry;
        struct wp_axis_entry one;
        const int entries = extended(b, sum->first + i - b->low, &entry, &one);
        for (int e = 0; e < entries; e++)
            sum->folded[entry[e].from] += entry[e].weight * sum->weight[i];
    }
}

static void find_ends(struct border *b)
{
    b->left = 1;
    b->right = b->n - 1;
    for (int i = 0; i < b->sums; i++) {
        for (int k = 0; k < b->n; k++) {
            const struct sum *sum = &b->sum[i];
            const bool read = k >= sum->first && k < sum->first + sum->count;
            if (!read && !(fabs(sum->folded[k]) > 0))
                continue;
            b->left = k < b->n / 2 && k >= b->left ? k + 1 : b->left;
            b->right = k >= b->n / 2 && k < b->right ? k : b->right;
        }
    }
}

static void release(struct border *b)
{
    for (int i = 0; i < b->sums; i++) {
        free(b->sum[i].weight);
        free(b->sum[i].folded);
    }
    free(b->sum);
    wp_axis_map_free(&b->extension);
}

// False after WP_ERROR_TOO_LARGE.
static bool make(struct border *b, const struct wp_explain_params *params, enum wp_border border)
{
    const bool inverse = params->direction == WP_INVERSE;
    struct wp_taps taps[2] = {
        wp_wavelet_filter_taps(params->wavelet, inverse ? WP_SYNTHESIS_LOW : WP_ANALYSIS_LOW),
        wp_wavelet_filter_taps(params->wavelet, inverse ? WP_SYNTHESIS_HIGH : WP_ANALYSIS_HIGH)};
    bool ok = taps[0].tap && taps[1].tap;
    int most = 2;
    for (int i = 0; i < 2 && ok; i++) {
        const int reach = (taps[i].last > -taps[i].first ? taps[i].last : -taps[i].first) + 1;
        most = 2 * reach + 1 > most ? 2 * reach + 1 : most;
    }
    *b = (struct border){.params = params, .border = border, .n = 2 * most};
    b->high = b->n - 1;
    const struct wp_description d = describe(params, border, b->n);
    b->outputs = wp_description_size(&d, WP_X, 1);
    const int outputs = inverse ? b->n : b->outputs;
    for (int component = 0; component < (inverse ? 1 : 2) && ok; component++)
        for (int i = 0; i < outputs; i++)
            add_sum(b, taps, component, i);
    free(taps[0].tap);
    free(taps[1].tap);
    ok = ok && wp_axis_map_extend(&b->extension, border, b->n, b->low, b->high - b->low + 1);
    for (int i = 0; i < b->sums && ok; i++)
        fold(b, &b->sum[i]);
    if (ok)
        find_ends(b);
    return ok;
}

// ---- Names. Positions from n/2 on are counted from the end.

static void add_index(struct wp_text *out, const char *end, int index, int count)
{
    if (index < count / 2)
        wp_text_add(out, "[%d]", index);
    else if (index == count)
        wp_text_add(out, "[%s]", end);
    else
        wp_text_add(out, "[%s%+d]", end, index - count);
}

// "x[-2]", "x[n-1]"; for the inverse "low[0]", "high[b-1]".
static void add_position(const struct border *b, struct wp_text *out, int at)
{
    if (is_inverse(b)) {
        wp_text_add(out, at & 1 ? "high" : "low");
        add_index(out, "b", (at - (at & 1)) / 2, b->n / 2);
    } else {
        wp_text_add(out, "x");
        add_index(out, "n", at, b->n);
    }
}

static void add_output(const struct border *b, struct wp_text *out, const struct sum *sum)
{
    if (is_inverse(b)) {
        wp_text_add(out, "x");
        add_index(out, "n", sum->index, b->n);
    } else {
        wp_text_add(out, sum->component ? "high" : "low");
        add_index(out, "b", sum->index, b->outputs);
    }
}

static void add_term(const struct border *b, struct wp_text *out, double weight, int at)
{
    char number[WP_NUMBER_SIZE];
    if (!(fabs(weight) > 1e-12))
        return;
    wp_text_add(out, "%s", weight < 0 ? (out->length ? " - " : "-") : out->length ? " + " : "");
    if (fabs(fabs(weight) - 1) > 1e-12)
        wp_text_add(out, "%s ", wp_format_number(number, fabs(weight), 6));
    add_position(b, out, at);
}

static void add_extension(const struct border *b, struct wp_text *out, int row)
{
    const struct wp_axis_entry *entry;
    struct wp_axis_entry one;
    const int entries = extended(b, row, &entry, &one);
    for (int e = 0; e < entries; e++)
        add_term(b, out, entry[e].weight, entry[e].from);
    if (out->length == 0)
        wp_text_add(out, "0");
}

static void add_title(const struct border *b, struct wp_text *out)
{
    wp_text_add(out, "%s, border %s, %s", b->params->wavelet->name, wp_border_names[b->border],
                wp_direction_names[b->params->direction]);
}

// What positions are.
static void add_meaning(const struct border *b, struct wp_text *out)
{
    wp_text_add(out, "One level along one axis: samples x[0] to x[n-1], n even, and coefficients "
                     "low[0] to low[b-1] and high[0] to high[b-1], b = n/2");
    if (2 * b->outputs != b->n)
        wp_text_add(out, " + %d", b->outputs - b->n / 2);
    wp_text_add(out, ", with norm %s.", wp_norm_names[b->params->norm]);
}

static void add_none(const struct border *b, struct wp_text *out)
{
    wp_text_add(out, is_inverse(b) && is_expansive(b->border)
                         ? "No sum reads beyond an end: there are more coefficients than samples, "
                           "all that a sample depends on. The border matters only forward."
                         : "No sum reads beyond an end: the filters of this wavelet do not leave "
                           "their pair of samples.");
}

static bool is_outside(const struct border *b, int row)
{
    return row + b->low < 0 || row + b->low >= b->n;
}

// ---- Text.

static void print_sum(const struct border *b, const struct sum *sum, struct wp_text *out)
{
    struct wp_text name = {0}, read = {0}, folded = {0};
    add_output(b, &name, sum);
    for (int i = 0; i < sum->count; i++)
        add_term(b, &read, sum->weight[i], sum->first + i);
    for (int i = 0; i < b->n; i++)
        add_term(b, &folded, sum->folded[i], i);
    const int indent = (int)name.length + 5;
    wp_text_add(out, "  %s = ", wp_text_get(&name));
    wp_explain_wrap_sum(out, indent, wp_text_get(&read));
    wp_text_add(out, "\n  %*s = ", (int)name.length, "");
    wp_explain_wrap_sum(out, indent, folded.length ? wp_text_get(&folded) : "0");
    wp_text_add(out, "\n");
    wp_text_free(&name);
    wp_text_free(&read);
    wp_text_free(&folded);
}

static void print(const struct border *b, struct wp_text *out)
{
    struct wp_text text = {0};
    add_title(b, out);
    wp_text_add(out, "\n\n");
    add_meaning(b, &text);
    wp_explain_paragraph(out, 0, "%s", wp_text_get(&text));
    wp_text_clear(&text);
    if (b->sums == 0) {
        add_none(b, &text);
        wp_text_add(out, "\n");
        wp_explain_paragraph(out, 0, "%s", wp_text_get(&text));
        wp_text_free(&text);
        return;
    }
    wp_text_add(out, "\nThe extension:\n");
    for (int row = 0; row <= b->high - b->low; row++) {
        if (!is_outside(b, row))
            continue;
        wp_text_add(out, "  ");
        add_position(b, out, row + b->low);
        wp_text_clear(&text);
        add_extension(b, &text, row);
        wp_text_add(out, " = %s\n", wp_text_get(&text));
    }
    wp_text_add(out, "\n");
    wp_explain_paragraph(out, 0, "The sums that read beyond an end, and below each the same sum "
                                 "after the extension is replaced:");
    for (int i = 0; i < b->sums; i++)
        print_sum(b, &b->sum[i], out);
    wp_text_free(&text);
}

// ---- SVG: a table of weights, a column for each position and two lines for each sum, below arcs
// from samples to those that extend them.

enum { CELL = 54, LINE = 17, MARGIN = 20, NAME = 84, ARCS = 150, GAP = 30 };

// The center of a column; there is a gap between the two ends, without those that no sum reads.
static double column(const struct border *b, int at)
{
    const int skipped = at < b->n / 2 ? 0 : b->right - b->left;
    return MARGIN + NAME + CELL * (at - b->low - skipped + 0.5) + (at < b->n / 2 ? 0 : GAP);
}

static void draw_weight(struct wp_text *out, double x, double y, double weight, bool bold)
{
    char number[WP_NUMBER_SIZE];
    if (fabs(weight) > 1e-12)
        wp_svg_text(out, x, y, 11, bold ? WP_SVG_MIDDLE " " WP_SVG_BOLD : WP_SVG_MIDDLE, "%s",
                    wp_format_number(number, weight, 3));
}

static void draw_extension(const struct border *b, struct wp_text *out, double y)
{
    wp_svg_text(out, (column(b, b->left - 1) + column(b, b->right)) / 2, y + 15, WP_SVG_SIZE,
                WP_SVG_MIDDLE, "\xe2\x80\xa6"); // an ellipsis
    for (int row = 0; row <= b->high - b->low; row++) {
        const int at = row + b->low;
        const struct wp_axis_entry *entry;
        struct wp_axis_entry one;
        const bool outside = is_outside(b, row);
        const double x = column(b, at);
        struct wp_text name = {0}, text = {0};
        if (at >= b->left && at < b->right)
            continue;
        add_position(b, &name, at);
        wp_svg_add(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"22\" ", x - CELL / 2.0 + 2, y,
                   CELL - 4);
        wp_text_add(out, outside ? "fill=\"#f3e3d3\" stroke=\"#b5651d\" stroke-dasharray=\"4 2\"/>\n"
                                 : "fill=\"#e3ecf5\" stroke=\"#12355b\"/>\n");
        wp_svg_text(out, x, y + 15, name.length > 7 ? 9 : 11, WP_SVG_MIDDLE, "%s",
                    wp_text_get(&name));
        const int entries = outside ? extended(b, row, &entry, &one) : 0;
        for (int e = 0; e < entries; e++) {
            const double from = column(b, entry[e].from), height = fmin(fabs(x - from) / 2, ARCS / 2);
            wp_svg_add(out, "<path d=\"M@ @C@ @ @ @ @ @\" fill=\"none\" ", from, y, from, y - height,
                       x, y - height, x, y);
            wp_text_add(out, "stroke=\"%s\"%s/>\n", entry[e].weight < 0 ? "#b5651d" : "#12355b",
                        entry[e].weight < 0 ? " stroke-dasharray=\"5 3\"" : "");
        }
        if (outside) {
            add_extension(b, &text, row);
            wp_svg_add(out, "<g transform=\"rotate(-90 @ @)\">", x + 4, y + 28);
            wp_svg_text(out, x + 4, y + 28, 10, WP_SVG_END, "= %s", wp_text_get(&text));
            wp_text_add(out, "</g>\n");
        }
        wp_text_free(&name);
        wp_text_free(&text);
    }
}

static double draw_sums(const struct border *b, struct wp_text *out, double y)
{
    for (int i = 0; i < b->sums; i++) {
        const struct sum *sum = &b->sum[i];
        struct wp_text name = {0};
        add_output(b, &name, sum);
        wp_svg_add(out, "<path d=\"M@ @H@\" stroke=\"#ccc\"/>\n", MARGIN, y,
                   column(b, b->high) + CELL / 2.0);
        wp_svg_text(out, MARGIN, y + LINE, WP_SVG_SIZE, NULL, "%s", wp_text_get(&name));
        wp_text_free(&name);
        for (int k = 0; k < sum->count; k++)
            draw_weight(out, column(b, sum->first + k), y + LINE - 3, sum->weight[k], false);
        bool is_zero = true;
        for (int k = 0; k < b->n; k++) {
            draw_weight(out, column(b, k), y + 2 * LINE - 3, sum->folded[k], true);
            is_zero = is_zero && !(fabs(sum->folded[k]) > 1e-12);
        }
        if (is_zero)
            wp_svg_text(out, column(b, sum->first < 0 ? 0 : b->n - 1), y + 2 * LINE - 3, 11,
                        WP_SVG_MIDDLE " " WP_SVG_BOLD, "0");
        y += 2 * LINE + 4;
    }
    return y;
}

static void draw(const struct border *b, struct wp_text *out)
{
    struct wp_text title = {0}, meaning = {0}, body = {0};
    const double width = fmax(700, column(b, b->high) + CELL / 2.0 + MARGIN);
    add_title(b, &title);
    add_meaning(b, &meaning);
    wp_text_add(&meaning, " ");
    if (b->sums == 0)
        add_none(b, &meaning);
    else
        wp_text_add(&meaning, "Each sum has two lines: weights of what it reads, also beyond the "
                              "ends (dashed), and in bold its weights after the extension is "
                              "replaced. Arcs lead from samples to those that extend them, dashed "
                              "ones with a negative weight.");
    wp_svg_text(&body, MARGIN, MARGIN + 8, 18, NULL, "%s", wp_text_get(&title));
    double y = wp_svg_lines(&body, MARGIN, MARGIN + 30, WP_SVG_SIZE, NULL, 16,
                            (size_t)((width - 2 * MARGIN) / 6.2), wp_text_get(&meaning));
    if (b->sums > 0) {
        y += ARCS / 2.0;
        draw_extension(b, &body, y);
        y = draw_sums(b, &body, y + ARCS);
    }
    wp_svg_wrap(out, width, y + MARGIN, wp_text_get(&title), wp_text_get(&meaning),
                wp_text_get(&body));
    wp_text_free(&title);
    wp_text_free(&meaning);
    wp_text_free(&body);
}

bool wp_report_border(const struct wp_explain_params *params, enum wp_border border,
                      struct wp_text *out)
{
    const struct wp_description d = describe(params, border, 2);
    struct border b;
    if (!wp_description_check(&d))
        return false;
    const bool ok = make(&b, params, border);
    if (ok)
        (params->format == WP_EXPLAIN_SVG ? draw : print)(&b, out);
    release(&b);
    return ok;
}
