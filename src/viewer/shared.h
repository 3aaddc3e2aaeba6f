// CUDA on the viewer's own textures, as a backend of the viewer: the kernels read the texture
// that a shader has filled, and what they write is shown where it lies.
#ifndef WP_SHARED_H
#define WP_SHARED_H

#include "backends.h"

extern const struct wp_backend wp_backend_cuda_gl; // "cuda-gl"

// What the latest run took to hand the textures over and back, on the computer's clock. `exec`
// must be one of wp_backend_cuda_gl.
void wp_shared_times(const struct wp_exec *exec, double *map, double *unmap);

// Backend `number` of those that the viewer offers: the registry's, then the above. NULL behind
// the last.
const struct wp_backend *wp_view_backend(int number);

#endif
