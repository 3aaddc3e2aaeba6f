#include "memory.h"
#include "plot.h"
#include "results_write.h"
#include "row_key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve {
    const struct wp_row *row; // the first of those that differ from it in size alone
    struct wp_text label;
    int count;
    double *x, *y;
};

struct chart {
    const struct wp_results *results;
    unsigned shown; // keys that tell curves apart
    int count;
    struct curve *curve;
    struct wp_plot_line *line;
    bool one_size;
    double low, high; // GB/s
};

// Ceilings of bytes are drawn beside what they bind; those of fetches and fills are no GB/s.
static bool is_bound_of_bytes(const struct wp_results *results, const struct wp_row *ceiling)
{
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind == WP_ROW_TRANSFORM && strcmp(row->ceiling_binds, "bytes") == 0 &&
            strcmp(row->ceiling_name, ceiling->work) == 0 &&
            strcmp(row->backend, ceiling->backend) == 0)
            return true;
    }
    return false;
}

// NAN for what is not drawn.
static double height_of(const struct wp_results *results, const struct wp_row *row)
{
    if (row->width <= 0)
        return NAN;
    if (row->kind == WP_ROW_CEILING)
        return is_bound_of_bytes(results, row) ? row->traffic_gbps : NAN;
    return row->kind == WP_ROW_TRANSFORM ? row->payload_gbps : NAN;
}

static struct curve *find_curve(struct chart *chart, const struct wp_row *row)
{
    const unsigned keys = WP_KEYS_ALL & ~WP_KEY_BIT(WP_KEY_SIZE);
    for (int c = 0; c < chart->count; c++)
        if (wp_row_keys_equal(chart->curve[c].row, row, keys))
            return &chart->curve[c];
    chart->curve = wp_xrealloc(chart->curve, (size_t)chart->count + 1, sizeof *chart->curve);
    struct curve *curve = &chart->curve[chart->count++];
    *curve = (struct curve){.row = row};
    if (row->kind == WP_ROW_CEILING) {
        wp_text_add(&curve->label, "ceiling ");
        wp_row_describe(row, WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_WORK),
                        &curve->label);
    } else {
        wp_row_describe(row, chart->shown, &curve->label);
        if (!curve->label.length)
            wp_row_describe(row, WP_KEY_BIT(WP_KEY_WAVELET) | WP_KEY_BIT(WP_KEY_SCHEME),
                            &curve->label);
    }
    return curve;
}

// In ascending order of x.
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
    chart->shown = wp_row_keys_varying(chart->results, WP_ROW_TRANSFORM) &
                   ~WP_KEY_BIT(WP_KEY_SIZE);
    for (int i = 0; i < chart->results->row_count; i++) {
        const struct wp_row *row = &chart->results->row[i];
        const double y = height_of(chart->results, row);
        if (!isfinite(y))
            continue;
        first = first ? first : row;
        chart->one_size &= row->width == first->width && row->height == first->height;
        chart->low = fmin(chart->low, y);
        chart->high = fmax(chart->high, y);
        add_point(find_curve(chart, row), (double)row->width * row->height / 1e6, y);
    }
    chart->line = wp_xcalloc((size_t)chart->count + 1, sizeof *chart->line);
    for (int c = 0; c < chart->count; c++) {
        const struct curve *curve = &chart->curve[c];
        chart->line[c] = (struct wp_plot_line){wp_text_get(&curve->label), curve->count, curve->x,
                                               curve->y};
    }
}

static void release(struct chart *chart)
{
    for (int c = 0; c < chart->count; c++) {
        wp_text_free(&chart->curve[c].label);
        free(chart->curve[c].x);
        free(chart->curve[c].y);
    }
    free(chart->curve);
    free(chart->line);
}

static void add_fact(struct wp_text *text, const json_t *object, const char *key,
                     const char *name)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value)
        wp_text_add(text, "%s%s%s", text->length ? ", " : "", name, value);
}

// What the figures were measured on: each backend's device, then driver and program.
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
        wp_text_add(text, "; SOFTWARE, which says nothing about a GPU");
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
    for (int c = 0; c < chart.count; c++)
        wp_text_add(&description, "%s%s", c ? "; " : "", chart.line[c].label);
    const struct wp_plot plot = {
        .title = wp_text_get(&title),
        .description = wp_text_get(&description),
        .caption = wp_text_get(&caption),
        .x_label = "image size in Mpel",
        .y_label = "GB/s, image read once and written once",
        .log_x = true,
        .log_y = chart.high > 50.0 * chart.low,
        .line_count = chart.count,
        .line = chart.line,
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
