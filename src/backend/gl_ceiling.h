// Work that bounds what shaders can do: filling, copying, fetching. Ceilings of the backends that
// run on OpenGL; every function needs the context to be current.
#ifndef WP_GL_CEILING_H
#define WP_GL_CEILING_H

#include "backend.h"
#include "context.h"

// Ended by a NULL name, as wp_backend.ceilings.
extern const struct wp_ceiling wp_gl_fragment_ceilings[]; // render passes
extern const struct wp_ceiling wp_gl_compute_ceilings[];  // compute shaders

struct wp_gl_ceiling;

// Makes one of these ready for an image of width x height samples. NULL after
// WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL.
struct wp_gl_ceiling *wp_gl_ceiling_create(struct wp_gl *gl, const struct wp_ceiling *ceiling,
                                           int width, int height);
void wp_gl_ceiling_destroy(struct wp_gl_ceiling **ceiling); // accepts NULL, clears the pointer

// Does its work once, without waiting for it.
void wp_gl_ceiling_draw(const struct wp_gl_ceiling *ceiling);

#endif
