// Levels whose samples or coefficients are quads in a surface: the kernel of `hybrid`, or patches
// if they are faster (cuda_patch_quads.cuh), access the surface directly. Wavelets that no shape
// covers are copied through linear memory.
#include "cuda_internal.h"
#include "cuda_patch_quads.cuh"
#include "cuda_tile.cuh"

namespace {

// Copies between quads in a surface and a plane of interleaved values. LL is in `low`, if set.
struct move_args {
    wp_cuda_quads quads;
    float *plane, *low;
    int pitch, low_pitch, width, height;
};

template <bool TO_SURFACE>
__global__ void move_quads(const __grid_constant__ move_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (2 * x >= args.width || 2 * y >= args.height)
        return;
    const bool odd_x = 2 * x + 1 < args.width, odd_y = 2 * y + 1 < args.height;
    float *sample = args.plane + (ptrdiff_t)(2 * y) * args.pitch + 2 * x;
    float *low = args.low ? args.low + (ptrdiff_t)y * args.low_pitch + x : sample;
    const int at = (args.quads.x + x) * (int)sizeof(float4), line = args.quads.y + y;
    if (TO_SURFACE) {
        const float4 q = make_float4(*low, odd_x ? sample[1] : 0.0f,
                                     odd_y ? sample[args.pitch] : 0.0f,
                                     odd_x && odd_y ? sample[args.pitch + 1] : 0.0f);
        surf2Dwrite(q, args.quads.surface, at, line);
        return;
    }
    const float4 q = surf2Dread<float4>(args.quads.surface, at, line);
    *sample = q.x;
    if (odd_x)
        sample[1] = q.y;
    if (odd_y)
        sample[args.pitch] = q.z;
    if (odd_x && odd_y)
        sample[args.pitch + 1] = q.w;
}

cudaError_t move(const wp_cuda_level &level, const wp_cuda_quads &quads, float *plane, int pitch,
                 float *low, int low_pitch, bool to_surface)
{
    const move_args args = {quads, plane, low, pitch, low_pitch, level.width, level.height};
    const dim3 block(32, 8);
    const dim3 grid(((unsigned)level.width / 2 + 32) / 32, ((unsigned)level.height / 2 + 8) / 8);
    const auto kernel = to_surface ? move_quads<true> : move_quads<false>;
    kernel<<<grid, block, 0, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

// Blocks of 32x8 threads and tiles of 64x32 samples, as measured. Adjacent rows of quads share
// sectors of a surface, so they must be accessed together: streaming single rows takes four times
// as long.
enum { WARPS = 8, ROWS = 4 };

template <class W, class LAYOUT>
cudaError_t launch_tiles(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    const wp_cuda_tile tile = {WP_CUDA_TILE_BLOCK, WARPS, ROWS};
    wp_tile_args<W> args = wp_make_tile_args<W>(level, tile);
    args.shared = shared;
    const size_t bytes = sizeof(float) * 65 * WARPS * ROWS;
    wp_block_kernel<W, ROWS, LAYOUT><<<wp_tile_grid(args, 32, WARPS * ROWS / 2),
                                       dim3(32, WARPS), bytes, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

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
cudaError_t launch_patches(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    const wp_quads_args<SHAPE> args = {wp_make_lifting_args<SHAPE>(level), wp_make_frame(level),
                                       shared};
    constexpr int strip = wp_quads_strip<SHAPE>(), block = 2 * WP_QUADS_ROWS * WP_QUADS_WARPS;
    const dim3 grid = wp_grid({strip, block}, level.width, level.height);
    quads_kernel<SHAPE, LAYOUT><<<grid, dim3(32, WP_QUADS_WARPS), 0, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

// Patches are faster for the shape of DD 13/7, and for the inverse of CDF 9/7.
template <class SHAPE>
constexpr bool is_for_patches = SHAPE::reach_low + SHAPE::reach_high > (SHAPE::inverse ? 2 : 4);

template <class SHAPE, class LAYOUT>
cudaError_t launch(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    if constexpr (is_for_patches<SHAPE>)
        return launch_patches<SHAPE, LAYOUT>(level, shared);
    else
        return launch_tiles<SHAPE, LAYOUT>(level, shared);
}

// Runs a level through linear memory: level.plane, and interleaved coefficients in level.scratch.
cudaError_t run_linear(wp_cuda_level level, const wp_cuda_shared &shared)
{
    const wp_cuda_tile tile = {WP_CUDA_TILE_ILP, 20, 0};
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        level.band[b].data = level.scratch + (b & 1) + (b >> 1) * (ptrdiff_t)level.pitch;
        level.band[b].step_x = 2;
        level.band[b].step_y = 2 * (ptrdiff_t)level.pitch;
    }
    if (shared.low)
        level.band[WP_BAND_LL] = {shared.low, 1, shared.low_pitch, 0};
    cudaError_t error = cudaSuccess;
    if (shared.from.surface)
        error = move(level, shared.from, level.inverse ? level.scratch : level.plane, level.pitch,
                     nullptr, 0, false);
    if (error == cudaSuccess)
        error = static_cast<cudaError_t>(wp_cuda_small_run(&level, &tile));
    if (error == cudaSuccess && shared.to.surface)
        error = level.inverse ? move(level, shared.to, level.plane, level.pitch, nullptr, 0, true)
                              : move(level, shared.to, level.scratch, level.pitch, shared.low,
                                     shared.low_pitch, true);
    return error;
}

} // namespace

bool wp_cuda_shared_is_direct(const struct wp_cuda_level *level,
                              const struct wp_cuda_shared *shared)
{
    // A kernel cannot read and write one surface: its blocks read quads that others write.
    return shared->from.surface != shared->to.surface && wp_cuda_patches_cover(level);
}

int wp_cuda_shared_run(const struct wp_cuda_level *level, const struct wp_cuda_shared *shared)
{
    if (!wp_cuda_shared_is_direct(level, shared))
        return run_linear(*level, *shared);
    return wp_if_covered(*level, cudaErrorInvalidValue, [&](auto shape) {
        using SHAPE = decltype(shape);
        if (shared->from.surface && shared->to.surface)
            return launch<SHAPE, wp_quad_layout<true, true>>(*level, *shared);
        return launch<SHAPE, wp_quad_layout<SHAPE::inverse, !SHAPE::inverse>>(*level, *shared);
    });
}
