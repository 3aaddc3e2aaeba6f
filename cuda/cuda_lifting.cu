// The lifting kernel for the shapes of wavelets it is compiled for, and which of them takes a
// wavelet: the first whose taps cover the wavelet's.
#include "cuda_internal.h"
#include "cuda_lifting_launch.cuh"
#include "cuda_geometry.h"

#include <cstring>

namespace {

// How a shape is best run, as measured: V samples a lane, D row pairs in flight, at most MOST row
// pairs a warp, RESIDENT blocks a multiprocessor at least (0: any).
template <int V_, int D_, int MOST_, int RESIDENT_>
struct tuning {
    static constexpr int V = V_, D = D_, MOST = MOST_, RESIDENT = RESIDENT_;
};

// Row pairs a warp: few, so that blocks sweep over the image in a front short enough for the rows
// that two of them read to be in the cache still; fewer where the image is so small that all warps
// are resident at once. Two levels want an even number.
int choose_pairs(int rows, int across, int resident, int most)
{
    const int groups = resident / across > 1 ? resident / across : 1;
    const int even_share = ((rows + groups - 1) / groups + 1) / 2 * 2;
    return even_share < most ? even_share : most;
}

// The blocks of a kernel that a device holds at once. `known`: of each device; 0: not asked yet, which
// costs as much as a launch.
template <class KERNEL>
cudaError_t find_resident(KERNEL kernel, int *known, int *found)
{
    enum { DEVICES = 64 };
    int device = 0, multiprocessors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device < DEVICES && known[device]) {
        *found = known[device];
        return error;
    }
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(found, kernel,
                                                              32 * WP_LIFTING_WARPS, 0);
    *found *= multiprocessors;
    if (error == cudaSuccess && device < DEVICES)
        known[device] = *found;
    return error;
}

// A level of a shape that covers its wavelet, by the kernel tuned as T; with the level behind it
// where DEEP.
template <class SHAPE, class T, bool WIDE, bool DEEP>
cudaError_t launch(const wp_cuda_level *level)
{
    auto args = wp_make_lifting_args<SHAPE>(*level);
    if (DEEP)
        args.next = wp_bands_of(level[1]);

    static int known[64];
    const auto kernel = wp_lifting_kernel<SHAPE, T::V, T::D, T::RESIDENT, WIDE, DEEP>;
    int resident = 0;
    const cudaError_t error = find_resident(kernel, known, &resident);
    if (error != cudaSuccess)
        return error;
    const int strip = wp_strip<SHAPE, T::V, DEEP>() * WP_LIFTING_WARPS;
    const int rows = (level->height + 1) / 2, across = (level->width + strip - 1) / strip;
    args.pairs = choose_pairs(rows, across, resident, T::MOST);
    const unsigned down = (unsigned)((rows + args.pairs - 1) / args.pairs);
    const dim3 grid((unsigned)across, down);
    static wp_waits waits;
    return wp_launch_early(kernel, waits, grid, WP_LIFTING_WARPS, wp_stream(*level), args);
}

using runner = cudaError_t (*)(const wp_cuda_level *level);

bool is_wide(const wp_cuda_level &level)
{
    return wp_cuda_level_is_wide(&level);
}

// NULL where the shape does not cover the level's wavelet.
template <class FORWARD, class INVERSE, class F, class I>
runner choose(const wp_cuda_level &level)
{
    const bool wide = is_wide(level);
    if (!level.inverse && FORWARD::covers(level))
        return wide ? launch<FORWARD, F, true, false> : launch<FORWARD, F, false, false>;
    if (level.inverse && INVERSE::covers(level))
        return wide ? launch<INVERSE, I, true, false> : launch<INVERSE, I, false, false>;
    return nullptr;
}

runner find_rounded(const wp_cuda_level &level)
{
    runner run = choose<wp_rounded<wp_shape_haar<false>>, wp_rounded<wp_shape_haar<true>>,
                        tuning<4, 4, 4, 0>, tuning<4, 4, 4, 0>>(level);
    if (!run)
        run = choose<wp_rounded<wp_shape_53<false>>, wp_rounded<wp_shape_53<true>>,
                     tuning<8, 4, 5, 4>, tuning<8, 4, 5, 4>>(level);
    if (!run)
        run = choose<wp_rounded<wp_shape_137<false>>, wp_rounded<wp_shape_137<true>>,
                     tuning<8, 3, 7, 4>, tuning<8, 4, 9, 4>>(level);
    return run;
}

runner find(const wp_cuda_level &level)
{
    // An axis of one sample has no lifting steps.
    if (level.width < 2 || level.height < 2)
        return nullptr;
    if (level.reversible)
        return find_rounded(level);
    runner run = choose<wp_shape_haar<false>, wp_shape_haar<true>, tuning<4, 4, 4, 0>,
                        tuning<4, 4, 4, 0>>(level);
    if (!run)
        run = choose<wp_shape_53<false>, wp_shape_53<true>, tuning<8, 4, 5, 4>,
                     tuning<8, 4, 5, 4>>(level);
    if (!run)
        run = choose<wp_shape_97<false>, wp_shape_97<true>, tuning<8, 4, 7, 4>,
                     tuning<8, 4, 7, 4>>(level);
    if (!run)
        run = choose<wp_shape_137<false>, wp_shape_137<true>, tuning<8, 3, 7, 4>,
                     tuning<8, 4, 9, 4>>(level);
    return run;
}

// The forward kernels for two levels, where they are faster than two launches: not for DD 13/7,
// which has too few registers for two windows.
runner find_deep(const wp_cuda_level *level)
{
    // The second level must be longer than what is mirrored of it.
    const int least = 64;
    if (level->width < least || level->height < least || level->inverse ||
        level->extension == WP_EXTEND_WRAP || !is_wide(*level) || !is_wide(level[1]))
        return nullptr;
    if (wp_shape_53<false>::covers(*level))
        return level->reversible
                   ? launch<wp_rounded<wp_shape_53<false>>, tuning<8, 4, 8, 3>, true, true>
                   : launch<wp_shape_53<false>, tuning<8, 4, 8, 3>, true, true>;
    if (level->reversible)
        return nullptr;
    if (wp_shape_97<false>::covers(*level))
        return launch<wp_shape_97<false>, tuning<8, 4, 36, 3>, true, true>;
    return nullptr;
}

} // namespace

bool wp_cuda_level_is_wide(const struct wp_cuda_level *level)
{
    bool wide = true;
    for (int b = 0; b < WP_BAND_COUNT; b++)
        wide = wide && wp_band_is_wide(level->band[b]);
    return wide;
}

bool wp_cuda_strips_cover(const struct wp_cuda_level *level)
{
    return find(*level) != nullptr;
}

int wp_cuda_strips_run(const struct wp_cuda_level *level)
{
    const runner run = find(*level);
    return run ? run(level) : cudaErrorInvalidValue;
}

namespace {

// Whether a shape covers a level without taps to spare; `decided` is set where it covers it.
template <class FORWARD, class INVERSE>
bool fits(const wp_cuda_level &level, bool *decided)
{
    if (*decided || !(level.inverse ? INVERSE::covers(level) : FORWARD::covers(level)))
        return false;
    bool fitting = true;
    for (int s = 0; s < level.steps; s++) {
        const int low = level.inverse ? INVERSE::kmin(s) : FORWARD::kmin(s);
        const int high = level.inverse ? INVERSE::kmax(s) : FORWARD::kmax(s);
        fitting = fitting && level.step[s].count == high - low + 1;
    }
    *decided = true;
    return fitting;
}

} // namespace

bool wp_cuda_strips_fit(const struct wp_cuda_level *level)
{
    bool decided = false;
    return fits<wp_shape_haar<false>, wp_shape_haar<true>>(*level, &decided) ||
           fits<wp_shape_53<false>, wp_shape_53<true>>(*level, &decided) ||
           fits<wp_shape_97<false>, wp_shape_97<true>>(*level, &decided) ||
           fits<wp_shape_137<false>, wp_shape_137<true>>(*level, &decided);
}

bool wp_cuda_deep_covers(const struct wp_cuda_level *level)
{
    return find_deep(level) != nullptr;
}

int wp_cuda_deep_run(const struct wp_cuda_level *level)
{
    const runner run = find_deep(level);
    return run ? run(level) : cudaErrorInvalidValue;
}

namespace {

// The steps of a level that do something, as wp_find_schedule() asks for them.
struct steps_of {
    int count;
    bool predict[WP_STEPS_MAX];
    int low[WP_STEPS_MAX], high[WP_STEPS_MAX];

    explicit steps_of(const wp_cuda_level &level) : count(0)
    {
        for (int s = 0; s < level.steps; s++) {
            const wp_cuda_step &step = level.step[s];
            if (!step.count)
                continue;
            predict[count] = (s % 2 == 0) != level.inverse;
            low[count] = step.k[0];
            high[count++] = step.k[step.count - 1];
        }
    }
    bool is_predict(int s) const { return predict[s]; }
    int kmin(int s) const { return low[s]; }
    int kmax(int s) const { return high[s]; }
};

// A kernel that was made has its wavelet in it.
struct without_table {
    struct table {};
    static void fill(const wp_cuda_level &, table *) {}
};

} // namespace

int wp_cuda_window_rows(const struct wp_cuda_level *level)
{
    const steps_of steps(*level);
    const wp_schedule found = wp_find_schedule(steps, steps.count);
    return found.depth[0] + found.depth[1];
}

int wp_cuda_strip_lanes(const struct wp_cuda_level *level, int samples)
{
    return 32 - 2 * wp_halo_of(level->reach_low, level->reach_high, samples, 1);
}

void wp_cuda_prepare_call(const struct wp_cuda_level *level, const struct wp_cuda_geometry *geometry,
                          int blocks, struct wp_cuda_made_call *call)
{
    auto args = wp_make_lifting_args<without_table>(*level);
    static_assert(sizeof args <= sizeof call->args, "the arguments have room");
    static_assert(WP_CUDA_MADE_THREADS == 32 * WP_LIFTING_WARPS, "a block's threads");
    static_assert(WP_CUDA_MADE_THREADS == 32 * WP_PATCH_WARPS, "a block's threads");
    dim3 grid;
    if (geometry->patch) {
        const int strip = wp_patch_strip(level->inverse, level->reach_low, level->reach_high);
        grid = wp_patch_grid(*level, geometry->patch, strip);
    } else {
        const int strip = wp_cuda_strip_lanes(level, geometry->samples) * geometry->samples *
                          WP_LIFTING_WARPS;
        const int rows = (level->height + 1) / 2, across = (level->width + strip - 1) / strip;
        args.pairs = choose_pairs(rows, across, blocks, geometry->most);
        grid = dim3((unsigned)across, (unsigned)((rows + args.pairs - 1) / args.pairs));
    }
    memcpy(call->args, &args, sizeof args);
    call->grid[0] = grid.x;
    call->grid[1] = grid.y;
    call->block[0] = 32;
    call->block[1] = WP_LIFTING_WARPS;
}

int wp_cuda_probe(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes,
                                 wp_lifting_kernel<wp_shape_haar<false>, 4, 4, 0, true, false>);
}
