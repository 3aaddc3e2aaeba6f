// All levels along z of a group of few slices in one pass: a thread has all samples of a pixel in
// registers and transforms them in place. Sample i of level l is at i << l, as in the mixed layout.
//
// Registers cannot be indexed at run time, and the number of slices is only known then. A kernel is
// compiled for at most N slices. Only the samples beyond the end of a line depend on the number of
// slices; a step selects among the few possible lengths. For exactly N slices there are kernels
// without this selection. Lines are extended at each step, which is equivalent to an extension
// before the first step, because each step of a wavelet with symmetric borders is symmetric.
#ifndef WP_CUDA_TEMPORAL_CUH
#define WP_CUDA_TEMPORAL_CUH

#include "cuda_access.cuh"
#include "cuda_shape.cuh"

enum { WP_LINE_LEVELS = 5, WP_LINE_THREADS = 256 }; // maximum levels; threads per block

template <class SHAPE>
struct wp_line_args {
    int width, height, depth;
    bool wrap, repeat; // extension: periodic; by the last sample (otherwise mirrored)
    int levels; // with more than one slice
    wp_cuda_band samples, high[WP_LINE_LEVELS], low;
    float scale[WP_LINE_LEVELS][2]; // of low and high coefficients
    typename SHAPE::table table;
};

// The index of position i in a line of n samples, extended.
__device__ constexpr int wp_line_extend(bool wrap, int i, int n)
{
    const int period = wrap ? n : 2 * (n - 1);
    i = (i % period + period) % period;
    return i < n ? i : period - i;
}

// The value at position i, which may be outside, for the target at position `target` of level L,
// which has n samples. Only n is not a compile-time constant.
template <int L, int N>
__device__ __forceinline__ float wp_line_get(const float (&v)[N], int i, int target, int n,
                                             bool wrap)
{
    constexpr int MOST = N >> L;
    const bool inside = i >= 0 && i < MOST;
    float value = inside ? v[i << L] : i < 0 && -i < MOST ? v[-i << L] : 0.0f;
#pragma unroll
    for (int k = 2; k <= MOST; k++) {
        const bool before = i < 0 && -i < k; // was mirrored above
        if (k <= target || (i >= 0 && i < k) || before)
            continue;
        const float beyond = wrap ? v[wp_line_extend(true, i, k) << L]
                                  : v[wp_line_extend(false, i, k) << L];
        value = n == k ? beyond : value;
    }
    if (i < 0 && wrap) {
#pragma unroll
        for (int k = 2; k <= MOST; k += 2)
            if (k > target)
                value = n == k ? v[wp_line_extend(true, i, k) << L] : value;
    }
    return value;
}

// Computes level L, from 0, of n samples.
template <class SHAPE, int L, bool FULL, int N>
__device__ __forceinline__ void wp_lift_level(const wp_line_args<SHAPE> &args, float (&v)[N])
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
                v[target << L] +=
                    args.table.c[s][k - SHAPE::kmin(s)] *
                    (in_pairs ? v[i << L] : wp_line_get<L>(v, i, target, n, args.wrap));
            }
    });
    if constexpr (!SHAPE::inverse) {
#pragma unroll
        for (int i = 0; i < MOST; i++)
            v[i << L] *= scale[i & 1];
    }
}

constexpr int wp_log2_of(int n)
{
    return n > 1 ? 1 + wp_log2_of(n / 2) : 0;
}

// The body of a kernel: one pixel per thread.
template <class SHAPE, int N, bool FULL>
__device__ __forceinline__ void wp_lift_lines(const wp_line_args<SHAPE> &args)
{
    const unsigned unit = blockIdx.x * WP_LINE_THREADS + threadIdx.y * 32 + threadIdx.x;
    const int x = (int)(unit % (unsigned)args.width), y = (int)(unit / (unsigned)args.width);
    if (y >= args.height)
        return;
    const auto find = [&](const wp_cuda_band &band, int z) {
        return band.data + x * band.step_x + y * band.step_y + z * band.step_z;
    };
    // The address of element i among the coefficients.
    const auto find_coefficient = [&](int i) {
        const int l = i == 0 ? WP_LINE_LEVELS : __ffs(i) - 1;
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
    wp_each<0, wp_log2_of(N)>([&](auto index) {
        constexpr int i = decltype(index)::value, l = SHAPE::inverse ? wp_log2_of(N) - 1 - i : i;
        if (l < args.levels)
            wp_lift_level<SHAPE, l, FULL>(args, v);
    });
#pragma unroll
    for (int i = 0; i < N; i++)
        if (FULL || i < args.depth)
            __stcs(SHAPE::inverse ? find(args.samples, i) : find_coefficient(i), v[i]);
}

#endif
