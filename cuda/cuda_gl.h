// CUDA kernels on OpenGL textures: the renderer's own RGBA32F textures are registered with CUDA,
// mapped together, transformed where they are (volumes by way of linear memory) and handed back.
// Nothing is copied through the host.
//
// Every function needs the GL context of the textures to be current, and that context to render
// on the GPU on which the transform runs. Where that cannot be had, create() says why and the
// caller takes the backend `cuda`, which copies.
#ifndef WP_CUDA_GL_H
#define WP_CUDA_GL_H

#include "plan.h"

struct wp_cuda_gl;

// Without a context: false with the reason where this build or machine has no CUDA device at all.
bool wp_cuda_gl_possible(char *reason, size_t reason_size);

// The number of the CUDA device that renders the current context, or -1 with the reason: no CUDA
// in this build or on this machine, a renderer in software or of another vendor.
int wp_cuda_gl_device(char *reason, size_t reason_size);

// A plan's transform on the textures of its surfaces: texture[s] is the GL name of surface s, an
// RGBA32F texture at least as large; of a volume texture[2 s] and texture[2 s + 1] are array
// textures of its even slices and its odd ones. Quads are read and written where the plan's ports say, and
// nothing else of the surfaces is touched; the other surfaces of the plan are not used and their
// names may be 0. The plan (which must have a level) is kept, the textures stay the caller's:
// destroy the result before one of them is resized or deleted. NULL with a reason, or with "" after
// an error, such as WP_ERROR_TOO_LARGE where memory is short.
struct wp_cuda_gl *wp_cuda_gl_create(const struct wp_plan *plan, const unsigned *texture,
                                     char *reason, size_t reason_size);
void wp_cuda_gl_destroy(struct wp_cuda_gl **gl); // unmaps; accepts NULL, clears the pointer

// All textures at once. While they are mapped GL must not use them; what GL did to them before
// is done when CUDA reads them, and the other way round. False after WP_ERROR_INTERNAL.
bool wp_cuda_gl_map(struct wp_cuda_gl *gl);
bool wp_cuda_gl_unmap(struct wp_cuda_gl *gl);

// Runs the transform to its end, in a map and an unmap of its own where the textures are not
// mapped. `seconds` (may be NULL): of the kernels alone, by CUDA's events. False after
// WP_ERROR_INTERNAL.
bool wp_cuda_gl_run(struct wp_cuda_gl *gl, double *seconds);

#endif
