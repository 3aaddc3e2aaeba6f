// The parts of the canvas, and what each of them looks at: the one image, or a slice of a volume
// along an axis. Zoom and centre are the state's, so that panes move together.
#ifndef WP_VIEWER_PANES_H
#define WP_VIEWER_PANES_H

#include "viewer_struct.h"

// A and B are both on the canvas.
bool wp_viewer_shows_both(const struct wp_viewer *v);

// Gives the panes their places, and the view that the state asks for; an image its panes, too.
void wp_panes_lay_out(struct wp_viewer *v, struct wp_rect_f canvas);

// The tiles of the active pane, or all there are.
void wp_panes_active(const struct wp_viewer *v, int *first, int *end);

// The pane under a point, or the nearest one.
int wp_pane_at(const struct wp_viewer *v, float x, float y);

// Pixels of the view's origin. Whole ones, so that pixels of an image at 1:1 are those of the
// screen.
void wp_pane_origin(const struct wp_pane *pane, double *x, double *y);
void wp_pane_to_screen(const struct wp_pane *pane, double x, double y, float *px, float *py);
void wp_pane_to_view(const struct wp_pane *pane, float px, float py, double *x, double *y);

// Pixels of a point on a tile's face, and the point there of one in view coordinates.
void wp_face_to_screen(const struct wp_pane *pane, const struct wp_face *face, float x, float y,
                       float *px, float *py);
void wp_face_of_view(const struct wp_face *face, double x, double y, double *fx, double *fy);
// A matrix: how far a step across and one down the view lead on it.
void wp_face_steps(const struct wp_face *face, float across[2], float down[2]);

// The point under the pointer stays where it is.
void wp_panes_zoom(struct wp_viewer *v, double factor, float x, float y);
// In the pane that the button was pressed in.
void wp_panes_pan(struct wp_viewer *v, float dx, float dy);
void wp_panes_centre(struct wp_viewer *v);

#endif
