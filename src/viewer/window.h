// The window; a stub reports an error in builds without GLFW.
#ifndef WP_VIEWER_WINDOW_H
#define WP_VIEWER_WINDOW_H

#include <stdbool.h>

struct wp_viewer;

// Opens the window and creates v->gl.
bool wp_window_open(struct wp_viewer *v, int width, int height);

// Runs until the window is closed. Calls step() for each frame.
bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v));

void wp_window_close(struct wp_viewer *v); // call last

#endif
