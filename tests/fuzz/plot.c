// Charts with any valid numbers, and the ticks of their axes.
#include "fuzz.h"

#include "bench.h"

#include <math.h>
#include <string.h>

enum { LINES = 3, POINTS = 6 };

static double read_value(struct fuzz_bytes *bytes, bool positive)
{
    double value = fuzz_next_any(bytes);
    if (!(fabs(value) >= WP_PLOT_LEAST && fabs(value) <= WP_PLOT_MOST))
        value = 1;
    return positive ? fabs(value) : value;
}

static void draw(struct fuzz_bytes *bytes)
{
    double x[LINES][POINTS], y[LINES][POINTS];
    struct wp_plot_line lines[LINES];
    const unsigned flags = fuzz_next(bytes, 1);
    const struct wp_plot_panel panels[] = {
        {.title = "first", .line_count = LINES, .line = lines},
        {.title = NULL, .linear = flags & 4, .line_count = 1, .line = lines},
    };
    const struct wp_plot plot = {
        .title = "A <title>",
        .description = "A description",
        .caption = "A caption\nof two lines",
        .x_label = "x",
        .y_label = "y",
        .log_x = flags & 1,
        .log_y = flags & 2,
        .panel_count = flags & 8 ? 2 : 1,
        .panel = panels,
    };
    for (int l = 0; l < LINES; l++) {
        lines[l] = (struct wp_plot_line){
            .label = "label", .count = fuzz_next_int(bytes, 0, POINTS), .x = x[l], .y = y[l]};
        for (int i = 0; i < POINTS; i++) {
            x[l][i] = read_value(bytes, true);
            y[l][i] = read_value(bytes, true);
        }
    }
    struct wp_text svg = {0};
    (flags & 16 ? wp_plot_bars : wp_plot_lines)(&plot, &svg);
    FUZZ_CHECK(svg.length > 0 && !strstr(svg.data, "nan") && !strstr(svg.data, "inf"));
    wp_text_free(&svg);
}

static void find_ticks(struct fuzz_bytes *bytes)
{
    double tick[WP_TICKS_MOST];
    const bool logarithmic = fuzz_next(bytes, 1) % 2;
    const int most = fuzz_next_int(bytes, 4, WP_TICKS_MOST);
    const double a = read_value(bytes, logarithmic), b = read_value(bytes, logarithmic);
    const double low = fmin(a, b), high = fmax(a, b);
    if (!(high - low > 1e-6 * fabs(high)))
        return;
    const int count = wp_plot_ticks(low, high, logarithmic, most, tick);
    FUZZ_CHECK(count >= 0 && count <= most);
    for (int i = 0; i < count; i++)
        FUZZ_CHECK(isfinite(tick[i]) && (i == 0 || tick[i] > tick[i - 1]));
}

void fuzz(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    if (fuzz_next(&bytes, 1) % 2)
        draw(&bytes);
    else
        find_ticks(&bytes);
}
