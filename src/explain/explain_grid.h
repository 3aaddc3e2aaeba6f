// Drawings of quads and octets: a grid of samples with one shape and color per component.
#ifndef WP_EXPLAIN_GRID_H
#define WP_EXPLAIN_GRID_H

#include "laurent.h"
#include "text.h"

// The color of a component. Components of a slice also differ in shape (circle, square, diamond,
// triangle) and their colors in lightness. In the odd slice of an octet shapes are outlines.
const char *wp_grid_colour(int component);

// The names of a component: "LL", in volumes "LLL"; "even x, even y", in volumes with z.
const char *wp_grid_band(int component, int dims);
const char *wp_grid_name(int component, int dims);

// Convert between a component of the quad or octet `at` and the position of the sample, where (0,
// 0, 0) is the first sample of quad 0. wp_grid_component() returns the component.
void wp_grid_sample(int component, const int at[WP_VARIABLES], int sample[WP_VARIABLES]);
int wp_grid_component(const int sample[WP_VARIABLES], int at[WP_VARIABLES]);

// The drawing of a box of quads or octets. Each slice of octets is drawn behind the previous one,
// shifted to the right and up so that samples of neighboring slices do not overlap.
struct wp_grid {
    double x, y;         // corner of the drawing
    double cell;         // width of a sample
    int dims;            // 2 or 3
    struct wp_reach box; // range of quads or octets; `fetches` is not used
};

double wp_grid_width(const struct wp_grid *grid);
double wp_grid_height(const struct wp_grid *grid);

struct wp_grid_point {
    double x, y;
};

struct wp_grid_point wp_grid_point(const struct wp_grid *grid, const int sample[WP_VARIABLES]);

// The number of samples, and sample `number` in drawing order, the farthest slices first: returns
// its component and sets its quad or octet.
int wp_grid_samples(const struct wp_grid *grid);
int wp_grid_nth(const struct wp_grid *grid, int number, int at[WP_VARIABLES]);

// Draws the outlines of the quads or octets, with thicker lines for the one at 0.
void wp_grid_groups(const struct wp_grid *grid, struct wp_text *out);

// Draws the mark of a component at a point; `radius` is that of the circle.
void wp_grid_mark(struct wp_text *out, int component, struct wp_grid_point at, double radius,
                  bool faint);

// Draws the legend of the components, four per line. Returns its width.
double wp_grid_legend(struct wp_text *out, int dims, double x, double y);

// Draws the directions of the axes of a volume.
void wp_grid_axes(struct wp_text *out, double x, double y);

#endif
