// Positions and sizes of the panels.
#ifndef WP_VIEWER_LAYOUT_H
#define WP_VIEWER_LAYOUT_H

struct wp_rect_f;
struct wp_viewer;

// Shows the panels around the canvas and reduces `canvas` to the remaining area. In narrow windows
// the right panel is collapsed first, then the left one; in low windows the bottom panel is hidden.
void wp_layout_panels(struct wp_viewer *v, struct wp_rect_f *canvas);

#endif
