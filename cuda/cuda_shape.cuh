// Wavelets in kernels: a shape known when the kernel is compiled, or a table of any steps.
#ifndef WP_CUDA_SHAPE_CUH
#define WP_CUDA_SHAPE_CUH

#include "cuda_level.h"

#include <cuda_runtime.h>
#include <utility>

#ifndef __CUDACC_RTC__
#include <cstdio>
#endif

constexpr unsigned WP_WARP = 0xffffffffu;

// Calls f(integral constant) for S = 0..N-1. Steps are constants, so that arrays indexed by them
// are in registers.
template <int S, int N, class F>
__device__ __forceinline__ void wp_each(F &&f)
{
    if constexpr (S < N) {
        f(std::integral_constant<int, S>{});
        wp_each<S + 1, N>(f);
    }
}

// When each step runs while rows are streamed (cuda_lifting.cuh), and the numbers of even and odd
// rows in the row buffer.
struct wp_step_times {
    int lag[WP_STEPS_MAX], last, depth[2];
};

// The times of `count` steps with taps at steps.kmin(s)..kmax(s).
template <class STEPS>
constexpr wp_step_times wp_find_step_times(const STEPS &steps, int count)
{
    wp_step_times found = {};
    for (int s = 0; s < count; s++) {
        int lag = steps.kmax(s) > 0 ? steps.kmax(s) : 0;
        for (int p = 0; p < s; p++) {
            const bool other = steps.is_predict(p) != steps.is_predict(s);
            const int sources = found.lag[p] + (other ? steps.kmax(s) : 0);
            const int free = found.lag[p] - (other ? steps.kmin(p) : 0);
            const int least = sources > free ? sources : free;
            lag = least > lag ? least : lag;
        }
        found.lag[s] = lag;
        found.last = lag > found.last ? lag : found.last;
    }
    found.depth[0] = found.depth[1] = found.last + 1;
    for (int s = 0; s < count; s++) {
        const int rows = found.lag[s] - steps.kmin(s) + 1, odd = !steps.is_predict(s);
        found.depth[odd] = rows > found.depth[odd] ? rows : found.depth[odd];
    }
    return found;
}

template <class STEPS>
struct wp_timed : STEPS {
    static constexpr wp_step_times times = wp_find_step_times(STEPS{}, STEPS::steps);
    static constexpr int last = times.last;
    static constexpr int lag(int s) { return times.lag[s]; }
    static constexpr int depth(int odd) { return times.depth[odd]; }
};

// PAIRS lifting pairs, each with predict taps at P0..P1 and update taps at U0..U1.
template <int PAIRS, int P0, int P1, int U0, int U1, bool INVERSE>
struct wp_ranges {
    static constexpr int steps = 2 * PAIRS;
    static constexpr bool inverse = INVERSE;
    static constexpr int taps_max = (P1 - P0 > U1 - U0 ? P1 - P0 : U1 - U0) + 1;

    static constexpr bool is_predict(int s) { return (s % 2 == 0) != INVERSE; }
    static constexpr int kmin(int s) { return is_predict(s) ? P0 : U0; }
    static constexpr int kmax(int s) { return is_predict(s) ? P1 : U1; }
    // Total reach of the steps in pairs, to lower and to higher indices.
    static constexpr int reach_low = PAIRS * -(P0 + U0);
    static constexpr int reach_high = PAIRS * (P1 + U1);
};

// The coefficients are arguments, so a shape serves every wavelet whose taps it covers.
template <int PAIRS, int P0, int P1, int U0, int U1, bool INVERSE>
struct wp_shape : wp_timed<wp_ranges<PAIRS, P0, P1, U0, U1, INVERSE>> {
    using ranges = wp_ranges<PAIRS, P0, P1, U0, U1, INVERSE>;
    using ranges::kmax, ranges::kmin, ranges::steps, ranges::taps_max;
    static constexpr bool fixed = true, rounds = false;

    struct table {
        float c[steps][taps_max];
    };
    // Whether tap i of step s, at kmin(s) + i, may be nonzero; and its value.
    static constexpr bool has(int, int) { return true; }
    __device__ static __forceinline__ float tap(const table &table, int s, int i)
    {
        return table.c[s][i];
    }

    static bool covers(const wp_cuda_level &level)
    {
        if (level.steps != steps)
            return false;
        for (int s = 0; s < level.steps; s++)
            for (int t = 0; t < level.step[s].count; t++)
                if (level.step[s].k[t] < kmin(s) || level.step[s].k[t] > kmax(s))
                    return false;
        return true;
    }
    static void fill(const wp_cuda_level &level, table *table)
    {
        *table = {};
        for (int s = 0; s < level.steps; s++)
            for (int t = 0; t < level.step[s].count; t++)
                table->c[s][level.step[s].k[t] - kmin(s)] = level.step[s].c[t];
    }
};

// The steps of one wavelet with their coefficients. STEPS is generated (cuda_program.c); it has the
// tap c(s, i) and, if steps round, round(s).
template <class STEPS>
struct wp_jit_shape : wp_timed<STEPS> {
    static constexpr bool fixed = true;

    struct table {};
    static constexpr bool has(int s, int i) { return STEPS::c(s, i) != 0; }
    __device__ static __forceinline__ auto tap(const table &, int s, int i)
    {
        return STEPS::c(s, i);
    }
    __device__ static __forceinline__ float rounding(const table &, int s)
    {
        return STEPS::round(s);
    }
};

// Any wavelet. Slower, because loops over steps and taps are not unrolled.
template <bool INVERSE>
struct wp_any {
    static constexpr bool fixed = false, rounds = false;
    static constexpr bool inverse = INVERSE;
    __host__ __device__ static constexpr bool is_predict(int s)
    {
        return (s % 2 == 0) != INVERSE;
    }

    struct table {
        wp_cuda_step step[WP_STEPS_MAX];
    };

    __device__ static __forceinline__ float rounding(const table &table, int s)
    {
        return table.step[s].round;
    }

    static bool covers(const wp_cuda_level &) { return true; }
    static void fill(const wp_cuda_level &level, table *table)
    {
        for (int s = 0; s < WP_STEPS_MAX; s++)
            table->step[s] = level.step[s];
    }
};

// The shapes of the built-in wavelets: Haar, CDF 5/3, CDF 9/7, DD 13/7.
template <bool INVERSE> using wp_shape_haar = wp_shape<1, 0, 0, 0, 0, INVERSE>;
template <bool INVERSE> using wp_shape_53 = wp_shape<1, 0, 1, -1, 0, INVERSE>;
template <bool INVERSE> using wp_shape_97 = wp_shape<2, 0, 1, -1, 0, INVERSE>;
template <bool INVERSE> using wp_shape_137 = wp_shape<1, -1, 2, -2, 1, INVERSE>;

#ifndef __CUDACC_RTC__
// Prints the type's name for the source of a kernel: "wp_shape<1, 0, 1, -1, 0, true>".
template <class SHAPE>
int wp_name_shape(char *text, size_t size)
{
    constexpr int predict = SHAPE::inverse, update = 1 - predict;
    return snprintf(text, size, "wp_shape<%d, %d, %d, %d, %d, %s>", SHAPE::steps / 2,
                    SHAPE::kmin(predict), SHAPE::kmax(predict), SHAPE::kmin(update),
                    SHAPE::kmax(update), SHAPE::inverse ? "true" : "false");
}
#endif

// A shape whose steps round, for reversible levels.
template <class SHAPE>
struct wp_rounded : SHAPE {
    static constexpr bool rounds = true;

    struct table : SHAPE::table {
        float round[SHAPE::steps];
    };
    __device__ static __forceinline__ float rounding(const table &table, int s)
    {
        return table.round[s];
    }

    static void fill(const wp_cuda_level &level, table *table)
    {
        SHAPE::fill(level, table);
        for (int s = 0; s < level.steps; s++)
            table->round[s] = level.step[s].round;
    }
};

template <bool INVERSE>
struct wp_rounded<wp_any<INVERSE>> : wp_any<INVERSE> {
    static constexpr bool rounds = true;
};

template <class SHAPE>
using wp_unrounded = SHAPE;

// True if all steps along y precede those along x, for forward steps that round
// (wp_lifting_y_first()). Otherwise x is first.
template <class W>
constexpr bool wp_y_first = W::rounds && !W::inverse;

// The result of step s for the sum of a target and its sources.
template <class W>
__device__ __forceinline__ float wp_end_step(const typename W::table &table, int s, float sum)
{
    if constexpr (!W::rounds)
        return sum;
    else
        return floorf(sum + W::rounding(table, s));
}

// Access to elements of an array of n elements per lane; elements outside 0..n-1 are those of the
// neighboring lanes. All lanes of the warp must request the same j.
struct wp_lanes {
    int n;
    __device__ __forceinline__ float operator()(const float *v, int j) const
    {
        if (j < 0)
            return __shfl_up_sync(WP_WARP, v[(j % n + n) % n], (unsigned)((n - 1 - j) / n));
        if (j >= n)
            return __shfl_down_sync(WP_WARP, v[j % n], (unsigned)(j / n));
        return v[j];
    }
};

// Clamps indices, for arrays whose incorrect results at the ends are not used.
struct wp_clamped {
    int n;
    __device__ __forceinline__ float operator()(const float *v, int j) const
    {
        return v[j < 0 ? 0 : j >= n ? n - 1 : j];
    }
};

// Lifts N pairs of samples: for each step, target[i] += sum of c * near(source, i + k). Only for
// wp_any, `steps` is the number of steps and n <= N the number of pairs.
template <class W, int N, class NEAR>
__device__ __forceinline__ void wp_lift(const typename W::table &table, int steps, int n,
                                        float *even, float *odd, NEAR near)
{
    if constexpr (W::fixed) {
        (void)steps, (void)n;
        wp_each<0, W::steps>([&](auto step) {
            constexpr int s = decltype(step)::value;
            constexpr int from = W::kmin(s), taps = W::kmax(s) - from + 1;
            float *target = W::is_predict(s) ? odd : even;
            const float *source = W::is_predict(s) ? even : odd;
            float around[N + taps - 1];
#pragma unroll
            for (int j = 0; j < N + taps - 1; j++)
                around[j] = near(source, j + from);
#pragma unroll
            for (int i = 0; i < N; i++) {
#pragma unroll
                for (int k = 0; k < taps; k++)
                    if (W::has(s, k))
                        target[i] += W::tap(table, s, k) * around[i + k];
                target[i] = wp_end_step<W>(table, s, target[i]);
            }
        });
    } else {
        for (int s = 0; s < steps; s++) {
            float *target = W::is_predict(s) ? odd : even;
            const float *source = W::is_predict(s) ? even : odd;
            for (int t = 0; t < table.step[s].count; t++)
                for (int i = 0; i < n; i++)
                    target[i] += table.step[s].c[t] * near(source, i + table.step[s].k[t]);
            if constexpr (W::rounds)
                for (int i = 0; i < n; i++)
                    target[i] = wp_end_step<W>(table, s, target[i]);
        }
    }
}

// Applies step s to the pair n. near(odd, n) reads a sample, add(odd, n, value) adds to one.
template <class W, class NEAR, class ADD>
__device__ __forceinline__ void wp_lift_at(const typename W::table &table, int s, int n, NEAR near,
                                           ADD add)
{
    const int target = W::is_predict(s);
    float sum = 0;
    if constexpr (W::fixed) {
        const int from = W::kmin(s);
#pragma unroll
        for (int k = 0; k < W::taps_max; k++)
            if (from + k <= W::kmax(s))
                sum += table.c[s][k] * near(1 - target, n + from + k);
    } else {
        for (int t = 0; t < table.step[s].count; t++)
            sum += table.step[s].c[t] * near(1 - target, n + table.step[s].k[t]);
    }
    add(target, n, sum);
}

#endif
