// Panes of the canvas: the image, or a slice of a volume. Panes share zoom and center, which are in
// the state.
#ifndef WP_VIEWER_PANES_H
#define WP_VIEWER_PANES_H

#include "viewer_struct.h"

// True if both A and B are on the canvas.
bool wp_viewer_shows_both(const struct wp_viewer *v);

// Sets positions and views of the panes; for images also creates them.
void wp_panes_lay_out(struct wp_viewer *v, struct wp_rect_f canvas);

// The range of tiles of the active pane, or of all panes.
void wp_panes_active(const struct wp_viewer *v, int *first, int *end);

// The pane under a point, or the nearest one.
int wp_pane_at(const struct wp_viewer *v, float x, float y);

// Screen position of the view's origin, rounded, so that image pixels at zoom 1 are screen pixels.
void wp_pane_origin(const struct wp_pane *pane, double *x, double *y);
void wp_pane_to_screen(const struct wp_pane *pane, double x, double y, float *px, float *py);
void wp_pane_to_view(const struct wp_pane *pane, float px, float py, double *x, double *y);

// The view coordinates of a pane's corners, `inset` pixels inside of it.
void wp_pane_range(const struct wp_pane *pane, float inset, double from[2], double to[2]);

// Convert a point on a tile's face to the screen, and view coordinates to a point on the face.
void wp_face_to_screen(const struct wp_pane *pane, const struct wp_face *face, float x, float y,
                       float *px, float *py);
void wp_face_of_view(const struct wp_face *face, double x, double y, double *fx, double *fy);
// Inverse of the face's matrix: the steps on the face per unit across and down the view.
void wp_face_steps(const struct wp_face *face, float across[2], float down[2]);

// Zooms about the point (x, y) of the screen.
void wp_panes_zoom(struct wp_viewer *v, double factor, float x, float y);
// Pans the pane where the button was pressed.
void wp_panes_pan(struct wp_viewer *v, float dx, float dy);
void wp_panes_centre(struct wp_viewer *v);

#endif
