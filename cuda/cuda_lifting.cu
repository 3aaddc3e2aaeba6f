// The lifting kernel for the shapes of wavelets it is compiled for, and which of them takes a
// wavelet: the first whose taps cover the wavelet's.
#include "cuda_internal.h"
#include "cuda_lifting_launch.cuh"

namespace {

template <class SHAPE, class T, bool WIDE>
cudaError_t launch(const wp_cuda_level &level)
{
    return wp_launch_lifting<SHAPE, T, WIDE>(level, wp_cuda_shared{});
}

using runner = cudaError_t (*)(const wp_cuda_level &);

// NULL where the shape does not cover the level's wavelet.
template <class FORWARD, class INVERSE, class F, class I>
runner choose(const wp_cuda_level &level)
{
    bool wide = true;
    for (const wp_cuda_band &band : level.band)
        wide = wide && wp_band_is_wide(band);
    if (!level.inverse && FORWARD::covers(level))
        return wide ? launch<FORWARD, F, true> : launch<FORWARD, F, false>;
    if (level.inverse && INVERSE::covers(level))
        return wide ? launch<INVERSE, I, true> : launch<INVERSE, I, false>;
    return nullptr;
}

runner find(const wp_cuda_level &level)
{
    // An axis of one sample has no lifting steps.
    if (level.width < 2 || level.height < 2)
        return nullptr;
    runner run = choose<wp_shape_haar<false>, wp_shape_haar<true>, wp_tuning<4, 2, 8, 0>,
                        wp_tuning<4, 2, 8, 0>>(level);
    if (!run)
        run = choose<wp_shape_53<false>, wp_shape_53<true>, wp_tuning<8, 2, 5, 4>,
                     wp_tuning<8, 2, 5, 4>>(level);
    if (!run)
        run = choose<wp_shape_97<false>, wp_shape_97<true>, wp_tuning<8, 1, 144, 0>,
                     wp_tuning<8, 2, 6, 4>>(level);
    if (!run)
        run = choose<wp_shape_137<false>, wp_shape_137<true>, wp_tuning<8, 1, 144, 0>,
                     wp_tuning<8, 1, 144, 0>>(level);
    return run;
}

} // namespace

bool wp_cuda_strips_cover(const struct wp_cuda_level *level)
{
    return find(*level) != nullptr;
}

int wp_cuda_strips_run(const struct wp_cuda_level *level)
{
    const runner run = find(*level);
    return run ? run(*level) : cudaErrorInvalidValue;
}

int wp_cuda_probe(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes,
                                 wp_lifting_kernel<wp_shape_haar<false>, 4, 2, 0, true>);
}
