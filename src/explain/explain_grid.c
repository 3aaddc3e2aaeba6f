#include "explain_grid.h"

#include "explain.h"
#include "svg.h"

const char *wp_grid_colour(int component)
{
    static const char *const colors[WP_COMPONENTS] = {"#12355b", "#d4521a", "#b8860b", "#7b2d8b"};
    return colors[component % WP_COMPONENTS];
}

const char *wp_grid_band(int component, int dims)
{
    static const char *const bands[][WP_COMPONENTS_MAX] = {
        {"LL", "HL", "LH", "HH"},
        {"LLL", "HLL", "LHL", "HHL", "LLH", "HLH", "LHH", "HHH"},
    };
    return bands[dims == 3][component];
}

const char *wp_grid_name(int component, int dims)
{
    static const char *const names[][WP_COMPONENTS_MAX] = {
        {"even x, even y", "odd x, even y", "even x, odd y", "odd x, odd y"},
        {"even x, even y, even z", "odd x, even y, even z", "even x, odd y, even z",
         "odd x, odd y, even z", "even x, even y, odd z", "odd x, even y, odd z",
         "even x, odd y, odd z", "odd x, odd y, odd z"},
    };
    return names[dims == 3][component];
}

void wp_grid_sample(int component, const int at[WP_VARIABLES], int sample[WP_VARIABLES])
{
    for (int v = 0; v < WP_VARIABLES; v++)
        sample[v] = 2 * at[v] + (component >> v & 1);
}

int wp_grid_component(const int sample[WP_VARIABLES], int at[WP_VARIABLES])
{
    int component = 0;
    for (int v = 0; v < WP_VARIABLES; v++) {
        const int odd = sample[v] & 1;
        at[v] = (sample[v] - odd) / 2;
        component |= odd << v;
    }
    return component;
}

// The shift between slices, in widths of a sample.
static const double step_right = 0.47, step_up = 0.33;

static int groups_along(const struct wp_grid *grid, int axis)
{
    return grid->box.high[axis] - grid->box.low[axis] + 1;
}

static int first_of(const struct wp_grid *grid, int axis)
{
    return 2 * grid->box.low[axis];
}

static int last_of(const struct wp_grid *grid, int axis)
{
    return axis < grid->dims ? 2 * grid->box.high[axis] + 1 : 0;
}

static int steps(const struct wp_grid *grid)
{
    return last_of(grid, WP_Z) - first_of(grid, WP_Z);
}

double wp_grid_width(const struct wp_grid *grid)
{
    return 2 * grid->cell * groups_along(grid, WP_X) +
           grid->cell * step_right * steps(grid);
}

double wp_grid_height(const struct wp_grid *grid)
{
    return 2 * grid->cell * groups_along(grid, WP_Y) +
           grid->cell * step_up * steps(grid);
}

struct wp_grid_point wp_grid_point(const struct wp_grid *grid, const int sample[WP_VARIABLES])
{
    const int depth = sample[WP_Z] - first_of(grid, WP_Z);
    return (struct wp_grid_point){
        grid->x + grid->cell * (sample[WP_X] - first_of(grid, WP_X) + 0.5) +
            grid->cell * step_right * depth,
        grid->y + grid->cell * (sample[WP_Y] - first_of(grid, WP_Y) + 0.5) +
            grid->cell * step_up * (steps(grid) - depth),
    };
}

int wp_grid_samples(const struct wp_grid *grid)
{
    return (1 << grid->dims) * groups_along(grid, WP_X) * groups_along(grid, WP_Y) *
           groups_along(grid, WP_Z);
}

int wp_grid_nth(const struct wp_grid *grid, int number, int at[WP_VARIABLES])
{
    const int components = 1 << grid->dims, odd_slice = components & WP_COMPONENTS_MAX ? 4 : 0;
    const int group = number / components, across = groups_along(grid, WP_X);
    const int down = groups_along(grid, WP_Y);
    at[WP_X] = grid->box.low[WP_X] + group % across;
    at[WP_Y] = grid->box.low[WP_Y] + group / across % down;
    at[WP_Z] = grid->box.high[WP_Z] - group / across / down;
    return number % components ^ odd_slice;
}

static void draw_quad(const struct wp_grid *grid, const int at[WP_VARIABLES], struct wp_text *out)
{
    const double side = 2 * grid->cell, inset = 0.08 * grid->cell;
    const bool is_origin = at[WP_X] == 0 && at[WP_Y] == 0;
    wp_svg_add(out,
               "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"@\" fill=\"none\" "
               "stroke-width=\"@\" ",
               grid->x + side * (at[WP_X] - grid->box.low[WP_X]) + inset,
               grid->y + side * (at[WP_Y] - grid->box.low[WP_Y]) + inset, side - 2 * inset,
               side - 2 * inset, 0.25 * grid->cell, is_origin ? 1.8 : 0.8);
    wp_text_add(out, "stroke=\"%s\"/>\n", is_origin ? "#444" : "#c4c4c4");
}

// The edges of a box around an octet.
static void draw_octet(const struct wp_grid *grid, const int at[WP_VARIABLES], struct wp_text *out)
{
    const bool is_origin = at[WP_X] == 0 && at[WP_Y] == 0 && at[WP_Z] == 0;
    const double inset = 0.42 * grid->cell, side = 2 * (grid->cell - 0.08 * grid->cell);
    const double right = grid->cell * step_right, up = grid->cell * step_up;
    int sample[WP_VARIABLES];
    wp_grid_sample(0, at, sample);
    const struct wp_grid_point corner = wp_grid_point(grid, sample);
    const double x = corner.x - inset, y = corner.y - inset;
    wp_svg_add(out, "<path d=\"M@ @h@v@h@ZM@ @h@v@h@Z", x, y, side, side, -side, x + right, y - up,
               side, side, -side);
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_svg_add(out, "M@ @l@ @", x + (c & 1 ? side : 0), y + (c & 2 ? side : 0), right, -up);
    wp_svg_add(out, "\" fill=\"none\" stroke-width=\"@\" ", is_origin ? 1.5 : 0.7);
    wp_text_add(out, "stroke=\"%s\"/>\n", is_origin ? "#444" : "#d4d4d4");
}

void wp_grid_groups(const struct wp_grid *grid, struct wp_text *out)
{
    int at[WP_VARIABLES];
    for (at[WP_Z] = grid->box.high[WP_Z]; at[WP_Z] >= grid->box.low[WP_Z]; at[WP_Z]--)
        for (at[WP_Y] = grid->box.low[WP_Y]; at[WP_Y] <= grid->box.high[WP_Y]; at[WP_Y]++)
            for (at[WP_X] = grid->box.low[WP_X]; at[WP_X] <= grid->box.high[WP_X]; at[WP_X]++)
                (grid->dims == 3 ? draw_octet : draw_quad)(grid, at, out);
}

void wp_grid_mark(struct wp_text *out, int component, struct wp_grid_point at, double radius,
                  bool faint)
{
    // Shapes have about the same area.
    const double s = 0.88 * radius, d = 1.25 * radius, t = 1.15 * radius, x = at.x, y = at.y;
    switch (component % WP_COMPONENTS) {
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
    const char *colour = wp_grid_colour(component), *opacity = faint ? " opacity=\".18\"" : "";
    if (component < WP_COMPONENTS)
        wp_text_add(out, " fill=\"%s\"%s/>\n", colour, opacity);
    else
        wp_text_add(out, " fill=\"#fff\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", colour,
                    radius > 5 ? "1.7" : "1", opacity);
}

double wp_grid_legend(struct wp_text *out, int dims, double x, double y)
{
    const double step = dims == 3 ? 222.0 : 166.0;
    for (int c = 0; c < 1 << dims; c++) {
        const double left = x + step * (c % WP_COMPONENTS), base = y + 22 * (c / WP_COMPONENTS);
        wp_grid_mark(out, c, (struct wp_grid_point){left + 7, base - 4}, 6.5, false);
        wp_svg_text(out, left + 19, base, WP_SVG_SIZE, NULL, "%s: %s (%s)",
                    wp_explain_component(c, dims), wp_grid_name(c, dims), wp_grid_band(c, dims));
    }
    return step * WP_COMPONENTS;
}

void wp_grid_axes(struct wp_text *out, double x, double y)
{
    wp_svg_add(out,
               "<path fill=\"none\" stroke=\"#222\" stroke-width=\"1.3\" "
               "d=\"M@ @h26m-4 -3l4 3l-4 3M@ @v22m-3 -4l3 4l3 -4M@ @l18 -11m-5 -0.5l5 0.5l-2 "
               "4.5\"/>\n", x, y, x, y, x, y);
    wp_svg_text(out, x + 31, y + 4, WP_SVG_SIZE, NULL, "x");
    wp_svg_text(out, x + 5, y + 24, WP_SVG_SIZE, NULL, "y");
    wp_svg_text(out, x + 23, y - 9, WP_SVG_SIZE, NULL, "z");
}
