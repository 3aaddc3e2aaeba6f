#ifndef WP_VIEWER_FRAME_H
#define WP_VIEWER_FRAME_H

struct wp_viewer;

// Draws one frame, interface and canvas, to v->screen.
void wp_viewer_frame(struct wp_viewer *v);

#endif
