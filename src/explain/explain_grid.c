#include "explain_grid.h"
#include "lifting.h"
#include "svg.h"

const struct wp_grid_style wp_grid_styles[WP_COMPONENTS] = {
    {'r', "LL", "even x, even y", "#12355b"},
    {'g', "HL", "odd x, even y", "#d4521a"},
    {'b', "LH", "even x, odd y", "#b8860b"},
    {'a', "HH", "odd x, odd y", "#7b2d8b"},
};

int wp_grid_x(int component, int m)
{
    return 2 * m + (component & 1);
}

int wp_grid_y(int component, int n)
{
    return 2 * n + (component >> 1);
}

double wp_grid_width(const struct wp_grid *grid)
{
    return 2 * grid->cell * (grid->box.high[WP_X] - grid->box.low[WP_X] + 1);
}

double wp_grid_height(const struct wp_grid *grid)
{
    return 2 * grid->cell * (grid->box.high[WP_Y] - grid->box.low[WP_Y] + 1);
}

double wp_grid_px(const struct wp_grid *grid, int sample_x)
{
    return grid->x + grid->cell * (sample_x - 2 * grid->box.low[WP_X] + 0.5);
}

double wp_grid_py(const struct wp_grid *grid, int sample_y)
{
    return grid->y + grid->cell * (sample_y - 2 * grid->box.low[WP_Y] + 0.5);
}

void wp_grid_quads(const struct wp_grid *grid, struct wp_text *out)
{
    const double side = 2 * grid->cell, inset = 0.08 * grid->cell;
    for (int n = grid->box.low[WP_Y]; n <= grid->box.high[WP_Y]; n++) {
        for (int m = grid->box.low[WP_X]; m <= grid->box.high[WP_X]; m++) {
            const bool own = m == 0 && n == 0;
            wp_svg_add(out,
                       "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"@\" fill=\"none\" "
                       "stroke-width=\"@\" ",
                       grid->x + side * (m - grid->box.low[WP_X]) + inset,
                       grid->y + side * (n - grid->box.low[WP_Y]) + inset, side - 2 * inset,
                       side - 2 * inset, 0.25 * grid->cell, own ? 1.8 : 0.8);
            wp_text_add(out, "stroke=\"%s\"/>\n", own ? "#444" : "#c4c4c4");
        }
    }
}

void wp_grid_mark(struct wp_text *out, int component, double x, double y, double radius,
                  bool faint)
{
    // Of about the same area each.
    const double s = 0.88 * radius, d = 1.25 * radius, t = 1.15 * radius;
    switch (component) {
    case 0: wp_svg_add(out, "<circle cx=\"@\" cy=\"@\" r=\"@\"", x, y, radius); break;
    case 1:
        wp_svg_add(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\"", x - s, y - s, 2 * s,
                   2 * s);
        break;
    case 2:
        wp_svg_add(out, "<path d=\"M@ @L@ @L@ @L@ @Z\"", x, y - d, x + d, y, x, y + d, x - d, y);
        break;
    default:
        wp_svg_add(out, "<path d=\"M@ @L@ @L@ @Z\"", x, y - t, x + t, y + 0.85 * t, x - t,
                   y + 0.85 * t);
        break;
    }
    wp_text_add(out, " fill=\"%s\"%s/>\n", wp_grid_styles[component].colour,
                faint ? " opacity=\".18\"" : "");
}

double wp_grid_legend(struct wp_text *out, double x, double y)
{
    const double step = 158.0;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        const struct wp_grid_style *style = &wp_grid_styles[c];
        struct wp_text label = {0};
        wp_grid_mark(out, c, x + step * c + 7, y - 4, 6.5, false);
        wp_text_add(&label, "%c  %s (%s)", style->letter, style->name, style->band);
        wp_svg_text(out, &(struct wp_svg_label){.x = x + step * c + 19, .y = y},
                    wp_text_get(&label));
        wp_text_free(&label);
    }
    return step * WP_COMPONENTS;
}
