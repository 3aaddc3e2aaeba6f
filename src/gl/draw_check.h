// Checks that the device executes draws and dispatches. A driver that runs out of memory may omit
// one without an error, which leaves old data in its target. Fragments and invocations between
// begin and end are therefore counted, by the device with a query and by programs.
#ifndef WP_GL_DRAW_CHECK_H
#define WP_GL_DRAW_CHECK_H

#include <stdbool.h>

struct wp_gl;

// Requires the context to be current; cannot be nested. Nothing is counted in wrapped contexts
// (wp_gl_wrap()), where the program may have an active query, or without a query: draws in web
// pages, dispatches without GL_ARB_pipeline_statistics_query. Draws of stacked and layered programs
// are not counted (docs/decisions.md).
void wp_gl_draw_check_begin(struct wp_gl *gl);

// Waits for the device. Returns false after WP_ERROR_INTERNAL if it executed less.
bool wp_gl_draw_check_end(struct wp_gl *gl);

#endif
