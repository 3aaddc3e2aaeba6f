// Copies between octets of a volume in surfaces and arrays in device memory.
#ifndef WP_CUDA_OCTETS_H
#define WP_CUDA_OCTETS_H

#include "cuda_level.h"

#ifdef __cplusplus
extern "C" {
#endif

// One component of octets as an array. Octets outside `size` do not have this component.
struct wp_cuda_component {
    struct wp_cuda_band at;
    int size[WP_DIMS_MAX];
};

// Even slices and odd slices are in different surfaces: octet (0, 0, 0) is texel (at[0], at[1]) of
// surface at[2] of both.
struct wp_cuda_octets {
    const unsigned long long *surface[2]; // one per slice, in device memory
    int at[WP_DIMS_MAX], size[WP_DIMS_MAX];
    struct wp_cuda_component component[WP_OCTET_BANDS];
};

// Copies from memory to the surfaces, setting missing components to 0, or back. At most 32767
// octets along z. Launched in a cudaStream_t on the current device; returns a cudaError_t.
int wp_cuda_octets_run(const struct wp_cuda_octets *octets, bool to_surfaces, void *stream);

#ifdef __cplusplus
}
#endif

#endif
