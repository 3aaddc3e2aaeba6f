// Pictures of quads: a grid of samples, one shape and one colour a component.
#ifndef WP_EXPLAIN_GRID_H
#define WP_EXPLAIN_GRID_H

#include "polyphase.h"
#include "text.h"

// The four components as people see them. The colours differ in lightness too.
struct wp_grid_style {
    char letter;        // as in the matrices: r g b a
    const char *band;   // "LL"
    const char *name;   // "even x, even y"
    const char *colour;
};

extern const struct wp_grid_style wp_grid_styles[WP_COMPONENTS];

// The place of a component of the quad (m, n) among samples, its own quad's first being (0, 0).
int wp_grid_x(int component, int m);
int wp_grid_y(int component, int n);

// A box of quads on paper.
struct wp_grid {
    double x, y;              // of the box's corner
    double cell;              // side of a sample
    struct wp_reach box;      // quads shown; `fetches` is not used
};

double wp_grid_width(const struct wp_grid *grid);
double wp_grid_height(const struct wp_grid *grid);
double wp_grid_px(const struct wp_grid *grid, int sample_x); // centre of a sample on paper
double wp_grid_py(const struct wp_grid *grid, int sample_y);

// The outlines of the quads, the own one heavier.
void wp_grid_quads(const struct wp_grid *grid, struct wp_text *out);

// A component's mark about a point; `radius` is that of the circle.
void wp_grid_mark(struct wp_text *out, int component, double x, double y, double radius,
                  bool faint);

// The legend of the four components in one line; returns its width.
double wp_grid_legend(struct wp_text *out, double x, double y);

#endif
