// CUDA on the viewer's own textures, as a backend of the viewer: the kernels read the image's one
// texture, which the fragment shaders read, too, and what they write is shown where it lies.
#ifndef WP_SHARED_H
#define WP_SHARED_H

#include "backends.h"
#include "texture.h"

extern const struct wp_backend wp_backend_cuda_gl; // "cuda-gl"

// Makes `image` the texture of quads that a forward transform of wp_backend_cuda_gl with a level
// reads, from its texel (0, 0) on; it has to be named before run(). NULL lets go of the one before,
// which has to be done before that one is destroyed. False after WP_ERROR_UNAVAILABLE.
bool wp_shared_read(struct wp_exec *exec, const struct wp_texture *image);

// What the latest run took to hand the textures over and back, on the computer's clock. `exec`
// must be one of wp_backend_cuda_gl.
void wp_shared_times(const struct wp_exec *exec, double *map, double *unmap);

// Backend `number` of those that the viewer offers: the registry's, then the above. NULL behind
// the last.
const struct wp_backend *wp_view_backend(int number);

#endif
