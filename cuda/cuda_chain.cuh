// Lifting along an axis whose samples come one after the other, as in a march through slices.
//
// Sample i comes at time i. A step adds c[k] times its source n + k to its target n, so a source
// that comes in goes into several targets, each of which waits for the rest of its sources: such
// sums are all that a chain holds. Of a step with T taps these are T - 1, so 4 floats a sample for
// CDF 9/7 and 6 for DD 13/7.
#ifndef WP_CUDA_CHAIN_CUH
#define WP_CUDA_CHAIN_CUH

#include "cuda_shape.cuh"

template <class SHAPE>
struct wp_times {
    // Number n of the even (0) or odd (1) samples, after so many steps, is there at time 2n + this.
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

    // Whether results of a parity are there at times of parity `now`, and which, at time 2t + now.
    static constexpr bool is_now(int odd_result, int now)
    {
        return ((odd_result ? odd : even) - now) % 2 == 0;
    }
    __host__ __device__ static constexpr int result(int odd_result, int now, int t)
    {
        return t + (now - (odd_result ? odd : even)) / 2;
    }

    // The pairs that come in for results first..end-1: from first - reach_low on, of the last one
    // perhaps the even sample alone.
    static constexpr int pairs_behind = last / 2;
    static constexpr bool whole_pair_last = last % 2 != 0;
};

// N lines beside each other.
template <class SHAPE, int N>
struct wp_chain {
    using times = wp_times<SHAPE>;
    static constexpr bool in_pairs = SHAPE::reach_low + SHAPE::reach_high == 0; // Haar
    static constexpr int depth = in_pairs ? 1 : SHAPE::taps_max - 1;
    float held[in_pairs ? 1 : SHAPE::steps][depth][N];

    // Takes the samples of time 2t + NOW from value[NOW]; leaves in value[0] and value[1] the even
    // and odd results that are there then (wp_times).
    template <int NOW>
    __device__ __forceinline__ void push(const typename SHAPE::table &table, float (&value)[2][N])
    {
        if constexpr (in_pairs) {
            push_pair<NOW>(table, value);
        } else {
            wp_each<0, SHAPE::steps>([&](auto step) {
                take_step<decltype(step)::value, NOW>(table, value);
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
                held[0][0][i] = value[0][i];
            } else {
                value[0][i] = held[0][0][i];
#pragma unroll
                for (int s = 0; s < SHAPE::steps; s++)
                    value[SHAPE::is_predict(s)][i] +=
                        table.c[s][0] * value[1 - SHAPE::is_predict(s)][i];
            }
        }
    }

    // Sums wait in the order of their targets: held[s][0] is the one that the next source ends.
    template <int S, int NOW>
    __device__ __forceinline__ void take_step(const typename SHAPE::table &table,
                                              float (&value)[2][N])
    {
        constexpr int target = SHAPE::is_predict(S), taps = SHAPE::kmax(S) - SHAPE::kmin(S) + 1;
        constexpr int target_ready = times::ready(S, target), ready = times::ready(S, 1 - target);
        constexpr bool source_now = (ready - NOW) % 2 == 0;
        constexpr bool target_now = (target_ready - NOW) % 2 == 0;
        static_assert(taps > 1 && target_ready <= ready + 2 * SHAPE::kmax(S),
                      "a target is there before its last source");
        // Less t: the latest source that has come, and the target that comes.
        constexpr int latest = (NOW - (source_now ? 0 : 1) - ready) / 2;
        constexpr int coming = (NOW - target_ready) / 2;
        constexpr int place = coming - latest + SHAPE::kmax(S) - 1;
        static_assert(!target_now || (place >= 0 && place < taps - 1),
                      "a target waits from its first source to its last");
#pragma unroll
        for (int i = 0; i < N; i++) {
            const float source = value[1 - target][i];
            float result = 0;
            if constexpr (source_now) {
                result = held[S][0][i] + table.c[S][taps - 1] * source;
#pragma unroll
                for (int j = 0; j + 2 < taps; j++)
                    held[S][j][i] = held[S][j + 1][i] + table.c[S][taps - 2 - j] * source;
                held[S][taps - 2][i] = table.c[S][0] * source;
            }
            if constexpr (target_now)
                held[S][place][i] += value[target][i];
            if constexpr (source_now)
                value[target][i] = result;
        }
    }
};

// Lifts a line of N pairs of which the neighbours of the ends are missing: right where no step that
// leads there needs them, SHAPE::reach_low pairs from the first and reach_high from the last one.
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
