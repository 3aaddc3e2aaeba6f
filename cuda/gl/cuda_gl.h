// CUDA kernels on OpenGL textures: RGBA32F textures of a renderer are registered with CUDA, mapped,
// transformed in place (volumes through linear memory) and unmapped, without copies through the
// host.
//
// All functions require that the GL context of the textures is current and renders on the GPU that
// runs the transform. Otherwise wp_cuda_gl_create() returns the reason, and the caller can use the
// backend `cuda`, which copies.
#ifndef WP_CUDA_GL_H
#define WP_CUDA_GL_H

#include "schedule.h"

struct wp_cuda_gl;

// True if this build and machine have a CUDA device; otherwise gets the reason. Requires no
// context.
bool wp_cuda_gl_possible(char *reason, size_t reason_size);

// The number of the CUDA device that renders the current context. -1 and the reason if this build
// or machine has no CUDA, or if the renderer is software or of another vendor.
int wp_cuda_gl_device(char *reason, size_t reason_size);

// Creates the transform of a schedule on the textures of its surfaces: texture[s] is the GL name of
// surface s, an RGBA32F texture at least as large. For volumes, texture[2 s] and texture[2 s + 1]
// are array textures of its even and odd slices. Only the quads of the schedule's transfers are
// read and written; names of other surfaces may be 0. The schedule, which must have a level, and
// the textures must outlive the result; destroy it before a texture is resized or deleted. Returns
// NULL and the reason, or "" after an error, such as WP_ERROR_TOO_LARGE if memory is exhausted.
struct wp_cuda_gl *wp_cuda_gl_create(const struct wp_schedule *schedule, const unsigned *texture,
                                     char *reason, size_t reason_size);
void wp_cuda_gl_destroy(struct wp_cuda_gl **gl); // unmaps; accepts NULL, clears the pointer

// Maps or unmaps all textures. GL must not use them while they are mapped; work of GL before the
// map, and of CUDA before the unmap, is complete afterwards. Return false after WP_ERROR_INTERNAL.
bool wp_cuda_gl_map(struct wp_cuda_gl *gl);
bool wp_cuda_gl_unmap(struct wp_cuda_gl *gl);

// Runs the transform and waits for its end; maps and unmaps the textures if they are not mapped.
// `seconds` (may be NULL) gets the time of the kernels, measured with CUDA events. Returns false
// after WP_ERROR_INTERNAL.
bool wp_cuda_gl_run(struct wp_cuda_gl *gl, double *seconds);

#endif
