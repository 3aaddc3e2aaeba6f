// One frame.
#ifndef WP_VIEWER_FRAME_H
#define WP_VIEWER_FRAME_H


struct wp_viewer;

// The interface and the canvas on v->screen.
void wp_viewer_frame(struct wp_viewer *v);

#endif
