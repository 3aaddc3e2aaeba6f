// Launches of patch kernels (cuda_patch.cuh) for the wavelet shapes that they are compiled for.
#include "cuda_internal.h"
#include "cuda_launch.cuh"
#include "cuda_patch.cuh"

namespace {

// Whether the code of a kernel on a device waits for the previous launch (`griddepcontrol.wait`),
// which depends on the architecture of the code, not of the device. The query takes as long as a
// launch, so each kernel has a static object that queries once per device.
class waits_type {
    enum { DEVICES = 64 };
    char known[DEVICES]; // accessed by any thread; 0: not queried, else 1 + result

public:
    template <class ARGS>
    cudaError_t find(void (*kernel)(ARGS), bool *waits)
    {
        int device = 0;
        cudaError_t error = cudaGetDevice(&device);
        const bool cached = error == cudaSuccess && device < DEVICES;
        // std::atomic would export symbols.
        const char result = cached ? __atomic_load_n(&known[device], __ATOMIC_RELAXED) : (char)0;
        *waits = result == 2;
        if (result)
            return error;
        cudaFuncAttributes attributes = {};
        if (error == cudaSuccess)
            error = cudaFuncGetAttributes(&attributes, kernel);
        *waits = attributes.ptxVersion >= 90;
        if (cached && error == cudaSuccess)
            __atomic_store_n(&known[device], *waits ? (char)2 : (char)1, __ATOMIC_RELAXED);
        return error;
    }
};

// Launches a kernel with `warps` warps per block. If its code waits for the previous launch, its
// blocks may become resident while that still runs. `waits` is a static object of the kernel.
template <class ARGS>
cudaError_t launch_early(void (*kernel)(ARGS), waits_type &waits, dim3 grid, unsigned warps,
                            cudaStream_t stream, const ARGS &args)
{
    bool early = false;
    const cudaError_t error = waits.find(kernel, &early);
    if (error != cudaSuccess)
        return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(32, warps);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args);
}

template <class SHAPE, int R, bool WIDE>
cudaError_t launch(const wp_cuda_level *level)
{
    constexpr int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high);
    static waits_type waits;
    return launch_early(wp_patch_kernel<SHAPE, R, WIDE>, waits, wp_patch_grid(*level, R, strip),
                        WP_PATCH_WARPS, wp_stream(*level), wp_make_lifting_args<SHAPE>(*level));
}

using runner = cudaError_t (*)(const wp_cuda_level *level);

template <class SHAPE, int R>
runner find_width(const wp_cuda_level &level)
{
    return wp_cuda_level_is_wide(&level) ? launch<SHAPE, R, true> : launch<SHAPE, R, false>;
}

template <class SHAPE>
constexpr wp_cuda_shape name_of = SHAPE::steps == 4      ? WP_CUDA_SHAPE_97
                                  : SHAPE::taps_max == 4 ? WP_CUDA_SHAPE_137
                                  : SHAPE::taps_max == 2 ? WP_CUDA_SHAPE_53
                                                         : WP_CUDA_SHAPE_HAAR;

// Row pairs per warp, the fastest as measured.
template <class SHAPE>
constexpr int pairs_of = name_of<SHAPE> == WP_CUDA_SHAPE_HAAR ? 2
                         : name_of<SHAPE> == WP_CUDA_SHAPE_53 ? 3
                         : name_of<SHAPE> == WP_CUDA_SHAPE_97 ? 4
                         : SHAPE::inverse                     ? 4
                                                              : 6;

// Returns f(SHAPE{}) for the shape that covers a level; NULL or false if none does.
template <class RESULT, class F>
RESULT with_patches(const wp_cuda_level &level, F f)
{
    // An axis of one sample has no lifting steps.
    if (level.width < 2 || level.height < 2)
        return {};
    return wp_if_covered(level, RESULT{}, [&](auto shape) -> RESULT {
        // CDF 9/7 has no kernel that rounds.
        if (name_of<decltype(shape)> == WP_CUDA_SHAPE_97 && level.reversible)
            return {};
        return f(shape);
    });
}

// NULL if no shape covers the level's wavelet.
runner find(const wp_cuda_level &level)
{
    return with_patches<runner>(level, [&](auto shape) -> runner {
        using SHAPE = decltype(shape);
        if constexpr (name_of<SHAPE> != WP_CUDA_SHAPE_97)
            if (level.reversible)
                return find_width<wp_rounded<SHAPE>, pairs_of<SHAPE>>(level);
        return find_width<SHAPE, pairs_of<SHAPE>>(level);
    });
}

// For small levels: one row pair per warp, so that more multiprocessors have a block. NULL if the
// kernel of `hybrid` is faster, which is the case forward for long reaches.
runner find_small(const wp_cuda_level &level)
{
    if (level.reversible)
        return nullptr;
    return with_patches<runner>(level, [&](auto shape) -> runner {
        using SHAPE = decltype(shape);
        constexpr wp_cuda_shape name = name_of<SHAPE>;
        if constexpr (name == WP_CUDA_SHAPE_53 || (SHAPE::inverse && name != WP_CUDA_SHAPE_HAAR))
            return find_width<SHAPE, 1>(level);
        else
            return nullptr;
    });
}

} // namespace

bool wp_cuda_level_is_wide(const struct wp_cuda_level *level)
{
    bool wide = true;
    for (int b = 0; b < WP_BAND_COUNT; b++)
        wide = wide && wp_band_is_wide(level->band[b]);
    return wide;
}

bool wp_cuda_find_shape(const struct wp_cuda_level *level, enum wp_cuda_shape *shape)
{
    return with_patches<bool>(*level, [&](auto found) {
        *shape = name_of<decltype(found)>;
        return true;
    });
}

bool wp_cuda_patches_cover(const struct wp_cuda_level *level)
{
    wp_cuda_shape shape;
    return wp_cuda_find_shape(level, &shape);
}

bool wp_cuda_patches_fit(const struct wp_cuda_level *level)
{
    return with_patches<bool>(*level, [&](auto shape) {
        bool fitting = true;
        for (int s = 0; s < level->steps; s++)
            fitting = fitting && level->step[s].count == shape.kmax(s) - shape.kmin(s) + 1;
        return fitting;
    });
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
