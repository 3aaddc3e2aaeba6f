// Kernels compiled at run time: patches (cuda_patch.cuh) and streaming strips (cuda_lifting.cuh),
// their parameters and launch arguments.
#ifndef WP_CUDA_GEOMETRY_H
#define WP_CUDA_GEOMETRY_H

#include "cuda_elements.h"
#include "cuda_level.h"

struct wp_cuda_geometry {
    int patch;    // row pairs of a patch; 0: a streaming strip
    bool by_row;  // a patch finds rows at edges one by one, which needs fewer registers
    int resident; // minimum blocks per multiprocessor, which limits registers; 0: no limit
    // Only for strips:
    int samples;  // of a row per lane: 4 or 8
    int ahead;    // row pairs fetched ahead
    int unroll;   // row pairs per iteration of the unrolled loop
    int most;     // maximum row pairs per warp
};

enum { WP_CUDA_JIT_THREADS = 128 }; // per block

struct wp_cuda_jit_call {
    unsigned char args[512]; // the only argument of the kernel
    unsigned grid[3], block[2];
};

#ifdef __cplusplus
extern "C" {
#endif

// Rows of the row buffer, even and odd ones; a lane has `samples` of each in registers.
int wp_cuda_ring_rows(const struct wp_cuda_level *level);
// Lanes of a warp that compute results. Less than 1 if the reach of the wavelet is too large.
int wp_cuda_strip_lanes(const struct wp_cuda_level *level, int samples);
// Sets arguments and grid; the device runs `blocks` blocks at once.
void wp_cuda_prepare_call(const struct wp_cuda_level *level,
                          const struct wp_cuda_geometry *geometry, int blocks,
                          struct wp_cuda_jit_call *call);

// How a kernel for u8, u16 or f16 samples is compiled (cuda_typed_kernel.h), and its call.
struct wp_cuda_typed_tuning {
    int rows;    // row pairs per warp; 0: no kernel
    int columns; // per lane
    bool by_row; // see struct wp_cuda_geometry
};
void wp_cuda_prepare_typed_call(const struct wp_cuda_level *level,
                                const struct wp_cuda_elements *elements,
                                const struct wp_cuda_typed_tuning *tuning,
                                struct wp_cuda_jit_call *call);
// True if the arithmetic of the kernel supports the scale of the elements.
bool wp_cuda_typed_scale_fits(const struct wp_cuda_level *level,
                              const struct wp_cuda_elements *elements);

#ifdef __cplusplus
}
#endif

#endif
