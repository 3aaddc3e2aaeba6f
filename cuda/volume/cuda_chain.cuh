// Lifting along an axis whose samples arrive one after another, such as slices streamed along z.
//
// Sample i arrives at time i. A step adds c[k] times source n + k to target n. When a source
// arrives, it is added to each of its targets; the chain stores only these partial sums until all
// their sources have arrived. A step with T taps has T - 1 of them: 4 floats per sample for
// CDF 9/7, 6 for DD 13/7.
#ifndef WP_CUDA_CHAIN_CUH
#define WP_CUDA_CHAIN_CUH

#include "cuda_shape.cuh"

template <class SHAPE>
struct wp_times {
    // Even (0) or odd (1) sample n is available after `steps` steps at time 2n + ready().
    static constexpr int ready(int steps, int odd)
    {
        if (steps == 0)
            return odd;
        const int s = steps - 1;
        if (SHAPE::is_predict(s) != (odd != 0))
            return ready(s, odd);
        const int target = ready(s, odd), sources = ready(s, 1 - odd) + 2 * SHAPE::kmax(s);
        return target > sources ? target : sources;
    }
    static constexpr int even = ready(SHAPE::steps, 0), odd = ready(SHAPE::steps, 1);
    static constexpr int last = even > odd ? even : odd;

    // True if results of a parity become available at times of parity `now`.
    static constexpr bool is_now(int odd_result, int now)
    {
        return ((odd_result ? odd : even) - now) % 2 == 0;
    }
    // The index of the result that becomes available at time 2t + now.
    __host__ __device__ static constexpr int result(int odd_result, int now, int t)
    {
        return t + (now - (odd_result ? odd : even)) / 2;
    }

    // For results first..end-1, input pairs are first - reach_low up to, but not including,
    // end + pairs_after; of the last pair both samples, or only the even one.
    static constexpr int pairs_after = last / 2;
    static constexpr bool ends_with_pair = last % 2 != 0;
};

// N adjacent lines.
template <class SHAPE, int N>
struct wp_chain {
    using times = wp_times<SHAPE>;
    static constexpr bool in_pairs = SHAPE::reach_low + SHAPE::reach_high == 0; // Haar
    static constexpr int depth = in_pairs ? 1 : SHAPE::taps_max - 1;
    float partial[in_pairs ? 1 : SHAPE::steps][depth][N];

    // Consumes the samples of time 2t + NOW from value[NOW]. Stores in value[0] and value[1] the
    // even and odd results that become available then (wp_times).
    template <int NOW>
    __device__ __forceinline__ void push(const typename SHAPE::table &table, float (&value)[2][N])
    {
        if constexpr (in_pairs) {
            push_pair<NOW>(table, value);
        } else {
            wp_each<0, SHAPE::steps>([&](auto step) {
                apply_step<decltype(step)::value, NOW>(table, value);
            });
        }
    }

  private:
    template <int NOW>
    __device__ __forceinline__ void push_pair(const typename SHAPE::table &table,
                                              float (&value)[2][N])
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            if constexpr (NOW == 0) {
                partial[0][0][i] = value[0][i];
            } else {
                value[0][i] = partial[0][0][i];
#pragma unroll
                for (int s = 0; s < SHAPE::steps; s++)
                    value[SHAPE::is_predict(s)][i] +=
                        table.c[s][0] * value[1 - SHAPE::is_predict(s)][i];
            }
        }
    }

    // partial[s][0] is the partial sum that the next source completes.
    template <int S, int NOW>
    __device__ __forceinline__ void apply_step(const typename SHAPE::table &table,
                                              float (&value)[2][N])
    {
        constexpr int target = SHAPE::is_predict(S), taps = SHAPE::kmax(S) - SHAPE::kmin(S) + 1;
        constexpr int target_ready = times::ready(S, target), ready = times::ready(S, 1 - target);
        constexpr bool source_now = (ready - NOW) % 2 == 0;
        constexpr bool target_now = (target_ready - NOW) % 2 == 0;
        static_assert(taps > 1 && target_ready <= ready + 2 * SHAPE::kmax(S),
                      "a target arrives no later than its last source");
        // Relative to t: the latest source that has arrived, and the target that arrives.
        constexpr int latest = (NOW - (source_now ? 0 : 1) - ready) / 2;
        constexpr int current = (NOW - target_ready) / 2;
        constexpr int slot = current - latest + SHAPE::kmax(S) - 1;
        static_assert(!target_now || (slot >= 0 && slot < taps - 1),
                      "a target waits from its first source to its last");
#pragma unroll
        for (int i = 0; i < N; i++) {
            const float source = value[1 - target][i];
            float result = 0;
            if constexpr (source_now) {
                result = partial[S][0][i] + table.c[S][taps - 1] * source;
#pragma unroll
                for (int j = 0; j + 2 < taps; j++)
                    partial[S][j][i] = partial[S][j + 1][i] + table.c[S][taps - 2 - j] * source;
                partial[S][taps - 2][i] = table.c[S][0] * source;
            }
            if constexpr (target_now)
                partial[S][slot][i] += value[target][i];
            if constexpr (source_now)
                value[target][i] = result;
        }
    }
};

// Lifts a line of N pairs without neighbors beyond its ends. Results are correct from pair
// SHAPE::reach_low on, up to SHAPE::reach_high pairs before the last.
template <class SHAPE, int N>
__device__ __forceinline__ void wp_lift_line(const typename SHAPE::table &table, float *even,
                                             float *odd)
{
    wp_each<0, SHAPE::steps>([&](auto step) {
        constexpr int s = decltype(step)::value;
        float *target = SHAPE::is_predict(s) ? odd : even;
        const float *source = SHAPE::is_predict(s) ? even : odd;
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int k = SHAPE::kmin(s); k <= SHAPE::kmax(s); k++)
                if (i + SHAPE::kmin(s) >= 0 && i + SHAPE::kmax(s) < N)
                    target[i] += table.c[s][k - SHAPE::kmin(s)] * source[i + k];
    });
}

#endif
