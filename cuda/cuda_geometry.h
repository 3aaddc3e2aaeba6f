// Patches (cuda_patch.cuh) and walks down strips (cuda_lifting.cuh) whose kernel was made at run
// time: how one is shaped, and the call of one.
#ifndef WP_CUDA_GEOMETRY_H
#define WP_CUDA_GEOMETRY_H

#include "cuda_elements.h"
#include "cuda_level.h"

struct wp_cuda_geometry {
    int patch;    // row pairs of a patch; 0: it is a walk
    bool by_row;  // a patch finds rows at edges one by one, which takes fewer registers
    int resident; // blocks a multiprocessor, which bounds the registers; 0: any
    // Of a walk.
    int samples;  // of a row that a lane holds: 4 or 8
    int ahead;    // row pairs that are fetched ahead
    int unroll;   // row pairs a round of the loop
    int most;     // row pairs a warp
};

enum { WP_CUDA_JIT_THREADS = 128 }; // a block

struct wp_cuda_jit_call {
    unsigned char args[512]; // the kernel's one argument
    unsigned grid[3], block[2];
};

#ifdef __cplusplus
extern "C" {
#endif

// Rows of the window, even and odd ones together: a lane holds `samples` of each in registers.
int wp_cuda_ring_rows(const struct wp_cuda_level *level);
// Lanes of a warp that make results. Below 1 the wavelet reaches too far.
int wp_cuda_strip_lanes(const struct wp_cuda_level *level, int samples);
// `blocks` of it are on the device at once.
void wp_cuda_prepare_call(const struct wp_cuda_level *level, const struct wp_cuda_geometry *geometry,
                          int blocks, struct wp_cuda_jit_call *call);

// How a kernel for u8, u16 or f16 samples is compiled (cuda_typed_kernel.h), and its call.
struct wp_cuda_typed_tuning {
    int rows;    // row pairs per warp; 0: there is no kernel
    int columns; // per lane
    bool by_row; // as in struct wp_cuda_geometry
};
void wp_cuda_prepare_typed_call(const struct wp_cuda_level *level,
                                const struct wp_cuda_elements *elements,
                                const struct wp_cuda_typed_tuning *tuning,
                                struct wp_cuda_jit_call *call);
// Whether the kernel's arithmetic holds for what the elements stand for.
bool wp_cuda_typed_scale_fits(const struct wp_cuda_level *level,
                              const struct wp_cuda_elements *elements);

#ifdef __cplusplus
}
#endif

#endif
