// Execs on textures and buffers of the caller. A build without OpenGL has stubs, which are never
// called, since it has no backends for OpenGL.
#ifndef WP_GL_OPERANDS_H
#define WP_GL_OPERANDS_H

#include "backend.h"

// Runs an exec for plane `plane` of `planes`, which is a channel of operands that are textures.
// False after WP_ERROR_USAGE if a texture is not suitable, or after an error of the backend.
bool wp_gl_operands_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *description, const struct wp_operand *from,
                     const struct wp_operand *to, int plane, int planes, double *seconds);

// Whether a backend works on buffers of the caller. The functions below require it.
bool wp_gl_operands_support_buffers(const struct wp_backend *backend);
// Runs an exec on a buffer, from plane `plane` on; planes are `apart` floats apart (0: the
// minimum).
bool wp_gl_operands_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart);
// wp_backend_gl.floats() and wp_backend_gl.band_at().
size_t wp_gl_operands_floats(const struct wp_backend *backend, const struct wp_exec *exec,
                          size_t *end);
void wp_gl_operands_band_at(const struct wp_backend *backend, const struct wp_exec *exec, int level,
                         enum wp_band band, ptrdiff_t *first, ptrdiff_t stride[WP_DIMS_MAX]);

#endif
