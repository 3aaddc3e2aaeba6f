#include "curve_file.h"

#include "json_value.h"
#include "output.h"
#include "plot.h"
#include "text.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

bool wp_curve_check_log(const char *path, bool overwrite)
{
    if (!ends_with(path, ".json") && !ends_with(path, ".csv"))
        return wp_fail(WP_ERROR_USAGE, "--log %s: .json or .csv", path);
    return wp_output_check(path, overwrite);
}

// The columns of a log and their members in a point.
static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"residual", offsetof(struct wp_curve_point, residual)},
    {"seconds", offsetof(struct wp_curve_point, seconds)},
    {"psnr", offsetof(struct wp_curve_point, psnr)},
    {"ssim", offsetof(struct wp_curve_point, ssim)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double value_of(const struct wp_curve_point *point, int column)
{
    return *(const double *)((const char *)point + columns[column].offset);
}

static void add_csv(const struct wp_curve *curve, struct wp_text *text)
{
    wp_text_add(text, "iteration");
    for (int c = 0; c < COLUMNS; c++)
        wp_text_add(text, ",%s", columns[c].name);
    wp_text_add(text, "\n");
    for (int i = 0; i < curve->count; i++) {
        wp_text_add(text, "%d", curve->point[i].iteration);
        for (int c = 0; c < COLUMNS; c++) {
            char number[WP_NUMBER_SIZE];
            const double value = value_of(&curve->point[i], c);
            wp_text_add(text, ",%s", isfinite(value) ? wp_format_number(number, value, 9) : "");
        }
        wp_text_add(text, "\n");
    }
}

static void add_json(const struct wp_curve *curve, struct wp_text *text)
{
    json_t *rows = json_array();
    for (int i = 0; i < curve->count; i++) {
        json_t *row = json_pack("{s:i}", "iteration", curve->point[i].iteration);
        for (int c = 0; c < COLUMNS; c++)
            json_object_set_new(row, columns[c].name,
                                wp_json_number(value_of(&curve->point[i], c)));
        json_array_append_new(rows, row);
    }
    char *dumped = json_dumps(rows, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    wp_text_add(text, "%s\n", dumped ? dumped : "[]");
    free(dumped);
    json_decref(rows);
}

bool wp_curve_write_log(const struct wp_curve *curve, const char *path, bool overwrite)
{
    struct wp_text text = {0};
    if (ends_with(path, ".csv"))
        add_csv(curve, &text);
    else
        add_json(curve, &text);
    const bool ok = wp_output_text(path, overwrite, wp_text_get(&text));
    wp_text_free(&text);
    return ok;
}

// A column as a line of a chart with a logarithmic axis, without values that it cannot show. The
// points are stored in `memory`, 2 * curve->count values.
static struct wp_plot_line make_line(const struct wp_curve *curve, int column, double *memory)
{
    struct wp_plot_line line = {.label = columns[column].name, .x = memory,
                                .y = memory + curve->count};
    for (int i = 0; i < curve->count; i++) {
        const double value = value_of(&curve->point[i], column);
        if (!(value >= WP_PLOT_LEAST && value <= WP_PLOT_MOST)) // also excludes NaN
            continue;
        memory[line.count] = curve->point[i].iteration;
        memory[curve->count + line.count++] = value;
    }
    return line;
}

bool wp_curve_write_plot(const struct wp_curve *curve, const char *title, const char *path,
                         bool overwrite)
{
    enum { RESIDUAL, PSNR = 2 };
    double *memory = wp_xcalloc(4 * (size_t)curve->count + 1, sizeof *memory);
    const struct wp_plot_line psnr = make_line(curve, PSNR, memory);
    const struct wp_plot_line residual =
        make_line(curve, RESIDUAL, memory + 2 * (size_t)curve->count);
    const struct wp_plot_panel panels[] = {{"PSNR in dB", true, 1, &psnr},
                                           {"residual |K u - f|", false, 1, &residual}};
    const bool measured = psnr.count > 0;
    const struct wp_plot plot = {
        .title = title,
        .description = "Lines over the iterations of a reconstruction.",
        .caption = measured ? "Above: PSNR of the magnitudes, peak 1. Below: distance of the "
                              "image's k-space from the measured one."
                            : "Distance of the image's k-space from the measured one.",
        .x_label = "iteration",
        .y_label = measured ? "" : "residual |K u - f|",
        .log_y = true,
        .panel_count = measured ? 2 : 1,
        .panel = measured ? panels : panels + 1,
    };
    struct wp_text svg = {0};
    wp_plot_lines(&plot, &svg);
    const bool ok = wp_output_text(path, overwrite, wp_text_get(&svg));
    wp_text_free(&svg);
    free(memory);
    return ok;
}
