// Launches of the kernels of cuda_tile.cuh: arguments, grids, shapes.
#ifndef WP_CUDA_TILE_LAUNCH_CUH
#define WP_CUDA_TILE_LAUNCH_CUH

#include "cuda_internal.h"
#include "cuda_tile.cuh"

template <class W>
wp_tile_args<W> wp_make_tile_args(const wp_cuda_level &level, const wp_cuda_tile &tile)
{
    wp_tile_args<W> args = {};
    args.frame = wp_make_frame(level);
    args.low = level.reach_low;
    args.high = level.reach_high;
    if constexpr (W::fixed) {
        args.low = W::reach_low;
        args.high = W::reach_high;
    }
    args.steps_x = level.width > 1 ? level.steps : 0;
    args.steps_y = level.height > 1 ? level.steps : 0;
    args.rows = tile.rows;
    W::fill(level, &args.table);
    return args;
}

// The grid that covers a level with tiles of `across` x `down` pairs, halo included.
template <class W>
dim3 wp_tile_grid(const wp_tile_args<W> &args, int across, int down)
{
    const int reach = args.low + args.high;
    const int pairs_x = (args.frame.width + 1) / 2, pairs_y = (args.frame.height + 1) / 2;
    const int x = across - reach, y = down - reach;
    return dim3((unsigned)((pairs_x + x - 1) / x), (unsigned)((pairs_y + y - 1) / y));
}

template <template <class> class OF, bool INVERSE, class F>
cudaError_t wp_try_shapes(const wp_cuda_level &level, F &f)
{
    // An axis of one sample has no lifting steps; fixed shapes have steps along both axes.
    if (level.width > 1 && level.height > 1) {
        if (wp_shape_haar<INVERSE>::covers(level))
            return f(OF<wp_shape_haar<INVERSE>>{});
        if (wp_shape_53<INVERSE>::covers(level))
            return f(OF<wp_shape_53<INVERSE>>{});
        if (wp_shape_97<INVERSE>::covers(level))
            return f(OF<wp_shape_97<INVERSE>>{});
        if (wp_shape_137<INVERSE>::covers(level))
            return f(OF<wp_shape_137<INVERSE>>{});
    }
    return f(OF<wp_any<INVERSE>>{});
}

// Calls f with the first shape that covers a level's wavelet. OF: wp_rounded or wp_unrounded.
template <template <class> class OF = wp_unrounded, class F>
cudaError_t wp_with_shape(const wp_cuda_level &level, F f)
{
    return level.inverse ? wp_try_shapes<OF, true>(level, f)
                         : wp_try_shapes<OF, false>(level, f);
}

#endif
