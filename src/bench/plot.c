#include "bench.h"

#include "svg.h"
#include "results.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The page, in SVG pixels.
enum {
    WIDTH = 900,
    LEFT = 78,
    TOP = 48,
    PLOT_HEIGHT = 380,
    PANEL_HEIGHT = 240, // if there are several
    BETWEEN = 44,       // distance of panels
    LINE_HEIGHT = 15,   // of labels and captions
    SIZE = 12,          // their font size
    TICKS_X = 10,
    TICKS_Y = 9,
};

// Colors of lines, from Okabe and Ito's palette for all kinds of color vision
// (jfly.uni-koeln.de/color), without yellow, which is not visible on white.
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#000000", "#56b4e9", "#e69f00"};
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3", "14 4"};
enum {
    COLORS = sizeof colors / sizeof *colors,
    DASHES = sizeof dashes / sizeof *dashes,
    MARKERS = 6
};

struct axis {
    double low, high; // range of values
    double from, to;  // range on the page
    bool logarithmic;
    int tick_count;
    double tick[WP_TICKS_MOST];
};

static double position_of(const struct axis *axis, double value)
{
    const double part = axis->logarithmic
                            ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

int wp_plot_ticks(double low, double high, bool logarithmic, int most,
                  double tick[WP_TICKS_MOST])
{
    static const double factors[] = {1.0, 2.0, 5.0};
    const double slack = 1e-9 * (high - low);
    if (logarithmic) {
        // First 1, 2, 5 times powers of ten, then powers of ten, every second power, and so on.
        for (int coarse = 0;; coarse++) {
            int count = 0;
            for (int e = (int)floor(log10(low)); e <= (int)ceil(log10(high)); e++)
                for (int f = 0; f < (coarse ? 1 : 3); f++) {
                    const double value = factors[f] * pow(10.0, e);
                    if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9) ||
                        (coarse > 1 && e % coarse))
                        continue;
                    if (count < WP_TICKS_MOST)
                        tick[count] = value;
                    count++;
                }
            if (count < 3)
                break; // within a decade: linear ticks instead
            if (count <= most)
                return count;
        }
    }
    for (int step = (int)floor(log10(high - low)) * 3 - 6;; step++) {
        const double size = factors[((step % 3) + 3) % 3] * pow(10.0, floor(step / 3.0));
        const double first = ceil((low - slack) / size), last = floor((high + slack) / size);
        if (last - first + 1 > most)
            continue;
        int count = 0;
        for (double n = first; n <= last; n++)
            tick[count++] = n * size + 0.0; // no -0
        return count;
    }
}

void wp_plot_spread(double *at, int count, double distance, double low, double high)
{
    if (count == 0)
        return;
    if (distance * (count - 1) >= high - low) {
        for (int i = 0; i < count; i++)
            at[i] = count > 1 ? low + (high - low) * i / (count - 1) : (low + high) / 2.0;
        return;
    }
    // Isotonic regression of at[i] - i * distance: clusters that violate the order get their mean
    // (pool adjacent violators algorithm).
    double *mean = wp_xcalloc((size_t)count, sizeof *mean);
    int *size = wp_xcalloc((size_t)count, sizeof *size), clusters = 0;
    for (int i = 0; i < count; i++) {
        mean[clusters] = at[i] - i * distance;
        size[clusters++] = 1;
        while (clusters > 1 && mean[clusters - 1] < mean[clusters - 2]) {
            const int a = clusters - 2, b = clusters - 1;
            mean[a] = (mean[a] * size[a] + mean[b] * size[b]) / (size[a] + size[b]);
            size[a] += size[b];
            clusters--;
        }
    }
    for (int c = 0, i = 0; c < clusters; c++)
        for (int end = i + size[c]; i < end; i++)
            at[i] = fmin(fmax(mean[c], low), high - (count - 1) * distance) + i * distance;
    free(mean);
    free(size);
}

static void add_marker(struct wp_text *body, int n, double x, double y)
{
    const char *color = colors[n % COLORS];
    const double r = 4.0;
    switch (n % MARKERS) {
    case 0: wp_svg_add(body, "<circle cx=\"@\" cy=\"@\" r=\"@\"", x, y, r); break;
    case 1:
        wp_svg_add(body, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\"", x - 3.5, y - 3.5, 7.0,
                   7.0);
        break;
    case 2:
        wp_svg_add(body, "<path d=\"M@ @L@ @L@ @Z\"", x, y - r - 1, x + r + 0.5, y + r - 1,
                   x - r - 0.5, y + r - 1);
        break;
    case 3:
        wp_svg_add(body, "<path d=\"M@ @L@ @L@ @L@ @Z\"", x, y - r - 1, x + r + 1, y, x,
                   y + r + 1, x - r - 1, y);
        break;
    case 4:
        wp_svg_add(body, "<path d=\"M@ @L@ @L@ @Z\"", x, y + r + 1, x + r + 0.5, y - r + 1,
                   x - r - 0.5, y - r + 1);
        break;
    default:
        wp_svg_add(body, "<path d=\"M@ @L@ @M@ @L@ @\" stroke-width=\"2\"", x - r, y - r, x + r,
                   y + r, x - r, y + r, x + r, y - r);
        wp_text_add(body, " stroke=\"%s\"/>\n", color);
        return;
    }
    // The second round of shapes is hollow.
    wp_text_add(body, " fill=\"%s\" stroke=\"%s\"/>\n", n / MARKERS % 2 ? "#fff" : color,
                color);
}

static void add_stroke(struct wp_text *body, int n)
{
    const char *dash = dashes[n % DASHES];
    wp_text_add(body, " fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s%s%s/>\n",
                colors[n % COLORS], *dash ? " stroke-dasharray=\"" : "", dash,
                *dash ? "\"" : "");
}

static void add_line(struct wp_text *body, int n, const struct wp_plot_line *line,
                     const struct axis *x, const struct axis *y)
{
    if (line->count > 1) {
        wp_text_add(body, "<path d=\"");
        for (int i = 0; i < line->count; i++) {
            wp_text_add(body, i ? "L" : "M");
            wp_svg_add(body, "@ @", position_of(x, line->x[i]), position_of(y, line->y[i]));
        }
        wp_text_add(body, "\"");
        add_stroke(body, n);
    }
    for (int i = 0; i < line->count; i++)
        add_marker(body, n, position_of(x, line->x[i]), position_of(y, line->y[i]));
}

static const char *tick_text(char buffer[WP_NUMBER_SIZE], double value)
{
    return wp_format_short(buffer, value, 6);
}

static void add_y_axis(struct wp_text *body, const struct axis *y, double right,
                       const char *label)
{
    char number[WP_NUMBER_SIZE];
    for (int i = 0; i < y->tick_count; i++) {
        const double at = position_of(y, y->tick[i]);
        wp_svg_add(body, "<path d=\"M@ @H@\" stroke=\"#ddd\"/>\n", (double)LEFT, at, right);
        wp_svg_text(body, LEFT - 8, at + 4, SIZE, WP_SVG_END, "%s", tick_text(number, y->tick[i]));
    }
    wp_svg_add(body, "<g transform=\"translate(@ @) rotate(-90)\">\n", 20.0,
               (y->from + y->to) / 2.0);
    wp_svg_text(body, 0, 0, SIZE, WP_SVG_MIDDLE, "%s", label);
    wp_text_add(body, "</g>\n");
}

// Without a label there are no numbers, for a panel above another one.
static void add_x_axis(struct wp_text *body, const struct axis *x, double top, double bottom,
                       const char *label)
{
    char number[WP_NUMBER_SIZE];
    for (int i = 0; i < x->tick_count; i++) {
        const double at = position_of(x, x->tick[i]);
        wp_svg_add(body, "<path d=\"M@ @V@\" stroke=\"#ddd\"/>\n", at, top, bottom);
        if (label)
            wp_svg_text(body, at, bottom + 18, SIZE, WP_SVG_MIDDLE, "%s",
                        tick_text(number, x->tick[i]));
    }
    if (label)
        wp_svg_text(body, (x->from + x->to) / 2.0, bottom + 38, SIZE, WP_SVG_MIDDLE, "%s", label);
}

static struct axis make_axis(double low, double high, bool logarithmic, double from, double to,
                             int ticks)
{
    if (!(low <= high)) // no values
        low = high = 1.0;
    if (logarithmic) {
        // A margin, and a range of at least a factor of two.
        const double air = pow(high / low, 0.03), least = high / low < 2.0 ? 1.42 : 1.0;
        low /= air * least;
        high *= air * least;
    } else {
        low = fmin(low, 0.0);
        high = high > 0.0 ? high * 1.05 : 1.0;
    }
    struct axis axis = {low, high, from, to, logarithmic, 0, {0}};
    axis.tick_count = wp_plot_ticks(low, high, logarithmic, ticks, axis.tick);
    return axis;
}

// Extends low..high, initially infinity..-infinity, by a panel's values.
static void find_range(const struct wp_plot_panel *panel, bool of_x, double *low, double *high)
{
    for (int l = 0; l < panel->line_count; l++)
        for (int i = 0; i < panel->line[l].count; i++) {
            const double value = of_x ? panel->line[l].x[i] : panel->line[l].y[i];
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
}

// The approximate width of a text in a sans-serif font.
static double text_width(const char *text)
{
    return 0.58 * SIZE * (double)strlen(text);
}

static double widest_label(const struct wp_plot *plot)
{
    double widest = 0.0;
    for (int p = 0; p < plot->panel_count; p++)
        for (int l = 0; l < plot->panel[p].line_count; l++)
            widest = fmax(widest, text_width(plot->panel[p].line[l].label));
    return fmin(widest, WIDTH / 2.0);
}

struct end {
    int line;
    double x, y;
};

static int by_height(const void *a, const void *b)
{
    const struct end *p = a, *q = b;
    return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : p->line - q->line;
}

// Adds names at the right of the plot, each connected to the last point of its line.
static void add_labels(struct wp_text *body, const struct wp_plot_panel *panel,
                       const struct axis *x, const struct axis *y)
{
    struct end *end = wp_xcalloc((size_t)panel->line_count + 1, sizeof *end);
    double *at = wp_xcalloc((size_t)panel->line_count + 1, sizeof *at);
    int count = 0;
    for (int l = 0; l < panel->line_count; l++) {
        const struct wp_plot_line *line = &panel->line[l];
        if (line->count > 0)
            end[count++] = (struct end){l, position_of(x, line->x[line->count - 1]),
                                        position_of(y, line->y[line->count - 1])};
    }
    qsort(end, (size_t)count, sizeof *end, by_height);
    for (int i = 0; i < count; i++)
        at[i] = end[i].y;
    wp_plot_spread(at, count, LINE_HEIGHT, y->to, y->from);
    for (int i = 0; i < count; i++) {
        const double right = x->to;
        wp_svg_add(body,
                   "<path d=\"M@ @L@ @L@ @\" fill=\"none\" stroke=\"#999\" "
                   "stroke-width=\"0.7\"/>\n",
                   end[i].x + 7.0, end[i].y, right + 8.0, end[i].y, right + 26.0, at[i]);
        add_marker(body, end[i].line, right + 33.0, at[i]);
        wp_svg_text(body, right + 42.0, at[i] + 4, SIZE, NULL, "%s",
                    panel->line[end[i].line].label);
    }
    free(end);
    free(at);
}

static void wrap(const struct wp_plot *plot, struct wp_text *body, double height,
                 struct wp_text *svg)
{
    const size_t columns = (WIDTH - LEFT) * 10 / (SIZE * 6); // characters are about 0.6 em wide
    const double below = wp_svg_lines(body, LEFT, height, SIZE, "fill=\"#555\"", LINE_HEIGHT,
                                      columns, plot->caption ? plot->caption : "");
    wp_svg_wrap(svg, WIDTH, below + 4.0, plot->title, plot->description, wp_text_get(body));
    wp_text_free(body);
}

static void add_title(struct wp_text *body, const struct wp_plot *plot)
{
    wp_svg_text(body, LEFT, 26, 16, WP_SVG_BOLD, "%s", plot->title);
}

static double height_of(const struct wp_plot *plot, const struct wp_plot_panel *panel)
{
    // The names are listed below each other.
    return fmax(plot->panel_count > 1 ? PANEL_HEIGHT : PLOT_HEIGHT,
                LINE_HEIGHT * (panel->line_count - 1));
}

static void add_panel(struct wp_text *body, const struct wp_plot *plot, int number,
                      const struct axis *x, double top, double bottom)
{
    const struct wp_plot_panel *panel = &plot->panel[number];
    double low = INFINITY, high = -INFINITY;
    find_range(panel, false, &low, &high);
    const struct axis y = make_axis(low, high, plot->log_y && !panel->linear, bottom, top, TICKS_Y);
    if (panel->title)
        wp_svg_text(body, LEFT, top - 8, SIZE + 1, WP_SVG_BOLD, "%s", panel->title);
    add_x_axis(body, x, top, bottom, number == plot->panel_count - 1 ? plot->x_label : NULL);
    add_y_axis(body, &y, x->to, plot->y_label);
    wp_svg_add(body, "<path d=\"M@ @V@H@\" fill=\"none\" stroke=\"#222\"/>\n", (double)LEFT, top,
               bottom, x->to);
    for (int l = 0; l < panel->line_count; l++)
        add_line(body, l, &panel->line[l], x, &y);
    add_labels(body, panel, x, &y);
    if (!(low <= high))
        wp_svg_text(body, LEFT + 20, top + 30, WP_SVG_SIZE, NULL, "nothing was measured");
}

void wp_plot_lines(const struct wp_plot *plot, struct wp_text *svg)
{
    double low = INFINITY, high = -INFINITY;
    for (int p = 0; p < plot->panel_count; p++)
        find_range(&plot->panel[p], true, &low, &high);
    const struct axis x = make_axis(low, high, plot->log_x, LEFT,
                                    WIDTH - widest_label(plot) - 52.0, TICKS_X);
    struct wp_text body = {0};
    add_title(&body, plot);
    double top = plot->panel_count > 1 ? TOP + 20.0 : TOP, bottom = top;
    for (int p = 0; p < plot->panel_count; p++) {
        bottom = top + height_of(plot, &plot->panel[p]);
        add_panel(&body, plot, p, &x, top, bottom);
        top = bottom + BETWEEN;
    }
    wrap(plot, &body, bottom + 64.0, svg);
}

void wp_plot_bars(const struct wp_plot *plot, struct wp_text *svg)
{
    const struct wp_plot_panel *panel = plot->panel;
    const double left = widest_label(plot) + 24.0, right = WIDTH - 70.0, step = 24.0;
    const double bottom = TOP + step * panel->line_count;
    double low = 0.0, high = 0.0;
    find_range(panel, false, &low, &high);
    const struct axis x = make_axis(low, high, false, left, right, TICKS_X);
    struct wp_text body = {0};
    add_title(&body, plot);
    add_x_axis(&body, &x, TOP, bottom, plot->y_label);
    for (int l = 0; l < panel->line_count; l++) {
        const struct wp_plot_line *line = &panel->line[l];
        const double top = TOP + step * l, value = line->count ? line->y[0] : 0.0;
        char number[WP_NUMBER_SIZE];
        wp_svg_text(&body, left - 8, top + 16, SIZE, WP_SVG_END, "%s", line->label);
        wp_svg_add(&body,
                   "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" fill=\"#0072b2\"/>\n", left,
                   top + 4.0, position_of(&x, value) - left, step - 8.0);
        wp_svg_text(&body, position_of(&x, value) + 6, top + 16, SIZE, NULL, "%s",
                    wp_number_text(number, value, 4));
    }
    wp_svg_add(&body, "<path d=\"M@ @V@\" stroke=\"#222\"/>\n", left, (double)TOP, bottom);
    wrap(plot, &body, bottom + 64.0, svg);
}
