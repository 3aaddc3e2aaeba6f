// Where the panels about images and volumes are, and how wide.
#ifndef WP_VIEWER_LAYOUT_H
#define WP_VIEWER_LAYOUT_H

struct wp_rect_f;
struct wp_viewer;

// Shows them around the canvas, which keeps what they leave. Where the window is too narrow for
// both, the right one folds to a strip, then the left one; where it is too low, the passes go, and
// the status line last.
void wp_layout_panels(struct wp_viewer *v, struct wp_rect_f *canvas);

#endif
