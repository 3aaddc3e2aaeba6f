// Charts as SVG: lines over two axes, or bars. They are readable in grayscale: lines have different
// dashes and markers, and are connected to their names.
#ifndef WP_PLOT_H
#define WP_PLOT_H

#include "text.h"

#include <stdbool.h>

// Limits of the magnitude of values other than 0, so that ranges and ratios do not overflow.
#define WP_PLOT_LEAST 1e-100
#define WP_PLOT_MOST 1e100

struct wp_plot_line {
    const char *label;
    int count;           // points, in the order in which they are joined
    const double *x, *y; // within the limits above; positive along a logarithmic axis
};

// Lines in one pair of axes.
struct wp_plot_panel {
    const char *title; // NULL for none
    bool linear;       // the y axis is linear, even if log_y is set
    int line_count;
    const struct wp_plot_line *line;
};

struct wp_plot {
    const char *title, *description; // for <title> and <desc>; the title is drawn too
    const char *caption;             // below the chart; lines separated by '\n', long ones wrapped
    const char *x_label, *y_label;
    bool log_x, log_y; // a linear axis begins at 0
    int panel_count; // from top to bottom, with a common x axis
    const struct wp_plot_panel *panel;
};

// Adds the document. A panel without points says that nothing was measured.
void wp_plot_lines(const struct wp_plot *plot, struct wp_text *svg);

// Adds a document with a bar from 0 to y[0] for each line of the only panel. x is ignored.
void wp_plot_bars(const struct wp_plot *plot, struct wp_text *svg);

// Gets the ticks of an axis from `low` to `high` (low < high; low > 0 if logarithmic) at 1, 2 and 5
// times powers of ten; on a logarithmic axis over many decades only at powers of ten, and over less
// than about one decade at even distances. `most`: their maximum number, 4..WP_TICKS_MOST. Returns
// the number of ticks.
enum { WP_TICKS_MOST = 24 };
int wp_plot_ticks(double low, double high, bool logarithmic, int most,
                  double tick[WP_TICKS_MOST]);

// Moves the ascending positions `at` to distances of at least `distance` within low..high, with the
// least squares of changes. If they do not fit, they are spread evenly.
void wp_plot_spread(double *at, int count, double distance, double low, double high);

#endif
