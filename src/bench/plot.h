// Charts as SVG: lines over two axes, or bars. Readable in greyscale: lines differ by dashes and
// markers as well as by colour, and stand beside their names.
#ifndef WP_PLOT_H
#define WP_PLOT_H

#include "text.h"

#include <stdbool.h>

// Magnitudes of values, but for 0: ranges of them, and their ratios, are numbers.
#define WP_PLOT_LEAST 1e-100
#define WP_PLOT_MOST 1e100

struct wp_plot_line {
    const char *label;
    int count;           // points, in the order in which they are joined
    const double *x, *y; // as above; above 0 along a logarithmic axis
};

// Lines that stand in one pair of axes.
struct wp_plot_panel {
    const char *title; // above it; NULL for none
    bool linear;       // along y, whatever the chart has
    int line_count;
    const struct wp_plot_line *line;
};

struct wp_plot {
    const char *title, *description; // for <title> and <desc>; the title is drawn too
    const char *caption;             // below; '\n' begins a line, and long ones are broken
    const char *x_label, *y_label;
    bool log_x, log_y; // a linear axis begins at 0
    int panel_count; // one below the other: all with the same x, each with its own y
    const struct wp_plot_panel *panel;
};

// Adds the whole document. Without a point the axes stand alone and say so.
void wp_plot_lines(const struct wp_plot *plot, struct wp_text *svg);

// The same with a bar from 0 for the only value y[0] of each line of the one panel; x is not
// looked at.
void wp_plot_bars(const struct wp_plot *plot, struct wp_text *svg);

// Ticks of an axis from `low` to `high` (low < high; low > 0 where logarithmic) at 1, 2 and 5
// times powers of ten; of a logarithmic axis over many decades at powers of ten alone, and over
// less than about one at even distances. At most `most`, which is 4..WP_TICKS_MOST. Returns
// how many.
enum { WP_TICKS_MOST = 24 };
int wp_plot_ticks(double low, double high, bool logarithmic, int most,
                  double tick[WP_TICKS_MOST]);

// Moves the ascending positions `at` as little as it takes to stand `distance` apart within
// low..high, in order. Where there is no room for all of them they are spread evenly.
void wp_plot_spread(double *at, int count, double distance, double low, double high);

#endif
