// The backends "cuda" and "cuda-gl", or stubs that report why they are not available. Devices are
// CUDA devices; index -1 is device 0, and for cuda-gl the device that renders.
#ifndef WP_CUDA_BACKEND_H
#define WP_CUDA_BACKEND_H

#include "backend.h"

extern const struct wp_backend wp_backend_cuda, wp_backend_cuda_gl;

#endif
