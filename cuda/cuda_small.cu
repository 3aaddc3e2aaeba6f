// Launches of the variants smem, reg and ilp: lifting steps in shared memory or in registers.
#include "cuda_tile_launch.cuh"

int wp_cuda_small_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile)
{
    return wp_with_shape(*level, [&](auto shape) {
        using W = decltype(shape);
        const wp_tile_args<W> args = wp_make_tile_args<W>(*level, *tile);
        const dim3 block(32, (unsigned)tile->warps);
        const cudaStream_t stream = wp_stream(*level);
        const int reach = args.low + args.high;
        if (tile->kind == WP_CUDA_TILE_ILP) {
            const size_t bytes = 4 * sizeof(float) * block.x * block.y;
            wp_ilp_kernel<W><<<wp_tile_grid(args, 32, tile->warps), block, bytes, stream>>>(args);
            return cudaGetLastError();
        }
        const dim3 block_of_samples(WP_BLOCK_X, WP_BLOCK_Y);
        const int across = WP_BLOCK_X / 2 + reach, down = WP_BLOCK_Y / 2 + reach;
        const dim3 grid = wp_tile_grid(args, across, down);
        const size_t bytes = 4 * sizeof(float) * (size_t)across * (size_t)down;
        if (tile->kind == WP_CUDA_TILE_SMEM) {
            wp_smem_kernel<W><<<grid, block_of_samples, bytes, stream>>>(args);
        } else {
            const size_t between = 4 * sizeof(float) * WP_BLOCK_X / 2 * (size_t)down;
            wp_reg_kernel<W><<<grid, block_of_samples, bytes + between, stream>>>(args);
        }
        return cudaGetLastError();
    });
}
