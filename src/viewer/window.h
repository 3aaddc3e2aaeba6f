// The window, or a stub that says why there is none.
#ifndef WP_VIEWER_WINDOW_H
#define WP_VIEWER_WINDOW_H

#include <stdbool.h>

struct wp_viewer;

// Makes v->gl.
bool wp_window_open(struct wp_viewer *v, int width, int height);

// Runs until the window is closed, and calls step() where there is something to draw.
bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v));

void wp_window_close(struct wp_viewer *v); // last

#endif
