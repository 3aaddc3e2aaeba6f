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

// Launches a kernel whose blocks, of `warps` warps, may take their places while the one before still
// runs: it waits for that one's results itself. GPUs from before compute capability 9 know no such
// launch.
template <class ARGS>
cudaError_t wp_launch_early(void (*kernel)(ARGS), dim3 grid, unsigned warps, cudaStream_t stream,
                            const ARGS &args)
{
    int device = 0, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
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
    config.numAttrs = major >= 9 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args);
}

#endif
