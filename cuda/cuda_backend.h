// CUDA kernels in device memory, and the same on OpenGL's textures; or stubs that say why there are
// none. Devices are CUDA's; -1 is number 0, and of cuda-gl the one that renders.
#ifndef WP_CUDA_BACKEND_H
#define WP_CUDA_BACKEND_H

#include "backend.h"

extern const struct wp_backend wp_backend_cuda, wp_backend_cuda_gl;

#endif
