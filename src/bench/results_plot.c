#include "bench.h"
#include "results.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 10 }; // maximum number of lines of a panel

struct curve {
    const struct wp_row *row; // the first of the rows, which differ only in size
    int panel;
    struct wp_text label;
    int count;
    double *x, *y;
};

struct chart {
    const struct wp_results *results;
    unsigned along; // keys that may differ between points of a curve
    unsigned shown; // keys that differ between curves
    unsigned split; // keys that differ between panels
    int count, panel_count;
    struct curve *curve;
    struct wp_plot_panel *panel;
    struct wp_text *panel_title;
    struct wp_plot_line *line; // the lines of all panels
    bool one_size;
    double low, high; // GB/s
};

// True for the copy ceiling, and for ceilings whose bytes limit a transform in the results.
// Ceilings of fetches and fills are not in GB/s.
static bool is_drawn(const struct wp_results *results, const struct wp_row *ceiling)
{
    if (strcmp(ceiling->work, "copy") == 0)
        return true;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind == WP_ROW_TRANSFORM && strcmp(row->ceiling_binds, "bytes") == 0 &&
            strcmp(row->ceiling_name, ceiling->work) == 0 &&
            strcmp(row->backend, ceiling->backend) == 0)
            return true;
    }
    return false;
}

// The GB/s of a row; NAN if it is not drawn.
static double height_of(const struct wp_results *results, const struct wp_row *row)
{
    if (row->width <= 0 || row->height <= 0)
        return NAN;
    if (row->kind == WP_ROW_CEILING)
        return is_drawn(results, row) ? row->traffic_gbps : NAN;
    return row->kind == WP_ROW_TRANSFORM ? row->payload_gbps : NAN;
}

static struct curve *find_curve(struct chart *chart, const struct wp_row *row)
{
    const unsigned keys = WP_KEYS_ALL & ~chart->along;
    for (int c = 0; c < chart->count; c++)
        if (wp_row_keys_equal(chart->curve[c].row, row, keys))
            return &chart->curve[c];
    chart->curve = wp_xrealloc(chart->curve, (size_t)chart->count + 1, sizeof *chart->curve);
    chart->curve[chart->count] = (struct curve){.row = row};
    return &chart->curve[chart->count++];
}

// Inserts a point in ascending order of x.
static void add_point(struct curve *curve, double x, double y)
{
    const size_t count = (size_t)curve->count + 1;
    curve->x = wp_xrealloc(curve->x, count, sizeof *curve->x);
    curve->y = wp_xrealloc(curve->y, count, sizeof *curve->y);
    int at = curve->count++;
    for (; at > 0 && curve->x[at - 1] > x; at--) {
        curve->x[at] = curve->x[at - 1];
        curve->y[at] = curve->y[at - 1];
    }
    curve->x[at] = x;
    curve->y[at] = y;
}

static void collect(struct chart *chart)
{
    const struct wp_row *first = NULL;
    chart->one_size = true;
    chart->low = INFINITY;
    const unsigned varying = wp_row_keys_varying(chart->results, WP_ROW_TRANSFORM);
    // Batches of one size are points of a curve.
    chart->along = WP_KEY_BIT(WP_KEY_SIZE);
    if (!(varying & WP_KEY_BIT(WP_KEY_SIZE)))
        chart->along |= WP_KEY_BIT(WP_KEY_BATCH);
    chart->shown = varying & ~chart->along;
    for (int i = 0; i < chart->results->row_count; i++) {
        const struct wp_row *row = &chart->results->row[i];
        const double y = height_of(chart->results, row);
        if (!(y >= WP_PLOT_LEAST && y <= WP_PLOT_MOST)) // also excludes NaN
            continue;
        first = first ? first : row;
        chart->one_size &= row->width == first->width && row->height == first->height &&
                           row->depth == first->depth && row->batch == first->batch;
        chart->low = fmin(chart->low, y);
        chart->high = fmax(chart->high, y);
        const int depth = row->depth > 1 ? row->depth : row->batch > 1 ? row->batch : 1;
        add_point(find_curve(chart, row), (double)row->width * row->height * depth / 1e6, y);
    }
}

static void add_label(const struct chart *chart, struct curve *curve)
{
    if (curve->row->kind == WP_ROW_CEILING) {
        wp_text_add(&curve->label, "ceiling ");
        wp_row_describe(curve->row,
                        (WP_KEY_BIT(WP_KEY_BACKEND) & ~chart->split) |
                            WP_KEY_BIT(WP_KEY_TRANSFORM) | WP_KEY_BIT(WP_KEY_THREADS),
                        &curve->label);
        return;
    }
    wp_row_describe(curve->row, chart->shown & ~chart->split, &curve->label);
    if (!curve->label.length)
        wp_row_describe(curve->row, WP_KEY_BIT(WP_KEY_WAVELET) | WP_KEY_BIT(WP_KEY_SCHEME),
                        &curve->label);
}

// Assigns transforms to panels, and ceilings to the first panel of their backend.
static void find_panels(struct chart *chart)
{
    const int count = chart->count;
    const struct wp_row **first = wp_xcalloc((size_t)count + 1, sizeof *first);
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < count; c++) {
            struct curve *curve = &chart->curve[c];
            const bool ceiling = curve->row->kind == WP_ROW_CEILING;
            if (ceiling != (pass == 1))
                continue;
            int p = 0;
            while (p < chart->panel_count &&
                   !(ceiling ? !chart->split || strcmp(first[p]->backend, curve->row->backend) == 0
                             : wp_row_keys_equal(first[p], curve->row, chart->split)))
                p++;
            if (p == chart->panel_count)
                first[chart->panel_count++] = curve->row;
            curve->panel = p;
        }
    chart->panel_title = wp_xcalloc((size_t)chart->panel_count + 1, sizeof *chart->panel_title);
    for (int p = 0; p < chart->panel_count; p++)
        wp_row_describe(first[p], chart->split, &chart->panel_title[p]);
    free(first);
}

// The number of panels if the transforms are split by these keys.
static int count_panels(const struct chart *chart, unsigned keys)
{
    int count = 0;
    for (int c = 0; c < chart->count; c++) {
        bool known = chart->curve[c].row->kind == WP_ROW_CEILING;
        for (int b = 0; b < c && !known; b++)
            known = wp_row_keys_equal(chart->curve[b].row, chart->curve[c].row, keys);
        count += !known;
    }
    return count;
}

// Chooses the keys of panels: backend if there are too many lines, also wavelet if that does not
// suffice, and so on.
static unsigned choose_split(const struct chart *chart)
{
    static const enum wp_row_key by[] = {WP_KEY_BACKEND, WP_KEY_WAVELET, WP_KEY_LEVELS,
                                         WP_KEY_DIRECTION};
    unsigned split = 0;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++)
        if (!chart->one_size && chart->count > CROWD * count_panels(chart, split))
            split |= chart->shown & WP_KEY_BIT(by[k]);
    return split;
}

static void make_panels(struct chart *chart)
{
    chart->split = choose_split(chart);
    find_panels(chart);
    chart->panel = wp_xcalloc((size_t)chart->panel_count + 1, sizeof *chart->panel);
    chart->line = wp_xcalloc((size_t)chart->count + 1, sizeof *chart->line);
    int lines = 0;
    for (int p = 0; p < chart->panel_count; p++) {
        struct wp_plot_panel *panel = &chart->panel[p];
        *panel = (struct wp_plot_panel){.line = chart->line + lines};
        if (chart->split)
            panel->title = wp_text_get(&chart->panel_title[p]);
        for (int c = 0; c < chart->count; c++) {
            struct curve *curve = &chart->curve[c];
            if (curve->panel != p)
                continue;
            add_label(chart, curve);
            chart->line[lines++] = (struct wp_plot_line){wp_text_get(&curve->label), curve->count,
                                                         curve->x, curve->y};
            panel->line_count++;
        }
    }
    if (chart->panel_count == 0) // only axes
        chart->panel_count = 1;
}

static void release(struct chart *chart)
{
    for (int c = 0; c < chart->count; c++) {
        wp_text_free(&chart->curve[c].label);
        free(chart->curve[c].x);
        free(chart->curve[c].y);
    }
    for (int p = 0; p < chart->panel_count; p++)
        wp_text_free(&chart->panel_title[p]);
    free(chart->curve);
    free(chart->panel);
    free(chart->panel_title);
    free(chart->line);
}

static void add_fact(struct wp_text *text, const json_t *object, const char *key,
                     const char *name)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value)
        wp_text_add(text, "%s%s%s", text->length ? ", " : "", name, value);
}

// Adds each backend's device, then driver and program.
static void add_caption(const struct wp_results *results, struct wp_text *text)
{
    bool software = false;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        bool known = !*row->device;
        for (int j = 0; j < i && !known; j++)
            known = strcmp(results->row[j].device, row->device) == 0 &&
                    strcmp(results->row[j].backend, row->backend) == 0;
        if (!known)
            wp_text_add(text, "%s%s: %s", text->length ? "; " : "", row->backend, row->device);
        software |= row->software == 1;
    }
    if (software)
        wp_text_add(text, "; SOFTWARE, not the speed of a GPU");
    const json_t *environment = results->environment;
    struct wp_text facts = {0};
    add_fact(&facts, json_object_get(environment, "gl"), "version", "OpenGL ");
    add_fact(&facts, json_object_get(environment, "cuda"), "driver", "CUDA driver ");
    add_fact(&facts, json_object_get(environment, "tool"), "version", "wavepass ");
    add_fact(&facts, environment, "date", "");
    wp_text_add(text, "\n%s%s", wp_text_get(&facts), results->complete ? "" : ", INCOMPLETE");
    wp_text_free(&facts);
}

void wp_results_plot(const struct wp_results *results, struct wp_text *text)
{
    struct chart chart = {.results = results};
    collect(&chart);
    make_panels(&chart);
    struct wp_text title = {0}, caption = {0}, description = {0};
    wp_text_add(&title, "wavepass bench");
    if (chart.count > 0) {
        wp_text_add(&title, ": ");
        wp_row_describe(chart.curve[0].row,
                        ~(chart.shown | WP_KEY_BIT(WP_KEY_BORDER) | WP_KEY_BIT(WP_KEY_NORM) |
                          WP_KEY_BIT(WP_KEY_LAYOUT) |
                          (chart.one_size ? 0 : WP_KEY_BIT(WP_KEY_SIZE))),
                        &title);
    }
    add_caption(results, &caption);
    wp_text_add(&description,
                "Throughput in GB/s (image read once and written once) %s, a %s for each of: ",
                chart.one_size ? "at one size" : "over the image size in megapixels",
                chart.one_size ? "bar" : "line");
    for (int p = 0, line = 0; p < chart.panel_count; p++)
        for (int l = 0; l < chart.panel[p].line_count; l++, line++)
            wp_text_add(&description, "%s%s%s%s", line ? "; " : "",
                        chart.split ? chart.panel[p].title : "", chart.split ? " " : "",
                        chart.line[line].label);
    const struct wp_plot plot = {
        .title = wp_text_get(&title),
        .description = wp_text_get(&description),
        .caption = wp_text_get(&caption),
        .x_label = "image size in Mpel",
        .y_label = "GB/s, image read once and written once",
        .log_x = true,
        .log_y = chart.high > 50.0 * chart.low,
        .panel_count = chart.panel_count,
        .panel = chart.panel,
    };
    if (chart.one_size && chart.count > 0)
        wp_plot_bars(&plot, text);
    else
        wp_plot_lines(&plot, text);
    wp_text_free(&title);
    wp_text_free(&caption);
    wp_text_free(&description);
    release(&chart);
}
