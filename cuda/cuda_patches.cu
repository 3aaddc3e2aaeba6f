// The kernel of patches (cuda_patch.cuh) for the shapes of wavelets that it is compiled for.
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

// The shape of a wavelet in both directions; R row pairs a warp were fastest, by little.
template <template <bool> class SHAPE, int R>
runner find(const wp_cuda_level &level)
{
    if (level.reversible) {
        const runner run = find_width<wp_rounded<SHAPE<false>>, R>(level);
        return run ? run : find_width<wp_rounded<SHAPE<true>>, R>(level);
    }
    const runner run = find_width<SHAPE<false>, R>(level);
    return run ? run : find_width<SHAPE<true>, R>(level);
}

// NULL where no shape covers the level's wavelet.
runner find(const wp_cuda_level &level)
{
    // An axis of one sample has no lifting steps.
    if (level.width < 2 || level.height < 2)
        return nullptr;
    runner run = find<wp_shape_haar, 2>(level);
    if (!run)
        run = find<wp_shape_53, 3>(level);
    if (!run)
        run = find<wp_shape_97, 4>(level);
    if (!run)
        run = find<wp_shape_137, 4>(level);
    return run;
}

} // namespace

int wp_cuda_patches_run(const struct wp_cuda_level *level)
{
    const runner run = find(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}
