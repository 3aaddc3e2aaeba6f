// Launches of lifting kernels: arguments for a level, grids, early launches.
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

// Sets all arguments except `pairs`.
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

// The grid for patches of `pairs` row pairs in strips of `strip` columns.
inline dim3 wp_patch_grid(const wp_cuda_level &level, int pairs, int strip)
{
    const int rows = (level.height + 1) / 2, block = pairs * WP_PATCH_WARPS;
    return dim3((unsigned)((level.width + strip - 1) / strip),
                (unsigned)((rows + block - 1) / block));
}

// Whether the code of a kernel on a device waits for the previous launch (`griddepcontrol.wait`),
// which depends on the architecture of the code, not of the device. The query takes as long as a
// launch, so each kernel has a static object that queries once per device.
class wp_waits {
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
