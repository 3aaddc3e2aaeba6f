// Pictures of quads and octets: a grid of samples, one shape and one colour a component.
#ifndef WP_EXPLAIN_GRID_H
#define WP_EXPLAIN_GRID_H

#include "polyphase.h"
#include "text.h"

// The four components of a slice as people see them: circle, square, diamond, triangle. The colours
// differ in lightness too. Those of an octet's odd slice are outlines of the same.
const char *wp_grid_colour(int component);

// "LL", of volumes "LLL"; "even x, even y", of volumes with z.
const char *wp_grid_band(int component, int dims);
const char *wp_grid_name(int component, int dims);

// The place of a component of the quad or octet `at` among samples, its own one's first being
// (0, 0, 0); and back, which returns the component.
void wp_grid_sample(int component, const int at[WP_VARIABLES], int sample[WP_VARIABLES]);
int wp_grid_component(const int sample[WP_VARIABLES], int at[WP_VARIABLES]);

// A box of quads or octets on paper. Of octets each slice stands behind the one before it, a step
// to the right and up, so far that no sample hides another of the slices near it.
struct wp_grid {
    double x, y;              // of the corner of all
    double cell;              // side of a sample
    int dims;                 // 2 or 3
    struct wp_reach box;      // quads or octets shown; `fetches` is not used
};

double wp_grid_width(const struct wp_grid *grid);
double wp_grid_height(const struct wp_grid *grid);

struct wp_grid_point {
    double x, y;
};

struct wp_grid_point wp_grid_point(const struct wp_grid *grid, const int sample[WP_VARIABLES]);

// The samples in the order in which they are drawn, the farthest slices first: how many, and of one
// its component (returned) and its quad or octet.
int wp_grid_samples(const struct wp_grid *grid);
int wp_grid_nth(const struct wp_grid *grid, int number, int at[WP_VARIABLES]);

// The outlines of the quads or octets, the own one heavier.
void wp_grid_groups(const struct wp_grid *grid, struct wp_text *out);

// A component's mark about a point; `radius` is that of the circle.
void wp_grid_mark(struct wp_text *out, int component, struct wp_grid_point at, double radius,
                  bool faint);

// The legend of the components, four in a line; returns its width.
double wp_grid_legend(struct wp_text *out, int dims, double x, double y);

// Arrows that say which way the axes of a volume go.
void wp_grid_axes(struct wp_text *out, double x, double y);

#endif
