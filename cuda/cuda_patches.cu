// Launches of patch kernels (cuda_patch.cuh) for the wavelet shapes that they are compiled for.
#include "cuda_internal.h"
#include "cuda_lifting_launch.cuh"

namespace {

template <class SHAPE, int R, bool WIDE>
cudaError_t launch(const wp_cuda_level *level)
{
    constexpr int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high);
    static wp_waits waits;
    return wp_launch_early(wp_patch_kernel<SHAPE, R, WIDE>, waits, wp_patch_grid(*level, R, strip),
                           WP_PATCH_WARPS, wp_stream(*level), wp_make_lifting_args<SHAPE>(*level));
}

using runner = cudaError_t (*)(const wp_cuda_level *level);

template <class SHAPE, int R>
runner find_width(const wp_cuda_level &level)
{
    if (level.inverse != SHAPE::inverse || !SHAPE::covers(level))
        return nullptr;
    return wp_cuda_level_is_wide(&level) ? launch<SHAPE, R, true> : launch<SHAPE, R, false>;
}

// Finds the kernel for a shape in both directions: R row pairs per warp forward, INVERSE_R inverse,
// the fastest as measured.
template <template <bool> class SHAPE, int R, int INVERSE_R = R>
runner find_float(const wp_cuda_level &level)
{
    const runner run = find_width<SHAPE<false>, R>(level);
    return run ? run : find_width<SHAPE<true>, INVERSE_R>(level);
}

// Like find_float(), also for reversible levels.
template <template <bool> class SHAPE, int R, int INVERSE_R = R>
runner find(const wp_cuda_level &level)
{
    if (!level.reversible)
        return find_float<SHAPE, R, INVERSE_R>(level);
    const runner run = find_width<wp_rounded<SHAPE<false>>, R>(level);
    return run ? run : find_width<wp_rounded<SHAPE<true>>, INVERSE_R>(level);
}

// NULL if no shape covers the level's wavelet.
runner find(const wp_cuda_level &level)
{
    wp_cuda_shape shape;
    if (!wp_cuda_find_shape(&level, &shape))
        return nullptr;
    switch (shape) {
    case WP_CUDA_SHAPE_HAAR: return find<wp_shape_haar, 2>(level);
    case WP_CUDA_SHAPE_53: return find<wp_shape_53, 3>(level);
    case WP_CUDA_SHAPE_97: return find_float<wp_shape_97, 4>(level);
    default: return find<wp_shape_137, 6, 4>(level);
    }
}

// For small levels: one row pair per warp, so that more multiprocessors have a block. NULL if the
// kernel of `hybrid` is faster, which is the case forward for long reaches.
runner find_small(const wp_cuda_level &level)
{
    if (level.width < 2 || level.height < 2 || level.reversible)
        return nullptr;
    runner run = find_width<wp_shape_53<false>, 1>(level);
    if (!run)
        run = find_width<wp_shape_53<true>, 1>(level);
    if (!run)
        run = find_width<wp_shape_97<true>, 1>(level);
    if (!run)
        run = find_width<wp_shape_137<true>, 1>(level);
    return run;
}

} // namespace

bool wp_cuda_level_is_wide(const struct wp_cuda_level *level)
{
    bool wide = true;
    for (int b = 0; b < WP_BAND_COUNT; b++)
        wide = wide && wp_band_is_wide(level->band[b]);
    return wide;
}

namespace {

template <template <bool> class SHAPE>
bool covers(const wp_cuda_level &level)
{
    return level.inverse ? SHAPE<true>::covers(level) : SHAPE<false>::covers(level);
}

// True if the shape that covers a level has no unused taps.
template <template <bool> class SHAPE>
bool fits(const wp_cuda_level &level)
{
    bool fitting = true;
    for (int s = 0; s < level.steps; s++) {
        const int low = level.inverse ? SHAPE<true>::kmin(s) : SHAPE<false>::kmin(s);
        const int high = level.inverse ? SHAPE<true>::kmax(s) : SHAPE<false>::kmax(s);
        fitting = fitting && level.step[s].count == high - low + 1;
    }
    return fitting;
}

} // namespace

bool wp_cuda_find_shape(const struct wp_cuda_level *level, enum wp_cuda_shape *shape)
{
    // An axis of one sample has no lifting steps.
    if (level->width < 2 || level->height < 2)
        return false;
    if (covers<wp_shape_haar>(*level))
        *shape = WP_CUDA_SHAPE_HAAR;
    else if (covers<wp_shape_53>(*level))
        *shape = WP_CUDA_SHAPE_53;
    else if (covers<wp_shape_97>(*level) && !level->reversible) // has no kernel that rounds
        *shape = WP_CUDA_SHAPE_97;
    else if (covers<wp_shape_137>(*level))
        *shape = WP_CUDA_SHAPE_137;
    else
        return false;
    return true;
}

bool wp_cuda_patches_cover(const struct wp_cuda_level *level)
{
    wp_cuda_shape shape;
    return wp_cuda_find_shape(level, &shape);
}

bool wp_cuda_patches_fit(const struct wp_cuda_level *level)
{
    wp_cuda_shape shape;
    if (!wp_cuda_find_shape(level, &shape))
        return false;
    switch (shape) {
    case WP_CUDA_SHAPE_HAAR: return fits<wp_shape_haar>(*level);
    case WP_CUDA_SHAPE_53: return fits<wp_shape_53>(*level);
    case WP_CUDA_SHAPE_97: return fits<wp_shape_97>(*level);
    default: return fits<wp_shape_137>(*level);
    }
}

int wp_cuda_probe(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, wp_patch_kernel<wp_shape_haar<false>, 2, true>);
}

int wp_cuda_patches_run(const struct wp_cuda_level *level)
{
    const runner run = find(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}

bool wp_cuda_small_patches_support(const struct wp_cuda_level *level)
{
    return find_small(*level) != nullptr;
}

int wp_cuda_small_patches_run(const struct wp_cuda_level *level)
{
    const runner run = find_small(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}
