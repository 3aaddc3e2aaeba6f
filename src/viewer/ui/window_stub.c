// Replaces window.c in a build without GLFW.
#include "viewer_struct.h"

bool wp_window_open(struct wp_viewer *v, int width, int height)
{
    (void)v, (void)width, (void)height;
    return wp_fail(WP_ERROR_UNAVAILABLE, "this build has no GLFW and cannot open a window"
                                         "\nhint: --screenshot FILE works without a display");
}

bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v))
{
    (void)v, (void)step;
    return false;
}

void wp_window_close(struct wp_viewer *v)
{
    (void)v;
}
