// Launching the lifting kernel.
#ifndef WP_CUDA_LIFTING_LAUNCH_CUH
#define WP_CUDA_LIFTING_LAUNCH_CUH

#include "cuda_lifting.cuh"

// How a shape is best run, as measured: V samples a lane, D row pairs in flight, at most MOST row
// pairs a warp, RESIDENT blocks a multiprocessor at least (0: any).
template <int V_, int D_, int MOST_, int RESIDENT_>
struct wp_tuning {
    static constexpr int V = V_, D = D_, MOST = MOST_, RESIDENT = RESIDENT_;
};

enum { WP_WARPS = 4 }; // a block

// Row pairs a warp: few, so that blocks sweep over the image in a front short enough for the rows
// that two of them read to be in the cache still; fewer where the image is so small that all warps
// are resident at once.
inline int wp_choose_pairs(int rows, int across, int resident, int most)
{
    const int groups = resident / across > 1 ? resident / across : 1;
    const int even_share = (rows + groups - 1) / groups;
    const int least = 2;
    return even_share > most ? most : even_share < least ? least : even_share;
}

// Launches a kernel whose blocks may take their places while the one before still runs: it waits
// for that one's results itself. GPUs from before compute capability 9 know no such launch.
template <class ARGS>
cudaError_t wp_launch_early(void (*kernel)(ARGS), dim3 grid, bool early, const ARGS &args)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(32, WP_WARPS);
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args);
}

// What is the same for every launch of a kernel on a device.
struct wp_residence {
    int blocks; // that the device holds at once; 0: not asked yet, which costs as much as a launch
    bool early; // wp_launch_early() may be
};

template <class KERNEL>
cudaError_t wp_find_residence(KERNEL kernel, wp_residence *known, wp_residence *found)
{
    enum { DEVICES = 64 };
    int device = 0, multiprocessors = 0, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device < DEVICES && known[device].blocks) {
        *found = known[device];
        return error;
    }
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found->blocks, kernel, 32 * WP_WARPS,
                                                              0);
    found->blocks *= multiprocessors;
    found->early = major >= 9;
    if (error == cudaSuccess && device < DEVICES)
        known[device] = *found;
    return error;
}

// One level of a shape that covers its wavelet, by the kernel tuned as T.
template <class SHAPE, class T, bool WIDE, class PLACES = wp_linear>
cudaError_t wp_launch_lifting(const wp_cuda_level &level, const wp_cuda_shared &shared)
{
    wp_lifting_args<SHAPE> args = {};
    args.width = level.width;
    args.height = level.height;
    args.extension = level.extension;
    args.pitch = level.pitch;
    args.plane = level.plane;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        args.band[b] = level.band[b];
        args.scale[b] = level.scale[b];
    }
    SHAPE::fill(level, &args.table);
    args.shared = shared;

    static wp_residence known[64];
    const auto kernel = wp_lifting_kernel<SHAPE, T::V, T::D, T::RESIDENT, WIDE, PLACES>;
    wp_residence found = {};
    const cudaError_t error = wp_find_residence(kernel, known, &found);
    if (error != cudaSuccess)
        return error;
    const int strip = wp_strip<SHAPE, T::V>(), rows = (level.height + 1) / 2;
    const int across = ((level.width + strip - 1) / strip + WP_WARPS - 1) / WP_WARPS;
    args.pairs = wp_choose_pairs(rows, across, found.blocks, T::MOST);
    const unsigned down = (unsigned)((rows + args.pairs - 1) / args.pairs);
    const dim3 grid((unsigned)across, down);
    return wp_launch_early<wp_lifting_args<SHAPE>>(kernel, grid, found.early, args);
}

#endif
