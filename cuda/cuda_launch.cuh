// Launches of kernels: sizes of grids, and the shape of a level's wavelet.
#ifndef WP_CUDA_LAUNCH_CUH
#define WP_CUDA_LAUNCH_CUH

#include "cuda_access.cuh"
#include "cuda_shape.cuh"

constexpr int WP_GRID_MOST = 65535; // blocks along the second and third axis of a grid

inline int wp_divide_up(int n, int by)
{
    return (n + by - 1) / by;
}

// The grid of blocks that cover a size; along z at most WP_GRID_MOST, whose kernel has a loop.
inline dim3 wp_grid(dim3 block, int width, int height, int depth = 1)
{
    return dim3((unsigned)wp_divide_up(width, (int)block.x),
                (unsigned)wp_divide_up(height, (int)block.y),
                (unsigned)(depth < WP_GRID_MOST ? depth : WP_GRID_MOST));
}

// As wp_grid(), for a kernel with a loop along y, too.
inline dim3 wp_looped_grid(dim3 block, const int size[WP_DIMS_MAX])
{
    dim3 grid = wp_grid(block, size[WP_X], size[WP_Y], size[WP_Z]);
    if (grid.y > (unsigned)WP_GRID_MOST)
        grid.y = (unsigned)WP_GRID_MOST;
    return grid;
}

template <bool INVERSE, class F>
auto wp_try_shapes(const wp_cuda_level &level, F &f)
{
    if (wp_shape_haar<INVERSE>::covers(level))
        return f(wp_shape_haar<INVERSE>{});
    if (wp_shape_53<INVERSE>::covers(level))
        return f(wp_shape_53<INVERSE>{});
    if (wp_shape_97<INVERSE>::covers(level))
        return f(wp_shape_97<INVERSE>{});
    if (wp_shape_137<INVERSE>::covers(level))
        return f(wp_shape_137<INVERSE>{});
    return f(wp_any<INVERSE>{});
}

// Returns f(SHAPE{}) for the shape with the fewest taps that covers a level's steps; if none does,
// f(wp_any<>{}).
template <class F>
auto wp_with_shape(const wp_cuda_level &level, F f)
{
    return level.inverse ? wp_try_shapes<true>(level, f) : wp_try_shapes<false>(level, f);
}

// As wp_with_shape(), but returns `otherwise` if no shape covers the level's steps.
template <class RESULT, class F>
RESULT wp_if_covered(const wp_cuda_level &level, RESULT otherwise, F f)
{
    return wp_with_shape(level, [&](auto shape) -> RESULT {
        if constexpr (decltype(shape)::fixed)
            return f(shape);
        else
            return otherwise;
    });
}

inline bool wp_is_covered(const wp_cuda_level &level)
{
    return wp_if_covered(level, false, [](auto) { return true; });
}

// True if a level has one pair of steps that stay inside their pairs of samples, each with one tap,
// or with none if `may_be_empty` is set.
inline bool wp_stays_in_pairs(const wp_cuda_level &level, bool may_be_empty)
{
    bool stays = level.steps == 2;
    for (int s = 0; s < 2 && stays; s++)
        stays = level.step[s].count == 1 ? level.step[s].k[0] == 0
                                         : level.step[s].count == 0 && may_be_empty;
    return stays;
}

#endif
