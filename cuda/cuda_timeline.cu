// All levels along z of a group of few slices in one pass: a thread has all samples of a pixel in
// registers. In place: sample i of level l is at i << l, where the mixed layout has it.
//
// Registers have no numbers that are found when a kernel runs, and the number of slices is found
// then. So a kernel is for up to N, and what it does not know is only which sample stands beyond
// the end of a line: each of the few lengths that a step could meet there has its own. N slices
// have kernels that know even that. Lines go on beyond their ends at every step; it is the same as
// before the first one, for every step of a wavelet that takes symmetric borders is symmetric.
#include "cuda_access.cuh"
#include "cuda_shape.cuh"
#include "cuda_together.h"

namespace {

enum { LEVELS = 5, THREADS = 256 };
static_assert(WP_CUDA_TIMELINE_MAX == 1 << LEVELS, "the most levels of so many slices");

template <class SHAPE>
struct line_args {
    int width, height, depth;
    bool wrap, repeat; // how lines go on: all over again; or with their last sample
    int levels; // that have more than one slice
    wp_cuda_band samples, high[LEVELS], low;
    float scale[LEVELS][2]; // of low and high coefficients
    typename SHAPE::table table;
};

// Where place i of an endless line stands in its n samples.
__device__ constexpr int extend(bool wrap, int i, int n)
{
    const int period = wrap ? n : 2 * (n - 1);
    i = (i % period + period) % period;
    return i < n ? i : period - i;
}

// What stands at place i, anywhere, for the target at place `target`, of level L, which has n
// samples. All but n is known when this is compiled.
template <int L, int N>
__device__ __forceinline__ float get(const float (&v)[N], int i, int target, int n, bool wrap)
{
    constexpr int MOST = N >> L;
    const bool inside = i >= 0 && i < MOST;
    float value = inside ? v[i << L] : i < 0 && -i < MOST ? v[-i << L] : 0.0f;
#pragma unroll
    for (int k = 2; k <= MOST; k++) {
        const bool before = i < 0 && -i < k; // it is mirrored already
        if (k <= target || (i >= 0 && i < k) || before)
            continue;
        const float beyond = wrap ? v[extend(true, i, k) << L] : v[extend(false, i, k) << L];
        value = n == k ? beyond : value;
    }
    if (i < 0 && wrap) {
#pragma unroll
        for (int k = 2; k <= MOST; k += 2)
            if (k > target)
                value = n == k ? v[extend(true, i, k) << L] : value;
    }
    return value;
}

// Level L, from 0 on, of n samples.
template <class SHAPE, int L, bool FULL, int N>
__device__ __forceinline__ void lift(const line_args<SHAPE> &args, float (&v)[N])
{
    constexpr int MOST = N >> L;
    constexpr bool in_pairs = SHAPE::reach_low + SHAPE::reach_high == 0;
    const int n = FULL ? MOST : (args.depth + (1 << L) - 1) >> L;
    const float scale[2] = {args.scale[L][0], args.scale[L][1]};
    if constexpr (SHAPE::inverse) {
#pragma unroll
        for (int i = 0; i < MOST; i++)
            v[i << L] *= scale[i & 1];
    }
    if constexpr (in_pairs) {
#pragma unroll
        for (int i = 0; i < MOST; i += 2)
            v[(i + 1) << L] = i + 1 < n ? v[(i + 1) << L] : args.repeat ? v[i << L] : 0.0f;
    }
    wp_each<0, SHAPE::steps>([&](auto step) {
        constexpr int s = decltype(step)::value, odd = SHAPE::is_predict(s);
#pragma unroll
        for (int target = odd; target < MOST; target += 2)
#pragma unroll
            for (int k = SHAPE::kmin(s); k <= SHAPE::kmax(s); k++) {
                const int i = target + 2 * k + 1 - 2 * odd;
                v[target << L] += args.table.c[s][k - SHAPE::kmin(s)] *
                                  (in_pairs ? v[i << L] : get<L>(v, i, target, n, args.wrap));
            }
    });
    if constexpr (!SHAPE::inverse) {
#pragma unroll
        for (int i = 0; i < MOST; i++)
            v[i << L] *= scale[i & 1];
    }
}

constexpr int log2_of(int n)
{
    return n > 1 ? 1 + log2_of(n / 2) : 0;
}

template <class SHAPE, int N, bool FULL>
__global__ void __launch_bounds__(THREADS)
lift_lines(const __grid_constant__ line_args<SHAPE> args)
{
    const unsigned unit = blockIdx.x * THREADS + threadIdx.x;
    const int x = (int)(unit % (unsigned)args.width), y = (int)(unit / (unsigned)args.width);
    if (y >= args.height)
        return;
    const auto find = [&](const wp_cuda_band &band, int z) {
        return band.data + x * band.step_x + y * band.step_y + z * band.step_z;
    };
    // Where element i has its place among the coefficients.
    const auto find_coefficient = [&](int i) {
        const int l = i == 0 ? LEVELS : __ffs(i) - 1;
        return l < args.levels ? find(args.high[l], i >> (l + 1))
                               : find(args.low, i >> args.levels);
    };
    float v[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        v[i] = 0.0f;
        if (FULL || i < args.depth)
            v[i] = __ldg(SHAPE::inverse ? find_coefficient(i) : find(args.samples, i));
    }
    wp_each<0, log2_of(N)>([&](auto index) {
        constexpr int i = decltype(index)::value, l = SHAPE::inverse ? log2_of(N) - 1 - i : i;
        if (l < args.levels)
            lift<SHAPE, l, FULL>(args, v);
    });
#pragma unroll
    for (int i = 0; i < N; i++)
        if (FULL || i < args.depth)
            __stcs(SHAPE::inverse ? find(args.samples, i) : find_coefficient(i), v[i]);
}

template <class SHAPE, int N>
cudaError_t launch(const wp_cuda_level *levels, int count)
{
    line_args<SHAPE> args = {};
    args.width = levels->width;
    args.height = levels->height;
    args.depth = levels->depth;
    args.wrap = levels->extension == WP_EXTEND_WRAP;
    args.repeat = levels->extension == WP_EXTEND_CLAMP;
    args.samples = {levels->plane, 1, levels->pitch, levels->slice};
    args.low = levels[count - 1].band[0];
    for (; args.levels < count && levels[args.levels].depth > 1; args.levels++) {
        const wp_cuda_level &level = levels[args.levels];
        args.high[args.levels] = level.band[WP_BAND_COUNT];
        args.scale[args.levels][0] = level.scale[0];
        args.scale[args.levels][1] = level.scale[WP_BAND_COUNT];
    }
    SHAPE::fill(*levels, &args.table);
    const size_t lines = (size_t)args.width * (size_t)args.height;
    const auto kernel = args.depth == N ? lift_lines<SHAPE, N, true> : lift_lines<SHAPE, N, false>;
    kernel<<<(unsigned)((lines + THREADS - 1) / THREADS), THREADS, 0, wp_stream(*levels)>>>(args);
    return cudaGetLastError();
}

using runner = cudaError_t (*)(const wp_cuda_level *levels, int count);

template <class SHAPE>
runner choose(int depth)
{
    return depth <= 8 ? launch<SHAPE, 8> : depth <= 16 ? launch<SHAPE, 16> : launch<SHAPE, 32>;
}

template <class FORWARD, class INVERSE>
runner choose(const wp_cuda_level &level)
{
    if (!level.inverse && FORWARD::covers(level))
        return choose<FORWARD>(level.depth);
    if (level.inverse && INVERSE::covers(level))
        return choose<INVERSE>(level.depth);
    return nullptr;
}

runner find(const wp_cuda_level &level)
{
    runner run = choose<wp_shape_haar<false>, wp_shape_haar<true>>(level);
    if (!run)
        run = choose<wp_shape_53<false>, wp_shape_53<true>>(level);
    if (!run)
        run = choose<wp_shape_97<false>, wp_shape_97<true>>(level);
    if (!run)
        run = choose<wp_shape_137<false>, wp_shape_137<true>>(level);
    return run;
}

} // namespace

bool wp_cuda_timeline_covers(const struct wp_cuda_level *levels, int count)
{
    if (count < 1 || levels->depth < 2 || levels->depth > WP_CUDA_TIMELINE_MAX)
        return false;
    for (int l = 0; l < count; l++)
        if ((levels[l].axes & ~(1U << WP_Z)) || levels[l].width != levels->width ||
            levels[l].height != levels->height)
            return false;
    return find(*levels) != nullptr;
}

int wp_cuda_timeline_run(const struct wp_cuda_level *levels, int count)
{
    const runner run = find(*levels);
    return run ? run(levels, count) : cudaErrorInvalidValue;
}
