// Launches of patches of quads in surfaces (cuda_patch_quads.cuh), for the shapes of
// cuda_shared.cu.
#include "cuda_internal.h"
#include "cuda_launch.cuh"
#include "cuda_patch_quads.cuh"

namespace {

template <class SHAPE, class LAYOUT>
__global__ void __launch_bounds__(32 * WP_QUADS_WARPS)
quads_kernel(const __grid_constant__ wp_quads_args<SHAPE> args)
{
    __shared__ wp_quad_tile<SHAPE> tile;
    if constexpr (LAYOUT::loads_quads) {
        wp_load_quads<SHAPE>(args, tile);
        __syncthreads();
    }
    wp_lift_quads<SHAPE, LAYOUT>(args, tile);
}

template <class SHAPE, class LAYOUT>
cudaError_t launch(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    const wp_quads_args<SHAPE> args = {wp_make_lifting_args<SHAPE>(level), wp_make_frame(level),
                                       shared};
    constexpr int strip = wp_quads_strip<SHAPE>(), block = 2 * WP_QUADS_ROWS * WP_QUADS_WARPS;
    const dim3 grid = wp_grid({strip, block}, level.width, level.height);
    quads_kernel<SHAPE, LAYOUT><<<grid, dim3(32, WP_QUADS_WARPS), 0, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

template <class SHAPE>
cudaError_t launch_at(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    if (shared.from.surface && shared.to.surface)
        return launch<SHAPE, wp_quad_layout<true, true>>(level, shared);
    return launch<SHAPE, wp_quad_layout<SHAPE::inverse, !SHAPE::inverse>>(level, shared);
}

} // namespace

int wp_cuda_shared_patches_run(const struct wp_cuda_level *level,
                               const struct wp_cuda_shared *shared)
{
    if (!level->inverse)
        return launch_at<wp_shape_137<false>>(*level, *shared);
    return wp_shape_97<true>::covers(*level) ? launch_at<wp_shape_97<true>>(*level, *shared)
                                             : launch_at<wp_shape_137<true>>(*level, *shared);
}
