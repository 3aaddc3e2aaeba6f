// Octets of a volume in surfaces, and the arrays of their components in memory.
#ifndef WP_CUDA_OCTETS_H
#define WP_CUDA_OCTETS_H

#include "cuda_level.h"

#ifdef __cplusplus
extern "C" {
#endif

// One component of octets as an array in memory. Beyond its size there is none.
struct wp_cuda_component {
    struct wp_cuda_band at;
    int size[WP_DIMS_MAX];
};

// Even slices and odd ones have surfaces of their own: octet (0, 0, 0) is texel (at[0], at[1]) of
// number at[2] of both.
struct wp_cuda_octets {
    const unsigned long long *surface[2]; // of each slice, in device memory
    int at[WP_DIMS_MAX], size[WP_DIMS_MAX];
    struct wp_cuda_component component[WP_OCTET_BANDS];
};

// From memory to the surfaces, where components that are not there are 0, or back; 32767 octets
// along z at most. Launched in a cudaStream_t of the current device; returns a cudaError_t.
int wp_cuda_octets_run(const struct wp_cuda_octets *octets, bool to_surfaces, void *stream);

#ifdef __cplusplus
}
#endif

#endif
