// Ceilings of the backends on OpenGL: passes and dispatches that fill, copy and fetch.
#ifndef WP_GL_CEILING_H
#define WP_GL_CEILING_H

#include "backend.h"
#include "texture.h"

// For wp_backend_bench.ceilings.
extern const struct wp_ceiling wp_gl_fragment_ceilings[]; // render passes
extern const struct wp_ceiling wp_gl_compute_ceilings[];  // compute shaders

// The functions of wp_backend_bench.
struct wp_ceiling_run_state *wp_gl_ceiling_prepare(struct wp_device *device,
                                                   const struct wp_ceiling *ceiling, int width,
                                                   int height);
bool wp_gl_ceiling_run(struct wp_ceiling_run_state *const states[], int count, double *seconds);
void wp_gl_ceiling_release(struct wp_ceiling_run_state *state);

// Its input and output.
void wp_gl_ceiling_textures(const struct wp_ceiling_run_state *state,
                            const struct wp_texture **source, const struct wp_texture **target);

#endif
