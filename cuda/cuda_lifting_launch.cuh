// How lifting kernels are called: their arguments of a level, and launches.
#ifndef WP_CUDA_LIFTING_LAUNCH_CUH
#define WP_CUDA_LIFTING_LAUNCH_CUH

#include "cuda_patch.cuh"

inline wp_lifting_bands wp_bands_of(const wp_cuda_level &level)
{
    wp_lifting_bands bands = {};
    bands.width = level.width;
    bands.height = level.height;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        bands.band[b] = level.band[b];
        bands.scale[b] = level.scale[b];
    }
    return bands;
}

// But for `next` and `pairs`.
template <class SHAPE>
wp_lifting_args<SHAPE> wp_make_lifting_args(const wp_cuda_level &level)
{
    wp_lifting_args<SHAPE> args = {};
    args.at = wp_bands_of(level);
    args.extension = level.extension;
    args.pitch = level.pitch;
    args.plane = level.plane;
    SHAPE::fill(level, &args.table);
    return args;
}

// That of patches of `pairs` row pairs in strips of so many columns.
inline dim3 wp_patch_grid(const wp_cuda_level &level, int pairs, int strip)
{
    const int rows = (level.height + 1) / 2, block = pairs * WP_PATCH_WARPS;
    return dim3((unsigned)((level.width + strip - 1) / strip),
                (unsigned)((rows + block - 1) / block));
}

// Whether a kernel's code on a device waits for the launch before itself: the device's compute
// capability does not tell, as code may have been compiled for an older one. Asking takes as long as
// a launch, so each kernel has its own and asks once for each device.
class wp_waits {
    enum { DEVICES = 64 };
    char known[DEVICES]; // of any thread; 0: not asked yet, else 1 + the answer

public:
    template <class ARGS>
    cudaError_t find(void (*kernel)(ARGS), bool *waits)
    {
        int device = 0;
        cudaError_t error = cudaGetDevice(&device);
        const bool kept = error == cudaSuccess && device < DEVICES;
        // (std::atomic would export symbols of its own.)
        const char answer = kept ? __atomic_load_n(&known[device], __ATOMIC_RELAXED) : (char)0;
        *waits = answer == 2;
        if (answer)
            return error;
        cudaFuncAttributes attributes = {};
        if (error == cudaSuccess)
            error = cudaFuncGetAttributes(&attributes, kernel);
        *waits = attributes.ptxVersion >= 90;
        if (kept && error == cudaSuccess)
            __atomic_store_n(&known[device], *waits ? (char)2 : (char)1, __ATOMIC_RELAXED);
        return error;
    }
};

// Launches a kernel whose blocks, of `warps` warps, may take their places while the one before still
// runs, where it waits for that one's results itself (`waits`, a static of that kernel's).
template <class ARGS>
cudaError_t wp_launch_early(void (*kernel)(ARGS), wp_waits &waits, dim3 grid, unsigned warps,
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

#endif
