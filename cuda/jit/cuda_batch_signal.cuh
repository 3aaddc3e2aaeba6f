// Kernels of batches of long signals: several levels in one launch, a part of a signal per block.
//
// A block reads its part and the samples around it that all levels need, extended at the ends of
// the signal. Samples around the part are lifted by both neighbors, so blocks do not communicate.
// As in cuda_batch.cuh, a thread lifts a segment in registers.
#ifndef WP_CUDA_BATCH_SIGNAL_CUH
#define WP_CUDA_BATCH_SIGNAL_CUH

#include "cuda_batch.cuh"

// The range of a block at each level, relative to its part. Before level l (from 0) a block has the
// samples from -before(l) on, size(l) of them; the part itself has `part` >> l.
template <class SHAPE, int LEVELS>
struct wp_signal_range {
    static constexpr int levels = LEVELS, part = WP_BATCH_SIGNAL_PART;
    static constexpr int low = SHAPE::reach_low, high = SHAPE::reach_high;

    // Forward, two samples and what steps reach become one; inverse, one sample and what steps
    // reach around it become two, and nothing is around the result.
    static constexpr int before(int l)
    {
        return SHAPE::inverse ? (l == 0 ? 0 : (before(l - 1) + 1) / 2 + low)
                              : (l == levels ? 0 : 2 * (before(l + 1) + low));
    }
    static constexpr int after(int l)
    {
        return SHAPE::inverse ? (l == 0 ? 0 : (after(l - 1) + 1) / 2 + high)
                              : (l == levels ? 0 : 2 * (after(l + 1) + high));
    }
    static constexpr int size(int l) { return before(l) + (part >> l) + after(l); }

    // Where the high band of level l begins in shared memory, at a multiple of a segment: forward its
    // part after the low band, inverse all of it, where the results of deeper levels do not reach.
    static constexpr int round_up(int n)
    {
        return (n + WP_BATCH_SIGNAL_SEGMENT - 1) / WP_BATCH_SIGNAL_SEGMENT * WP_BATCH_SIGNAL_SEGMENT;
    }
    static constexpr int most(int a, int b) { return a > b ? a : b; }
    static constexpr int high_at(int l)
    {
        return round_up(l + 1 == levels  ? size(levels)
                        : SHAPE::inverse ? high_at(l + 1) + size(l + 2)
                                         : most(size(l + 1), high_at(l + 1) + (part >> (l + 2))));
    }
    static constexpr int samples =
        SHAPE::inverse ? high_at(0) + size(1) : most(size(0), high_at(0) + part / 2);
    static_assert(wp_batch_padded(samples + WP_BATCH_SIGNAL_SEGMENT) <=
                      wp_batch_part_samples(wp_batch_part_around(low + high, LEVELS)),
                  "shared memory, of which threads read a segment more");
};

template <class SHAPE, class ELEMENTS, int EXTENSION, int LEVELS>
struct wp_batch_signal {
    using real = typename ELEMENTS::real;
    using range = wp_signal_range<SHAPE, LEVELS>;
    static constexpr int segment = WP_BATCH_SIGNAL_SEGMENT;
    static constexpr int threads =
        wp_batch_part_threads(wp_batch_part_around(SHAPE::reach_low + SHAPE::reach_high, LEVELS));
    static_assert(threads % segment == 0, "elements of a thread are whole segments apart");
    static constexpr int step = wp_batch_padded(threads);
    const wp_batch_args &args;
    real *shared;
    int x0, plane, thread;

    __device__ __forceinline__ wp_batch_signal(const wp_batch_args &args_, real *shared_)
        : args(args_), shared(shared_), thread((int)threadIdx.x)
    {
        const int parts = (args.width + range::part - 1) / range::part;
        plane = (int)blockIdx.x / parts;
        x0 = ((int)blockIdx.x - plane * parts) * range::part;
    }

    // The length of the signal before level l.
    __device__ __forceinline__ int length(int l) const { return (args.width + (1 << l) - 1) >> l; }

    // Copies elements from..from + count of an array to shared memory at `to`, a multiple of a
    // segment. If not all of them exist, position(i) is the element of the array, -1 for zero.
    template <class STORED, class POSITION>
    __device__ __forceinline__ void load(const wp_batch_array &array, int to, int from, int count,
                                         int end, POSITION position) const
    {
        const auto *base = static_cast<const typename STORED::type *>(array.data) +
                           plane * array.step_z;
        real *const local = shared + wp_batch_padded(to) + wp_batch_padded(thread);
        const bool inside = from >= 0 && from + count <= end;
        if constexpr (STORED::direct) {
            int i = 0; // of the thread's elements
            if (inside) {
                const auto *global = base + (from + thread) * array.step_x;
#pragma unroll 8
                for (; i * threads + thread < count; i++)
                    STORED::fetch(local + i * step, global + i * threads * array.step_x);
            }
            for (; i * threads + thread < count; i++) {
                const int x = position(from + i * threads + thread);
                if (x < 0)
                    local[i * step] = 0;
                else
                    STORED::fetch(local + i * step, base + x * array.step_x);
            }
        } else {
            typename STORED::template word<1> word[WP_LOADS];
            for (int first = 0; first * threads + thread < count; first += WP_LOADS) {
#pragma unroll
                for (int k = 0; k < WP_LOADS; k++) {
                    const int i = (first + k) * threads + thread;
                    const int x = i >= count ? -1 : inside ? from + i : position(from + i);
                    word[k] = x < 0 ? typename STORED::template word<1>(0)
                                    : STORED::template get<1>(base + x * array.step_x);
                }
#pragma unroll
                for (int k = 0; k < WP_LOADS; k++)
                    if ((first + k) * threads + thread < count)
                        STORED::template set<1>(local + (first + k) * step, word[k]);
            }
        }
    }

    // Writes elements of shared memory, from a multiple of a segment on, to an array, as far as it
    // has `end`.
    template <class STORED>
    __device__ __forceinline__ void store(const wp_batch_array &array, int from, int first,
                                          int count, int end) const
    {
        auto *to = static_cast<typename STORED::type *>(array.data) + plane * array.step_z +
                   (first + thread) * array.step_x;
        const real *const local = shared + wp_batch_padded(from) + wp_batch_padded(thread);
        const int n = min(count, end - first);
#pragma unroll 8
        for (int i = 0; i * threads + thread < n; i++)
            STORED::put(to + i * threads * array.step_x, local[i * step]);
    }

    static __device__ __forceinline__ int extend(int i, int n)
    {
        return i >= 0 && i < n ? i : wp_device_extend(EXTENSION, i, n);
    }

    // Sets the samples of level L beyond the ends of the signal to those that position(i) returns;
    // -1: zero. Periodic signals have the samples of the other end there already.
    template <int L, class POSITION>
    __device__ __forceinline__ void extend_ends(POSITION position) const
    {
        if constexpr (EXTENSION == WP_EXTEND_WRAP)
            return;
        const int first = (x0 >> L) - range::before(L), last = first + range::size(L), n = length(L);
        if (first >= 0 && last <= n)
            return;
        for (int i = thread; i < range::size(L); i += threads) {
            const int x = first + i;
            if (x >= 0 && x < n)
                continue;
            // Results of samples that are farther outside are not used.
            const int from = position(x);
            shared[wp_batch_padded(i)] = from < first || from >= last
                                             ? real(0)
                                             : shared[wp_batch_padded(from - first)];
        }
        __syncthreads();
    }

    // A thread's segment with the samples around it.
    static constexpr int low = 2 * range::low, around = low + 2 * range::high;
    using registers = real[segment + around + 1];

    // Writes COUNT results first, first + 1, ..., as far as they are in 0..count, from every EVERY-th
    // register to shared memory at `to`.
    template <int COUNT, int EVERY>
    __device__ __forceinline__ void put(const real *v, int to, int first, int count,
                                        real scale) const
    {
        real *const begin = shared + wp_batch_padded(to);
        if (first >= 0 && first + COUNT <= count) {
            const int part = first % segment;
            real *const local = begin + wp_batch_padded(first);
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                local[part + i < segment ? i : i + 1] = v[EVERY * i] * scale;
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                if (first + i >= 0 && first + i < count)
                    begin[wp_batch_padded(first + i)] = v[EVERY * i] * scale;
        }
    }

    // Lifts level L in place: samples to the low band, and to the high band.
    template <int L>
    __device__ __forceinline__ void forward_level() const
    {
        constexpr int results = range::size(L + 1), count = range::part >> (L + 1);
        const real scale[2] = {(real)args.scale[L][0], (real)args.scale[L][1]};
        registers v;
        if constexpr (L > 0)
            extend_ends<L>([&](int x) { return extend(x, length(L)); });
        const bool active = thread * segment < 2 * results;
        if (active) {
            const real *const from = shared + wp_batch_padded(thread * segment);
#pragma unroll
            for (int i = 0; i < segment + around; i++)
                v[i] = from[wp_batch_padded(i)];
            wp_lift_line<SHAPE, (int)WP_BATCH_INSIDE, segment + around>(v);
        }
        __syncthreads();
        if (active) {
            const int first = thread * (segment / 2);
            put<segment / 2, 2>(v + low, 0, first, results, scale[0]);
            put<segment / 2, 2>(v + low + 1, range::high_at(L), first - range::before(L + 1), count,
                                scale[1]);
        }
        __syncthreads();
    }

    // Restores the samples of level L from its low band, which is first, and its high band.
    template <int L>
    __device__ __forceinline__ void inverse_level() const
    {
        constexpr int results = range::size(L);
        // Samples before the first result: 0 or 1, because threads begin with even samples.
        constexpr int skip = 2 * range::before(L + 1) - range::before(L) - low;
        const real scale[2] = {(real)args.scale[L][0], (real)args.scale[L][1]};
        registers v;
        const bool active = thread * segment < results + skip;
        if (active) {
            const int first = thread * (segment / 2);
            const real *const from = shared + first + first / segment;
            const real *const high = from + wp_batch_padded(range::high_at(L));
            // Half a segment ends at padding for every second thread.
            const int odd = thread % 2;
#pragma unroll
            for (int i = 0; i < segment + around; i++) {
                const int k = i / 2, at = odd ? k + (k + segment / 2) / segment : wp_batch_padded(k);
                v[i] = (i % 2 ? high[at] : from[at]) * scale[i % 2];
            }
            wp_lift_line<SHAPE, (int)WP_BATCH_INSIDE, segment + around>(v);
        }
        __syncthreads();
        if (active)
            put<segment, 1>(v + low, 0, thread * segment - skip, results, 1);
        __syncthreads();
    }

    __device__ __forceinline__ void forward() const
    {
        const int n = args.width;
        load<typename ELEMENTS::samples>(args.samples, 0, x0 - range::before(0), range::size(0), n,
                                         [&](int i) { return extend(i, n); });
        wait();
        wp_each<0, LEVELS>([&](auto level) { forward_level<decltype(level)::value>(); });
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = decltype(level)::value;
            store<typename ELEMENTS::high>(args.band[l][1], range::high_at(l), x0 >> (l + 1),
                                           range::part >> (l + 1), length(l) / 2);
        });
        store<typename ELEMENTS::low>(args.band[LEVELS - 1][0], 0, x0 >> LEVELS,
                                      range::part >> LEVELS, length(LEVELS));
    }

    // The position of coefficient i (may be outside) of a band of level L; -1: zero.
    template <int L>
    __device__ __forceinline__ int coefficient(int i, int high) const
    {
        const int x = extend(2 * i + high, length(L));
        return x < 0 ? -1 : x / 2;
    }

    __device__ __forceinline__ void inverse() const
    {
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = decltype(level)::value;
            const int first = (x0 >> (l + 1)) - range::before(l + 1), count = range::size(l + 1);
            load<typename ELEMENTS::high>(args.band[l][1], range::high_at(l), first, count,
                                          length(l) / 2,
                                          [&](int i) { return coefficient<l>(i, 1); });
            if constexpr (l + 1 == LEVELS)
                load<typename ELEMENTS::low>(args.band[l][0], 0, first, count, length(LEVELS),
                                             [&](int i) { return coefficient<l>(i, 0); });
        });
        wait();
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = LEVELS - 1 - decltype(level)::value;
            inverse_level<l>();
            // The samples are the low band of the next level.
            if constexpr (l > 0)
                extend_ends<l>([&](int x) { return coefficient<l - 1>(x, 0); });
        });
        store<typename ELEMENTS::samples>(args.samples, 0, x0, range::part, args.width);
    }

    static __device__ __forceinline__ void wait()
    {
        wp_fetch_end();
        wp_fetch_wait<0>();
        __syncthreads();
    }
};

// The body of a kernel. Grid: parts of a signal, by signal.
template <class SHAPE, class ELEMENTS, int EXTENSION, int LEVELS>
__device__ __forceinline__ void wp_lift_signals(const wp_batch_args &args)
{
    using signal_type = wp_batch_signal<SHAPE, ELEMENTS, EXTENSION, LEVELS>;
    extern __shared__ double wp_batch_memory[];
    const signal_type signal(args, reinterpret_cast<typename ELEMENTS::real *>(wp_batch_memory));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch()
#endif
    if constexpr (SHAPE::inverse)
        signal.inverse();
    else
        signal.forward();
}

#endif
