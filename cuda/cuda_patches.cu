// The kernel of patches (cuda_patch.cuh) for the shapes of wavelets that it is compiled for.
#include "cuda_internal.h"
#include "cuda_patches_elements.cuh"

#include <cfloat>

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

// The shape of a wavelet in both directions; R row pairs a warp were fastest forward, INVERSE_R back.
template <template <bool> class SHAPE, int R, int INVERSE_R = R>
runner find(const wp_cuda_level &level)
{
    if (level.reversible) {
        const runner run = find_width<wp_rounded<SHAPE<false>>, R>(level);
        return run ? run : find_width<wp_rounded<SHAPE<true>>, INVERSE_R>(level);
    }
    const runner run = find_width<SHAPE<false>, R>(level);
    return run ? run : find_width<SHAPE<true>, INVERSE_R>(level);
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
        run = find<wp_shape_137, 6, 4>(level);
    return run;
}

// Of small levels, one row pair a warp, so that more multiprocessors have a block. NULL where the kernel of
// `hybrid` is faster, which is forward where steps reach far.
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

// NULL where the level's samples cannot be such elements.
wp_elements_runner find_elements(const wp_cuda_level &level, const wp_cuda_elements &elements)
{
    if (level.width < 2 || level.height < 2 || !wp_cuda_level_is_wide(&level))
        return nullptr;
    switch (elements.type) {
    case WP_ELEMENT_U8:
        // Where the reciprocal is too large for a float.
        if (!level.reversible &&
            !(wp_find_reciprocal(elements.scale, wp_u8::shift).high <= FLT_MAX))
            return nullptr;
        return wp_find_patches_u8(level);
    case WP_ELEMENT_U16: return wp_find_patches_u16(level);
    case WP_ELEMENT_F16: return wp_find_patches_f16(level);
    default: return nullptr;
    }
}

} // namespace

int wp_cuda_patches_run(const struct wp_cuda_level *level)
{
    const runner run = find(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}

bool wp_cuda_small_patches_take(const struct wp_cuda_level *level)
{
    return find_small(*level) != nullptr;
}

int wp_cuda_small_patches_run(const struct wp_cuda_level *level)
{
    const runner run = find_small(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}

bool wp_cuda_patches_take(const struct wp_cuda_level *level,
                          const struct wp_cuda_elements *elements)
{
    return find_elements(*level, *elements) != nullptr;
}

int wp_cuda_patches_run_elements(const struct wp_cuda_level *level,
                                 const struct wp_cuda_elements *elements)
{
    const wp_elements_runner run = find_elements(*level, *elements);
    return run ? run(level, elements) : cudaErrorInvalidValue;
}
