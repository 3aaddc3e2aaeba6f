// Patches of images of integers and halves, for the shapes that cuda_patches.cu is compiled for; a
// file for each type of element.
#ifndef WP_CUDA_PATCHES_ELEMENTS_CUH
#define WP_CUDA_PATCHES_ELEMENTS_CUH

#include "cuda_elements.h"
#include "cuda_lifting_launch.cuh"
#include "cuda_patch_elements.cuh"

// NULL where there is no kernel for a level that takes such elements.
using wp_elements_runner = cudaError_t (*)(const wp_cuda_level *level,
                                           const wp_cuda_elements *elements);
wp_elements_runner wp_find_patches_u8(const wp_cuda_level &level);
wp_elements_runner wp_find_patches_u16(const wp_cuda_level &level);
wp_elements_runner wp_find_patches_f16(const wp_cuda_level &level);

// The row pairs of a warp and the columns of a lane, forward and inverse; and how forward ones find
// rows at edges.
template <int R_, int V_, int INVERSE_R_, int INVERSE_V_, wp_patch_edges EDGES_ = WP_EDGES_AT_ONCE>
struct wp_patch_tuning {
    static constexpr int R[] = {R_, INVERSE_R_}, V[] = {V_, INVERSE_V_};
    static constexpr wp_patch_edges edges[] = {EDGES_, WP_EDGES_AT_ONCE};
};

template <class ELEMENT, class SHAPE, class TUNING>
cudaError_t wp_launch_elements(const wp_cuda_level *level, const wp_cuda_elements *elements)
{
    constexpr int R = TUNING::R[SHAPE::inverse], V = TUNING::V[SHAPE::inverse];
    constexpr int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high, V,
                                         ELEMENT::bytes);
    static wp_waits waits;
    wp_element_args<SHAPE, ELEMENT> args = {};
    static_cast<wp_lifting_args<SHAPE> &>(args) = wp_make_lifting_args<SHAPE>(*level);
    args.pitch = elements->pitch;
    args.elements = static_cast<typename ELEMENT::type *>(elements->data);
    args.by = wp_find_reciprocal(elements->scale, ELEMENT::shift);
    args.scale = elements->scale;
    return wp_launch_early(wp_patch_kernel<SHAPE, R, true, TUNING::edges[SHAPE::inverse],
                                           wp_elements_plane<ELEMENT>, V>,
                           waits, wp_patch_grid(*level, R, strip), WP_PATCH_WARPS,
                           wp_stream(*level), args);
}

template <class ELEMENT, class SHAPE, class TUNING>
wp_elements_runner wp_find_direction(const wp_cuda_level &level)
{
    return level.inverse == SHAPE::inverse && SHAPE::covers(level)
               ? wp_launch_elements<ELEMENT, SHAPE, TUNING>
               : nullptr;
}

// The shape of a wavelet in both directions. Halves do not round: no integers are sure to be one.
template <class ELEMENT, template <bool> class SHAPE, class TUNING>
wp_elements_runner wp_find_elements(const wp_cuda_level &level)
{
    if constexpr (ELEMENT::integers)
        if (level.reversible) {
            const auto run = wp_find_direction<ELEMENT, wp_rounded<SHAPE<false>>, TUNING>(level);
            return run ? run : wp_find_direction<ELEMENT, wp_rounded<SHAPE<true>>, TUNING>(level);
        }
    if (level.reversible)
        return nullptr;
    const auto run = wp_find_direction<ELEMENT, SHAPE<false>, TUNING>(level);
    return run ? run : wp_find_direction<ELEMENT, SHAPE<true>, TUNING>(level);
}

#endif
