// Launches of the kernels that stream along z, and the division of a volume among blocks.
#include "cuda_internal.h"
#include "cuda_jit.h"
#include "cuda_launch.cuh"
#include "cuda_stream_z.cuh"

#include <cstdio>
#include <type_traits>

namespace {

// Slices in the ring, and minimum blocks per multiprocessor, which limits the registers.
template <int RING_, int RESIDENT_>
struct tuning {
    static constexpr int RING = RING_, RESIDENT = RESIDENT_;
};

// Chooses the pairs of slices per block that minimize the time. Blocks run in rounds of `resident`
// blocks; each block computes its pairs and processes `more` additional ones.
int choose_pairs(int pairs, int tiles, int resident, int more)
{
    int best = pairs;
    double least = 0;
    for (int runs = 1; runs <= pairs && runs <= 65535; runs++) {
        const int each = wp_divide_up(pairs, runs);
        const double rounds = wp_divide_up(tiles * wp_divide_up(pairs, each), resident);
        const double time = rounds * (each + more);
        if (runs == 1 || time < least) {
            least = time;
            best = each;
        }
    }
    return best;
}

// The blocks that run at once, cached per device because the queries take as long as a launch.
template <class KERNEL>
cudaError_t find_resident(KERNEL kernel, int threads, int bytes, int *known, int *resident)
{
    enum { DEVICES = 64 };
    int device = 0, multiprocessors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device < DEVICES && known[device]) {
        *resident = known[device];
        return error;
    }
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads,
                                                              (size_t)bytes);
    *resident = *resident > 0 ? *resident * multiprocessors : 1;
    if (error == cudaSuccess && device < DEVICES)
        known[device] = *resident;
    return error;
}

// Sets all arguments except `pairs`.
template <class SHAPE>
wp_stream_z_args<SHAPE> make_args(const wp_cuda_level &level)
{
    wp_stream_z_args<SHAPE> args = {};
    args.width = level.width;
    args.height = level.height;
    args.depth = level.depth;
    args.extension = level.extension;
    args.pitch = level.pitch;
    args.slice = level.slice;
    args.plane = level.plane;
    for (int b = 0; b < WP_OCTET_BANDS; b++) {
        args.band[b] = level.band[b];
        args.scale[b] = level.scale[b];
    }
    SHAPE::fill(level, &args.table);
    return args;
}

// Sets args->pairs. Returns the grid for a device that runs `resident` blocks at once.
template <class SHAPE, wp_stream_z_bands BANDS, bool LIFTS_Z>
dim3 share(const wp_cuda_level &level, int resident, wp_stream_z_args<SHAPE> *args)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    const int across = wp_divide_up(level.width, tile::columns);
    const int down = wp_divide_up(level.height, tile::rows), pairs = wp_divide_up(level.depth, 2);
    args->pairs =
        choose_pairs(pairs, across * down, resident, wp_stream_z_z<SHAPE, LIFTS_Z>::more);
    return dim3((unsigned)across, (unsigned)down, (unsigned)wp_divide_up(pairs, args->pairs));
}

// Launches a kernel that is compiled in this file.
template <class SHAPE, class T, wp_stream_z_bands BANDS, bool LIFTS_Z>
cudaError_t launch(const wp_cuda_level &level)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    constexpr int BYTES = tile::bytes(T::RING);
    static int known[64];
    const auto kernel = wp_stream_z_kernel<SHAPE, BANDS, T::RING, T::RESIDENT, LIFTS_Z>;
    int resident = 0;
    const cudaError_t error = find_resident(kernel, tile::threads, BYTES, known, &resident);
    if (error != cudaSuccess)
        return error;
    wp_stream_z_args<SHAPE> args = make_args<SHAPE>(level);
    const dim3 grid = share<SHAPE, BANDS, LIFTS_Z>(level, resident, &args);
    kernel<<<grid, dim3(32, tile::warps), BYTES, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

// Bands that are not wide are rare. Their kernels are compiled when first used; if that fails, the
// kernel of the shape with the same number of steps and the most taps is used.
template <class SHAPE, class T, wp_stream_z_bands BANDS, bool LIFTS_Z>
cudaError_t launch_rare(const wp_cuda_level &level)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    using longest = std::conditional_t<SHAPE::steps == 4, wp_shape_97<SHAPE::inverse>,
                                       wp_shape_137<SHAPE::inverse>>;
    static wp_cuda_jit_slot slot;
    char shape[64], arguments[96], function[160];
    wp_name_shape<SHAPE>(shape, sizeof shape);
    snprintf(arguments, sizeof arguments, "wp_stream_z_args<%s>", shape);
    snprintf(function, sizeof function, "wp_stream_z<%s, %s, %d, %s>", shape,
             BANDS == WP_STREAM_Z_INTERLEAVED ? "WP_STREAM_Z_INTERLEAVED" : "WP_STREAM_Z_SINGLE",
             T::RING, LIFTS_Z ? "true" : "false");
    wp_cuda_jit_params params = {};
    params.name = function;
    params.header = "cuda_stream_z.cuh";
    params.arguments = arguments;
    params.function = function;
    params.threads = tile::threads;
    params.resident = T::RESIDENT;
    params.bytes = tile::bytes(T::RING);
    const wp_cuda_kernel *jit = wp_cuda_jit_get(&slot, &params);
    if (!jit)
        return launch<longest, std::conditional_t<LIFTS_Z, tuning<4, 2>, tuning<2, 3>>,
                      WP_STREAM_Z_SINGLE, LIFTS_Z>(level);
    wp_stream_z_args<SHAPE> args = make_args<SHAPE>(level);
    const dim3 grid = share<SHAPE, BANDS, LIFTS_Z>(level, wp_cuda_jit_resident(jit), &args);
    const unsigned sizes[3] = {grid.x, grid.y, grid.z};
    return static_cast<cudaError_t>(
        wp_cuda_jit_launch(jit, sizes, tile::warps, &args, level.stream));
}

using runner = cudaError_t (*)(const wp_cuda_level &level);

// True if low and high columns of the bands are interleaved in rows; LLL may be a separate array.
bool is_interleaved(const wp_cuda_level &level)
{
    bool interleaved = true;
    for (int b = 0; b < WP_OCTET_BANDS; b += 2) {
        const wp_cuda_band &low = level.band[b], &high = level.band[b + 1];
        const wp_cuda_band row = {high.data - 1, 1, high.step_y, high.step_z};
        interleaved = interleaved && high.step_x == 2 && wp_band_is_wide(row) &&
                ((low.data == row.data && low.step_x == 2 && low.step_y == high.step_y &&
                  low.step_z == high.step_z) ||
                 (b == 0 && wp_band_is_wide(low)));
    }
    return interleaved;
}

wp_stream_z_bands bands_of(const wp_cuda_level &level)
{
    bool wide = true;
    for (int b = 0; b < WP_OCTET_BANDS; b++)
        wide = wide && wp_band_is_wide(level.band[b]);
    return wide                    ? WP_STREAM_Z_WIDE
           : is_interleaved(level) ? WP_STREAM_Z_INTERLEAVED
                                   : WP_STREAM_Z_SINGLE;
}

// Interleaved bands have a kernel only if all axes are lifted. The code of NVRTC for three blocks
// per multiprocessor spills registers; two blocks are faster.
template <class SHAPE, class T, bool LIFTS_Z>
runner choose_bands(wp_stream_z_bands bands)
{
    constexpr wp_stream_z_bands INTERLEAVED = LIFTS_Z ? WP_STREAM_Z_INTERLEAVED
                                                      : WP_STREAM_Z_SINGLE;
    using of_interleaved = std::conditional_t<LIFTS_Z && T::RESIDENT == 3, tuning<4, 2>, T>;
    return bands == WP_STREAM_Z_WIDE ? launch<SHAPE, T, WP_STREAM_Z_WIDE, LIFTS_Z>
           : bands == WP_STREAM_Z_INTERLEAVED
               ? launch_rare<SHAPE, of_interleaved, INTERLEAVED, LIFTS_Z>
               : launch_rare<SHAPE, T, WP_STREAM_Z_SINGLE, LIFTS_Z>;
}

// Measured on an H200 (docs/decisions.md). With z, threads need so many registers that two blocks
// per multiprocessor with four slices each in flight are faster than four blocks that spill; with
// only x and y, four blocks fit.
template <class SHAPE, bool LIFTS_Z>
constexpr auto choose_tuning()
{
    if constexpr (SHAPE::taps_max == 4) // DD 13/7
        return std::conditional_t<LIFTS_Z, tuning<4, 2>, tuning<2, 3>>{};
    else if constexpr (!LIFTS_Z || SHAPE::taps_max == 1)
        return tuning<2, 4>{};
    else
        return std::conditional_t<SHAPE::steps == 4, tuning<4, 2>, tuning<3, 3>>{};
}

// NULL if no shape covers the level's wavelet.
template <bool LIFTS_Z>
runner find(const wp_cuda_level &level)
{
    return wp_if_covered(level, runner{}, [&](auto shape) {
        using SHAPE = decltype(shape);
        return choose_bands<SHAPE, decltype(choose_tuning<SHAPE, LIFTS_Z>()), LIFTS_Z>(
            bands_of(level));
    });
}

} // namespace

bool wp_cuda_stream_z_covers(const struct wp_cuda_level *level)
{
    return level->axes == (1U << WP_DIMS_MAX) - 1 && find<true>(*level) != nullptr;
}

int wp_cuda_stream_z_run(const struct wp_cuda_level *level)
{
    return wp_cuda_stream_z_covers(level) ? find<true>(*level)(*level) : cudaErrorInvalidValue;
}

int wp_cuda_slices_run(const struct wp_cuda_level *level)
{
    wp_cuda_level slices = *level;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const wp_cuda_band &band = level->band[b];
        slices.band[b].step_z = 2 * band.step_z;
        slices.band[b + WP_BAND_COUNT] = {band.data + band.step_z, band.step_x, band.step_y,
                                          2 * band.step_z};
        slices.scale[b + WP_BAND_COUNT] = level->scale[b];
    }
    const runner run = find<false>(slices);
    return run ? run(slices) : cudaErrorInvalidValue;
}
