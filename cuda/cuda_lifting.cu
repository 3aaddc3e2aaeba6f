// The lifting kernel for the shapes of wavelets it is compiled for, and which of them takes a
// wavelet: the first whose taps cover the wavelet's.
#include "cuda_internal.h"
#include "cuda_lifting.cuh"

namespace {

// Row pairs a warp: `most`, or fewer where that lets all warps be resident at once. Few pairs mean
// that the rows which two warps read are still in the cache, many that there are fewer of them.
template <class SHAPE, int V, class KERNEL>
cudaError_t choose_pairs(const wp_cuda_level &level, KERNEL kernel, int warps, int most,
                         int *pairs)
{
    // The same for every call on a device; asking costs as much as a small launch.
    static int resident[64];
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    int *known = device < 64 ? &resident[device] : nullptr;
    int blocks = known ? *known : 0;
    if (!blocks) {
        int multiprocessors = 0;
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess)
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * warps, 0);
        if (error != cudaSuccess)
            return error;
        blocks *= multiprocessors;
        if (known)
            *known = blocks;
    }
    const int strip = wp_strip<SHAPE, V>();
    const int across = ((level.width + strip - 1) / strip + warps - 1) / warps;
    const int rows = (level.height + 1) / 2;
    const int groups = blocks / across > 1 ? blocks / across : 1;
    const int least = 8;
    const int even_share = (rows + groups - 1) / groups;
    *pairs = even_share > most ? most : even_share < least ? least : even_share;
    return cudaSuccess;
}

template <class SHAPE, int V, int D, int MOST, bool WIDE>
cudaError_t launch(const wp_cuda_level &level)
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

    const int warps = 4;
    const auto kernel = wp_lifting_kernel<SHAPE, V, D, WIDE>;
    const cudaError_t error = choose_pairs<SHAPE, V>(level, kernel, warps, MOST, &args.pairs);
    if (error != cudaSuccess)
        return error;
    const int strip = wp_strip<SHAPE, V>();
    const unsigned across = (unsigned)(((level.width + strip - 1) / strip + warps - 1) / warps);
    const int rows = (level.height + 1) / 2;
    const unsigned down = (unsigned)((rows + args.pairs - 1) / args.pairs);
    kernel<<<dim3(across, down), dim3(32, warps)>>>(args);
    return cudaGetLastError();
}

using runner = cudaError_t (*)(const wp_cuda_level &);

// V samples a lane, D row pairs in flight and at most MOST a warp, as measured best for the shape.
template <int V, int D, int MOST, int PAIRS, int P0, int P1, int U0, int U1>
runner choose(const wp_cuda_level &level)
{
    using forward = wp_shape<PAIRS, P0, P1, U0, U1, false>;
    using inverse = wp_shape<PAIRS, P0, P1, U0, U1, true>;
    bool wide = true;
    for (const wp_cuda_band &band : level.band)
        wide = wide && wp_band_is_wide(band);
    if (!level.inverse && forward::covers(level))
        return wide ? launch<forward, V, D, MOST, true> : launch<forward, V, D, MOST, false>;
    if (level.inverse && inverse::covers(level))
        return wide ? launch<inverse, V, D, MOST, true> : launch<inverse, V, D, MOST, false>;
    return nullptr;
}

runner find(const wp_cuda_level &level)
{
    // An axis of one sample has no lifting steps.
    if (level.width < 2 || level.height < 2)
        return nullptr;
    runner run = choose<4, 2, 8, 1, 0, 0, 0, 0>(level);
    if (!run)
        run = choose<8, 1, 512, 1, 0, 1, -1, 0>(level);
    if (!run)
        run = choose<8, 1, 512, 2, 0, 1, -1, 0>(level);
    if (!run)
        run = choose<8, 1, 512, 1, -1, 2, -2, 1>(level);
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
    return cudaFuncGetAttributes(
        &attributes, wp_lifting_kernel<wp_shape<1, 0, 0, 0, 0, false>, 4, 2, true>);
}
