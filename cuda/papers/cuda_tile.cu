// Launches of the kernels of cuda_tile.cuh: of the variants smem, reg and ilp; and of warp, hybrid
// and full-register, with the blocks and tiles of quan2016, Table 3. Of these a kernel is compiled
// for each for CDF 9/7; for the other wavelets of the table for the three tiles that the paper
// selects. The rest use the kernel whose rows are an argument.
#include "cuda_tile.cuh"

namespace {

template <class W, int ROWS>
cudaError_t launch_block(const wp_cuda_level &level, const wp_cuda_tile &tile)
{
    const wp_tile_args<W> args = wp_make_tile_args<W>(level, tile);
    const int rows = tile.warps * tile.rows;
    const size_t bytes = sizeof(float) * 65 * (size_t)rows;
    wp_block_kernel<W, ROWS><<<wp_tile_grid(args, 32, rows / 2),
                               dim3(32, (unsigned)tile.warps), bytes, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

template <class W, int PAIRS>
cudaError_t launch_register(const wp_cuda_level &level, const wp_cuda_tile &tile)
{
    const wp_tile_args<W> args = wp_make_tile_args<W>(level, tile);
    dim3 grid = wp_tile_grid(args, 32, PAIRS);
    grid.y = (grid.y + (unsigned)tile.warps - 1) / (unsigned)tile.warps;
    wp_register_kernel<W, PAIRS><<<grid, dim3(32, (unsigned)tile.warps), 0,
                                   wp_stream(level)>>>(args);
    return cudaGetLastError();
}

template <class W>
constexpr bool is_97()
{
    if constexpr (W::fixed)
        return W::steps == 4;
    else
        return false;
}

// Reversible levels; only of the variant `hybrid`.
cudaError_t run_rounded(const wp_cuda_level &level, const wp_cuda_tile &tile)
{
    return wp_with_tile_shape<wp_rounded>(level, [&](auto shape) {
        using W = decltype(shape);
        if constexpr (W::fixed)
            if (tile.rows == 4)
                return launch_block<W, 4>(level, tile);
        return launch_block<wp_rounded<wp_any<W::inverse>>, 0>(level, tile);
    });
}

} // namespace

int wp_cuda_block_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile)
{
    if (level->reversible)
        return run_rounded(*level, *tile);
    return wp_with_tile_shape(*level, [&](auto shape) {
        using W = decltype(shape);
        using ANY = wp_any<W::inverse>;
        if (tile->kind == WP_CUDA_TILE_REGISTER) {
            if (tile->rows == 32)
                return launch_register<W, 16>(*level, *tile);
            using SMALL = std::conditional_t<is_97<W>(), W, ANY>;
            return launch_register<SMALL, 8>(*level, *tile);
        }
        if constexpr (W::fixed) {
            switch (tile->rows) {
            case 1: return launch_block<W, 1>(*level, *tile);
            case 4: return launch_block<W, 4>(*level, *tile);
            }
        }
        if constexpr (is_97<W>()) {
            switch (tile->rows) {
            case 2: return launch_block<W, 2>(*level, *tile);
            case 8: return launch_block<W, 8>(*level, *tile);
            case 16: return launch_block<W, 16>(*level, *tile);
            }
        }
        return launch_block<ANY, 0>(*level, *tile);
    });
}

int wp_cuda_small_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile)
{
    return wp_with_tile_shape(*level, [&](auto shape) {
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
