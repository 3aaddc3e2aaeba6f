#include "filters.h"

#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"
#include "xmemory.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct wp_taps wp_filters_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind)
{
    const struct wp_taps taps = wp_wavelet_filter_taps(wavelet, kind);
    if (!taps.tap)
        wp_xmemory_end();
    return taps;
}

// The magnitude response |sum tap_k exp(-i w k)|.
static double filters_response(const struct wp_taps *taps, double w)
{
    double complex sum = 0.0;
    for (int k = taps->first; k <= taps->last; k++)
        sum += taps->tap[k - taps->first] * cexp(-w * k * I);
    return cabs(sum);
}

int wp_filters_moments(const struct wp_taps *high)
{
    const int length = high->last - high->first + 1;
    for (int p = 0; p < length; p++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < length; i++) {
            // About the middle, for accuracy; moments vanish about every point.
            const double term = high->tap[i] * pow(i - 0.5 * (length - 1), p);
            sum += term;
            size += fabs(term);
        }
        if (fabs(sum) > 1e-6 * size)
            return p;
    }
    return length;
}

static double sum_of(const struct wp_taps *taps)
{
    double sum = 0.0;
    for (int k = taps->first; k <= taps->last; k++)
        sum += taps->tap[k - taps->first];
    return sum;
}

double wp_filters_smoothness(const struct wp_taps *low, int zeros)
{
    int degree = low->last - low->first;
    if (degree >= WP_SMOOTHNESS_TAPS)
        return NAN;
    double *q = wp_xcalloc((size_t)degree + 1, sizeof *q);
    const double sum = sum_of(low);
    for (int i = 0; i <= degree; i++)
        q[i] = low->tap[i] / sum;
    // Divide by (1 + z)/2; the remainder is only rounding.
    for (int zero = 0; zero < zeros && degree > 0; zero++, degree--) {
        double carry = 0.0;
        for (int i = 0; i < degree; i++)
            q[i] = carry = 2.0 * q[i] - carry;
    }
    // Coefficients -degree..degree of |q|^2 and of f. The operator keeps the even coefficients of
    // their product, times 2.
    const int size = 2 * degree + 1;
    double *square = wp_xcalloc((size_t)size, sizeof *square);
    double *f = wp_xcalloc((size_t)size, sizeof *f), *g = wp_xcalloc((size_t)size, sizeof *g);
    for (int i = 0; i <= degree; i++)
        for (int j = 0; j <= degree; j++)
            square[degree + i - j] += q[i] * q[j];
    f[degree] = 1.0;
    enum { STEPS = 1000 };
    double norm = 0.0;
    for (int step = 0; step < STEPS; step++) {
        const double previous = norm;
        norm = 0.0;
        for (int n = -degree; n <= degree; n++) {
            g[degree + n] = 0.0;
            for (int k = -degree; k <= degree; k++)
                if (abs(2 * n - k) <= degree)
                    g[degree + n] += 2.0 * square[degree + 2 * n - k] * f[degree + k];
            norm += fabs(g[degree + n]);
        }
        for (int i = 0; i < size; i++)
            f[i] = g[i] / norm;
        if (fabs(norm - previous) < 1e-12 * norm)
            break;
    }
    free(q);
    free(square);
    free(f);
    free(g);
    return zeros - log2(norm) / 2.0;
}

// One step: halves the grid spacing and applies the filter.
static void refine(struct wp_cascade *curve, const struct wp_taps *taps, double scale, int spacing)
{
    // value(t) = scale sum h_k old(2t - k): the same samples at half the distance.
    const int length = taps->last - taps->first;
    const int count = curve->count + length * spacing;
    double *value = wp_xcalloc((size_t)count, sizeof *value);
    for (int k = 0; k <= length; k++)
        for (int i = 0; i < curve->count; i++)
            value[i + k * spacing] += scale * taps->tap[k] * curve->value[i];
    free(curve->value);
    *curve = (struct wp_cascade){(curve->first + taps->first) / 2.0, count, value};
}

struct wp_cascade wp_filters_cascade(const struct wp_taps *low, const struct wp_taps *high)
{
    struct wp_cascade curve = {0.0, 1, wp_xcalloc(1, sizeof(double))};
    curve.value[0] = 1.0;
    const int steps = high ? WP_CURVE_LEVELS - 1 : WP_CURVE_LEVELS;
    for (int step = 0; step < steps; step++)
        refine(&curve, low, 2.0 / sum_of(low), 1 << step);
    if (high) {
        refine(&curve, high, 2.0 / sum_of(low), 1 << steps);
        curve.first += 0.5; // odd samples
    }
    return curve;
}

// ---- text and drawings ----

static const char *const kind_names[WP_FILTER_KINDS] = {
    [WP_ANALYSIS_LOW] = "analysis low",
    [WP_ANALYSIS_HIGH] = "analysis high",
    [WP_SYNTHESIS_LOW] = "synthesis low",
    [WP_SYNTHESIS_HIGH] = "synthesis high",
};

static const double pi = 3.14159265358979323846;

// The properties; index 0 of arrays of two is the analysis bank, 1 the synthesis bank.
struct properties {
    struct wp_taps taps[WP_FILTER_KINDS];
    int moments[2];       // of the bank's high-pass filter
    double smoothness[2]; // of the bank's scaling function
    struct wp_cascade scaling[2], wavelet[2];
};

static struct properties find_properties(const struct wp_wavelet *wavelet)
{
    struct properties properties;
    for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
        properties.taps[kind] = wp_filters_taps(wavelet, (enum wp_filter_kind)kind);
    for (int bank = 0; bank < 2; bank++) {
        const struct wp_taps *low = &properties.taps[2 * bank], *high = low + 1;
        properties.moments[bank] = wp_filters_moments(high);
        properties.scaling[bank] = wp_filters_cascade(low, NULL);
        properties.wavelet[bank] = wp_filters_cascade(low, high);
    }
    // A low-pass filter's zeros at the Nyquist frequency are the vanishing moments of the other
    // bank.
    for (int bank = 0; bank < 2; bank++)
        properties.smoothness[bank] =
            wp_filters_smoothness(&properties.taps[2 * bank], properties.moments[!bank]);
    return properties;
}

static void free_properties(struct properties *properties)
{
    for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
        free(properties->taps[kind].tap);
    for (int bank = 0; bank < 2; bank++) {
        free(properties->scaling[bank].value);
        free(properties->wavelet[bank].value);
    }
}

static const char *border_note(const struct wp_wavelet *wavelet)
{
    switch (wavelet->symmetry) {
    case WP_SYMMETRY_WHOLE:
        return "the filters are symmetric about a sample, so the image is mirrored about its "
               "first and last sample (x[-k] = x[k]); periodic borders are supported too";
    case WP_SYMMETRY_LOCAL:
        return "every step stays inside its pair of samples, so no extension is needed; the "
               "last sample of an odd length is copied to the low band";
    default: return "the filters are not symmetric about a sample and require periodic borders";
    }
}

// Adds the exponent, "1.41", or that the function is not square integrable.
static void add_smoothness(double smoothness, struct wp_text *out)
{
    char number[WP_NUMBER_SIZE];
    if (isnan(smoothness))
        wp_text_add(out, "not computed (more than %d taps)", WP_SMOOTHNESS_TAPS);
    else if (smoothness > 0.0)
        wp_text_add(out, "%s", wp_format_number(number, smoothness, 3));
    else
        wp_text_add(out, "none (%s: not square integrable)",
                    wp_format_number(number, smoothness, 3));
}

// ---- text ----

static void write_taps(const struct properties *properties, struct wp_text *out)
{
    int first = 0, last = 0;
    wp_text_add(out, "   k");
    for (int kind = 0; kind < WP_FILTER_KINDS; kind++) {
        const struct wp_taps *taps = &properties->taps[kind];
        first = taps->first < first ? taps->first : first;
        last = taps->last > last ? taps->last : last;
        wp_text_add(out, "  %16s", kind_names[kind]);
    }
    wp_text_add(out, "\n");
    for (int k = first; k <= last; k++) {
        wp_text_add(out, "%4d", k);
        for (int kind = 0; kind < WP_FILTER_KINDS; kind++) {
            const struct wp_taps *taps = &properties->taps[kind];
            char number[WP_NUMBER_SIZE] = "";
            if (k >= taps->first && k <= taps->last)
                wp_format_number(number, taps->tap[k - taps->first], 10);
            wp_text_add(out, "  %16s", *number ? number : "-");
        }
        wp_text_add(out, "\n");
    }
}

static void write_filters(const struct wp_wavelet *wavelet, const struct properties *properties,
                          struct wp_text *out)
{
    wp_text_add(out, "%s: %s\n\nTaps with jpeg2000 normalization:\n", wavelet->name,
                wavelet->title);
    write_taps(properties, out);
    wp_text_add(out,
                "\nlow[n] = sum over k of (analysis low)[k] x[2n+k]\n"
                "high[n] = sum over k of (analysis high)[k] x[2n+1+k]\n"
                "x[n] = sum over m of (synthesis low)[n-2m] low[m]\n"
                "                   + (synthesis high)[n-2m-1] high[m]\n");
    for (int bank = 0; bank < 2; bank++) {
        const struct wp_taps *low = &properties->taps[2 * bank];
        char at_0[WP_NUMBER_SIZE], at_pi[WP_NUMBER_SIZE];
        wp_text_add(out,
                    "\n%s\n  gain: low-pass %s at DC, high-pass %s at the Nyquist frequency\n"
                    "  vanishing moments of the high-pass filter: %d\n"
                    "  smoothness of the scaling function: ",
                    bank ? "Synthesis" : "Analysis",
                    wp_format_number(at_0, filters_response(low, 0.0), 6),
                    wp_format_number(at_pi, filters_response(low + 1, pi), 6),
                    properties->moments[bank]);
        add_smoothness(properties->smoothness[bank], out);
        wp_text_add(out, "\n");
    }
    wp_text_add(out, "\n");
    wp_explain_paragraph(out, 2,
                         "Smoothness is the Sobolev exponent: derivatives of an order below it are "
                         "square integrable. It is computed from the spectral radius of the "
                         "filter's transfer operator, after division by its zeros at the Nyquist "
                         "frequency (Eirola 1992, Villemoes 1992).");
    wp_text_add(out, "Borders: ");
    wp_explain_paragraph(out, 2, "%s", border_note(wavelet));
}

// ---- CSV ----

static void list_value(const char *series, double x, double value, struct wp_text *out)
{
    char a[WP_NUMBER_SIZE], b[WP_NUMBER_SIZE];
    wp_text_add(out, "%s,%s,%s\n", series, wp_format_number(a, x, 10),
                wp_format_number(b, value, 10));
}

static void list_curve(const char *series, const struct wp_cascade *curve, struct wp_text *out)
{
    for (int i = 0; i < curve->count; i++)
        list_value(series, curve->first + ldexp(i, -WP_CURVE_LEVELS), curve->value[i], out);
}

enum { RESPONSE_STEPS = 128 };

static void list_filters(const struct properties *properties, struct wp_text *out)
{
    wp_text_add(out, "series,x,value\n");
    for (int kind = 0; kind < WP_FILTER_KINDS; kind++) {
        const struct wp_taps *taps = &properties->taps[kind];
        for (int k = taps->first; k <= taps->last; k++)
            list_value(kind_names[kind], k, taps->tap[k - taps->first], out);
    }
    for (int kind = 0; kind < WP_FILTER_KINDS; kind++) {
        struct wp_text name = {0};
        wp_text_add(&name, "response of %s", kind_names[kind]);
        for (int i = 0; i <= RESPONSE_STEPS; i++) {
            const double w = pi * i / RESPONSE_STEPS;
            list_value(wp_text_get(&name), w, filters_response(&properties->taps[kind], w), out);
        }
        wp_text_free(&name);
    }
    list_curve("analysis scaling function", &properties->scaling[0], out);
    list_curve("analysis wavelet", &properties->wavelet[0], out);
    list_curve("synthesis scaling function", &properties->scaling[1], out);
    list_curve("synthesis wavelet", &properties->wavelet[1], out);
}

// ---- SVG ----

enum { PLOT_WIDTH = 230, PLOT_HEIGHT = 150, PLOT_STEP_X = 290, PLOT_STEP_Y = 230, MARGIN = 20 };

struct plot {
    double x, y; // corner of the frame
    double x_min, x_max, y_min, y_max;
    struct wp_text *out;
};

static double plot_x(const struct plot *plot, double x)
{
    return plot->x + PLOT_WIDTH * (x - plot->x_min) / (plot->x_max - plot->x_min);
}

static double plot_y(const struct plot *plot, double y)
{
    return plot->y + PLOT_HEIGHT * (plot->y_max - y) / (plot->y_max - plot->y_min);
}

static void include(struct plot *plot, double value)
{
    plot->y_min = fmin(plot->y_min, value);
    plot->y_max = fmax(plot->y_max, value);
}

// Draws the frame, the axes through zero, and the ends of the ranges.
static void draw_frame(const struct plot *plot, const char *title, const char *x_first,
                       const char *x_last)
{
    struct wp_text *out = plot->out;
    wp_svg_text(out, plot->x, plot->y - 8, 13, NULL, "%s", title);
    wp_svg_add(out,
               "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" fill=\"none\" "
               "stroke=\"#999\"/>\n<path d=\"M@ @h@\" stroke=\"#999\"/>\n",
               plot->x, plot->y, PLOT_WIDTH, PLOT_HEIGHT, plot->x, plot_y(plot, 0.0), PLOT_WIDTH);
    const double y[] = {plot->y_min, 0.0, plot->y_max};
    for (int i = 0; i < 3; i++) {
        const double distance = fabs(plot_y(plot, y[i]) - plot_y(plot, 0.0));
        if (i != 1 && distance < 12.0)
            continue;
        char number[WP_NUMBER_SIZE];
        wp_svg_text(out, plot->x - 4, plot_y(plot, y[i]) + 4, 10, WP_SVG_END, "%s",
                    i == 1 ? "0" : wp_format_number(number, y[i], 3));
    }
    const double y_text = plot->y + PLOT_HEIGHT + 14;
    wp_svg_text(out, plot->x, y_text, 10, NULL, "%s", x_first);
    wp_svg_text(out, plot->x + PLOT_WIDTH, y_text, 10, WP_SVG_END, "%s", x_last);
}

static void draw_line(const struct plot *plot, int count, const double *x, const double *y,
                      bool high)
{
    wp_text_add(plot->out, "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\"%s d=\"",
                wp_grid_colour(high), high ? " stroke-dasharray=\"6 3\"" : "");
    for (int i = 0; i < count; i++) {
        wp_text_add(plot->out, "%s", i ? "L" : "M");
        wp_svg_add(plot->out, "@ @", plot_x(plot, x[i]), plot_y(plot, y[i]));
    }
    wp_text_add(plot->out, "\"/>\n");
}

static void draw_taps(struct plot plot, const struct wp_taps taps[2], const char *title)
{
    plot.x_min = fmin(taps[0].first, taps[1].first) - 1;
    plot.x_max = fmax(taps[0].last, taps[1].last) + 1;
    for (int high = 0; high < 2; high++)
        for (int k = taps[high].first; k <= taps[high].last; k++)
            include(&plot, taps[high].tap[k - taps[high].first]);
    char first[32], last[32];
    snprintf(first, sizeof first, "k = %d", (int)plot.x_min);
    snprintf(last, sizeof last, "%d", (int)plot.x_max);
    draw_frame(&plot, title, first, last);
    for (int high = 0; high < 2; high++) {
        for (int k = taps[high].first; k <= taps[high].last; k++) {
            // Side by side: the low-pass filter is a little to the left.
            const double x = plot_x(&plot, k) + (high ? 3 : -3);
            const double y = plot_y(&plot, taps[high].tap[k - taps[high].first]);
            wp_svg_add(plot.out, "<path d=\"M@ @V@\" stroke-width=\"1.5\"", x,
                       plot_y(&plot, 0.0), y);
            wp_text_add(plot.out, " stroke=\"%s\"/>\n", wp_grid_colour(high));
            wp_grid_mark(plot.out, high, (struct wp_grid_point){x, y}, 3.5, false);
        }
    }
}

static void draw_response(struct plot plot, const struct wp_taps taps[2], const char *title)
{
    double x[RESPONSE_STEPS + 1], y[2][RESPONSE_STEPS + 1];
    plot.x_max = pi;
    for (int i = 0; i <= RESPONSE_STEPS; i++) {
        x[i] = pi * i / RESPONSE_STEPS;
        for (int high = 0; high < 2; high++)
            include(&plot, y[high][i] = filters_response(&taps[high], x[i]));
    }
    draw_frame(&plot, title, "DC", "Nyquist frequency");
    for (int high = 0; high < 2; high++)
        draw_line(&plot, RESPONSE_STEPS + 1, x, y[high], high);
}

static void draw_curve(struct plot plot, const struct wp_cascade *curve, bool high,
                       const char *title)
{
    double *x = wp_xcalloc((size_t)curve->count, sizeof *x);
    plot.x_min = curve->first;
    plot.x_max = curve->first + ldexp(curve->count - 1, -WP_CURVE_LEVELS);
    for (int i = 0; i < curve->count; i++) {
        x[i] = curve->first + ldexp(i, -WP_CURVE_LEVELS);
        include(&plot, curve->value[i]);
    }
    char first[WP_NUMBER_SIZE], last[WP_NUMBER_SIZE];
    draw_frame(&plot, title, wp_format_number(first, round(10.0 * plot.x_min) / 10.0, 3),
               wp_format_number(last, round(10.0 * plot.x_max) / 10.0, 3));
    draw_line(&plot, curve->count, x, curve->value, high);
    free(x);
}

static void draw_bank(const struct properties *properties, int bank, double y, struct wp_text *out)
{
    static const char *const titles[2][4] = {
        {"Analysis filters", "Magnitude response", "Scaling function", "Wavelet"},
        {"Synthesis filters", "Magnitude response", "Scaling function", "Wavelet"},
    };
    const struct wp_taps *taps = &properties->taps[2 * bank];
    struct plot plot = {.x = MARGIN + 34, .y = y, .out = out};
    draw_taps(plot, taps, titles[bank][0]);
    plot.x += PLOT_STEP_X;
    draw_response(plot, taps, titles[bank][1]);
    plot.x += PLOT_STEP_X;
    draw_curve(plot, &properties->scaling[bank], false, titles[bank][2]);
    plot.x += PLOT_STEP_X;
    draw_curve(plot, &properties->wavelet[bank], true, titles[bank][3]);
    struct wp_text note = {0};
    wp_text_add(&note, "%d vanishing moment%s; Sobolev smoothness ", properties->moments[bank],
                WP_PLURAL(properties->moments[bank]));
    add_smoothness(properties->smoothness[bank], &note);
    wp_svg_text(out, MARGIN + 34, y + PLOT_HEIGHT + 34, WP_SVG_SIZE, NULL, "%s",
                wp_text_get(&note));
    wp_text_free(&note);
}

static void draw_filters(const struct wp_wavelet *wavelet, const struct properties *properties,
                         struct wp_text *out)
{
    struct wp_text body = {0}, title = {0}, description = {0};
    wp_text_add(&title, "%s: %s", wavelet->name, wavelet->title);
    wp_svg_text(&body, MARGIN, MARGIN + 8, 18, NULL, "%s", wp_text_get(&title));
    const double y = MARGIN + 60;
    for (int bank = 0; bank < 2; bank++)
        draw_bank(properties, bank, y + bank * PLOT_STEP_Y, &body);
    const double bottom = y + 2 * PLOT_STEP_Y;
    for (int high = 0; high < 2; high++) {
        const double x = MARGIN + 34 + 200 * high;
        wp_grid_mark(&body, high, (struct wp_grid_point){x + 4, bottom - 4}, 4, false);
        wp_svg_text(&body, x + 14, bottom, WP_SVG_SIZE, NULL,
                    high ? "high-pass (dashed curves)" : "low-pass (solid curves)");
    }
    wp_svg_text(&body, MARGIN + 34, bottom + 22, WP_SVG_SIZE, NULL, "Borders: %s.",
                border_note(wavelet));
    wp_text_add(&description,
                "Filters with jpeg2000 normalization, their magnitude responses, and the scaling "
                "functions and wavelets after %d steps of the cascade algorithm. Analysis above, "
                "synthesis below. Vanishing moments: %d and %d. Borders: %s.",
                WP_CURVE_LEVELS, properties->moments[0], properties->moments[1],
                border_note(wavelet));
    wp_svg_wrap(out, MARGIN + 4 * PLOT_STEP_X, bottom + 22 + MARGIN, wp_text_get(&title),
                wp_text_get(&description), wp_text_get(&body));
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&description);
}

void wp_explain_filters(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                        struct wp_text *out)
{
    struct properties properties = find_properties(wavelet);
    switch (format) {
    case WP_EXPLAIN_SVG: draw_filters(wavelet, &properties, out); break;
    case WP_EXPLAIN_CSV: list_filters(&properties, out); break;
    default: write_filters(wavelet, &properties, out); break;
    }
    free_properties(&properties);
}
