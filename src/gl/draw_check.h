// Whether the device does what it is told. A driver that runs out of memory may leave out a draw or
// a dispatch without an error, and what lies in its target then is what was there before. So what
// programs are told to draw or to compute between begin and end is counted, by the device and here.
#ifndef WP_GL_DRAW_CHECK_H
#define WP_GL_DRAW_CHECK_H

#include <stdbool.h>

struct wp_gl;

// Needs its context to be current. Not nested. Nothing is counted in the context of a program that
// goes on using it (wp_gl_wrap()), which may have a query of the kind, nor of what the context has
// no query for: draws in pages, dispatches where there is no GL_ARB_pipeline_statistics_query. Draws of
// stacked and of layered programs are left out (docs/decisions.md).
void wp_gl_draw_check_begin(struct wp_gl *gl);

// Waits for the device. False after WP_ERROR_INTERNAL where it did less.
bool wp_gl_draw_check_end(struct wp_gl *gl);

#endif
