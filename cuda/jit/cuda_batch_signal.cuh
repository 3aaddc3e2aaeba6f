// Kernels of batches of long signals: several levels in one launch, a part of a signal per warp.
//
// A warp reads its part and the samples around it that all levels need, extended at the ends of the
// signal. A lane has neighboring samples in registers, half as many after each level, and gets those
// of other lanes by shuffles; so all lanes are active in all levels. Samples around the part are
// lifted by both neighbors, and warps do not communicate. Samples and bands pass through the warp's
// shared memory, where those of a lane are contiguous.
#ifndef WP_CUDA_BATCH_SIGNAL_CUH
#define WP_CUDA_BATCH_SIGNAL_CUH

#include "cuda_batch.cuh"

// A product that is rounded before it is added to others.
__device__ __forceinline__ float wp_times(float a, float b)
{
    return __fmul_rn(a, b);
}
__device__ __forceinline__ double wp_times(double a, double b)
{
    return __dmul_rn(a, b);
}

// Lifts the pairs of samples of all lanes, N per lane. Results of the first and the last lanes that
// depend on samples of no lane are undefined.
template <class SHAPE, int N, class REAL>
__device__ __forceinline__ void wp_lift_lanes(REAL (&even)[N], REAL (&odd)[N])
{
    wp_each<0, SHAPE::steps>([&](auto step) {
        constexpr int s = decltype(step)::value;
        constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
        REAL(&target)[N] = SHAPE::is_predict(s) ? odd : even;
        const REAL(&source)[N] = SHAPE::is_predict(s) ? even : odd;
        REAL around[N + taps - 1];
#pragma unroll
        for (int i = 0; i < N + taps - 1; i++) {
            const int j = i + from;
            around[i] = j < 0    ? __shfl_up_sync(WP_WARP, source[(j % N + N) % N],
                                                  (unsigned)((N - 1 - j) / N))
                        : j >= N ? __shfl_down_sync(WP_WARP, source[j % N], (unsigned)(j / N))
                                 : source[j];
        }
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int k = 0; k < taps; k++)
                if (SHAPE::has(s, k))
                    target[i] += SHAPE::tap({}, s, k) * around[i + k];
    });
}

template <class SHAPE, class ELEMENTS, int EXTENSION, int LEVELS>
struct wp_batch_signal {
    using real = typename ELEMENTS::real;
    static constexpr int lanes = 32, most = WP_BATCH_LANE; // samples of a lane
    static constexpr int margin = wp_batch_part_margin(SHAPE::reach_low, SHAPE::reach_high, LEVELS);
    static constexpr int tile = lanes * most, part = tile - 2 * margin;
    static constexpr int group = 4; // elements of an access
    static_assert(part > 0 && margin % (group << LEVELS) == 0, "groups of all bands are aligned");
    const wp_batch_args &args;
    real *shared; // of the warp
    int x0, plane, lane;

    __device__ __forceinline__ wp_batch_signal(const wp_batch_args &args_, real *shared_, int number)
        : args(args_), shared(shared_), lane((int)threadIdx.x % lanes)
    {
        const int parts = (args.width + part - 1) / part;
        plane = number / parts;
        x0 = (number - plane * parts) * part;
    }

    // The length of the signal before level l, and the first sample of the tile.
    __device__ __forceinline__ int length(int l) const { return (args.width + (1 << l) - 1) >> l; }
    __device__ __forceinline__ int first_of(int l) const { return (x0 - margin) >> l; }

    // Sample i of the tile in shared memory, with COUNT samples per lane.
    static constexpr int pitch(int count) { return wp_batch_lane_pitch(count, sizeof(real)); }
    template <int COUNT>
    static __device__ __forceinline__ int local(int i)
    {
        return i / COUNT * pitch(COUNT) + i % COUNT;
    }

    // Where the high band of level l is in shared memory, with `most` >> (l + 1) samples per lane;
    // the low band is that of level LEVELS.
    static constexpr int high_at(int l)
    {
        return l == 0 ? 0 : high_at(l - 1) + lanes * pitch(most >> l);
    }

    // Copies COUNT samples of each lane between registers and shared memory.
    static constexpr int vector = 16 / sizeof(real);
    template <int COUNT>
    struct alignas(COUNT < vector ? COUNT * sizeof(real) : 16) word {
        real v[COUNT < vector ? COUNT : vector];
    };
    template <int COUNT>
    __device__ __forceinline__ void get(real *v, int at) const
    {
        constexpr int size = COUNT < vector ? COUNT : vector;
        const auto *from = reinterpret_cast<const word<COUNT> *>(shared + at + lane * pitch(COUNT));
#pragma unroll
        for (int i = 0; i < COUNT / size; i++) {
            const word<COUNT> w = from[i];
#pragma unroll
            for (int k = 0; k < size; k++)
                v[i * size + k] = w.v[k];
        }
    }
    template <int COUNT>
    __device__ __forceinline__ void put(const real *v, int at) const
    {
        constexpr int size = COUNT < vector ? COUNT : vector;
        auto *to = reinterpret_cast<word<COUNT> *>(shared + at + lane * pitch(COUNT));
#pragma unroll
        for (int i = 0; i < COUNT / size; i++) {
            word<COUNT> w;
#pragma unroll
            for (int k = 0; k < size; k++)
                w.v[k] = v[i * size + k];
            to[i] = w;
        }
    }

    template <class T>
    static __device__ __forceinline__ bool is_aligned(const T *at)
    {
        constexpr size_t bytes = sizeof(T) * group < 16 ? sizeof(T) * group : 16;
        return reinterpret_cast<size_t>(at) % bytes == 0;
    }

    // Copies elements from, from + 1, ... of an array, COUNT per lane, to shared memory. If not all of
    // them exist, position(i) is the element of the array, -1 for zero.
    template <class STORED, int COUNT, class POSITION>
    __device__ __forceinline__ void load(const wp_batch_array &array, int to, int from, int end,
                                         POSITION position) const
    {
        constexpr int loads = COUNT < 8 ? COUNT : 8;
        const auto *base = static_cast<const typename STORED::type *>(array.data) +
                           plane * array.step_z;
        const bool inside = from >= 0 && from + COUNT * lanes <= end;
        if constexpr (STORED::groups) {
            if (inside && array.step_x == 1 && is_aligned(base + from)) {
                constexpr int groups = COUNT * lanes / group;
                typename STORED::words word[(groups + lanes - 1) / lanes];
#pragma unroll
                for (int i = 0; i < groups; i += lanes)
                    if (groups % lanes == 0 || i + lane < groups)
                        STORED::get_group(word[i / lanes],
                                          shared + to + local<COUNT>((i + lane) * group),
                                          base + from + (i + lane) * group);
#pragma unroll
                for (int i = 0; i < groups; i += lanes)
                    if (groups % lanes == 0 || i + lane < groups)
                        STORED::set_group(shared + to + local<COUNT>((i + lane) * group),
                                          word[i / lanes]);
                return;
            }
        }
#pragma unroll 1
        for (int first = lane; first < COUNT * lanes; first += loads * lanes) {
            typename STORED::template word<1> word[loads];
#pragma unroll
            for (int k = 0; k < loads; k++) {
                const int i = from + first + k * lanes, x = inside ? i : position(i);
                word[k] = x < 0 ? typename STORED::template word<1>(0)
                                : STORED::template get<1>(base + x * array.step_x);
            }
#pragma unroll
            for (int k = 0; k < loads; k++)
                STORED::template set<1>(shared + to + local<COUNT>(first + k * lanes), word[k]);
        }
    }

    // Writes what is inside the part, of a band or the samples with COUNT elements per lane, to
    // elements `first`, first + 1, ... of an array, as far as it has `end`.
    template <class STORED, int COUNT>
    __device__ __forceinline__ void store(const wp_batch_array &array, int at, int first,
                                          int end) const
    {
        constexpr int skip = margin / (most / COUNT), count = part / (most / COUNT);
        auto *to = static_cast<typename STORED::type *>(array.data) + plane * array.step_z;
        const int n = min(count, end - first);
        const real *from = shared + at;
        if (STORED::groups && array.step_x == 1 && is_aligned(to + first)) {
            constexpr int groups = count / group;
#pragma unroll
            for (int i = 0; i < groups; i += lanes) {
                const int k = (i + lane) * group;
                if (k + group <= n)
                    STORED::put_group(to + first + k, from + local<COUNT>(skip + k));
                else
                    for (int j = k; j < n; j++)
                        STORED::put(to + first + j, from[local<COUNT>(skip + j)]);
            }
        } else {
            for (int k = lane; k < n; k += lanes)
                STORED::put(to + (first + k) * array.step_x, from[local<COUNT>(skip + k)]);
        }
    }

    static __device__ __forceinline__ int extend(int i, int n)
    {
        return i >= 0 && i < n ? i : wp_device_extend(EXTENSION, i, n);
    }

    // Sets the samples of level L beyond the ends of the signal to those that position(i) returns;
    // -1: zero. Periodic signals have the samples of the other end there already. The high bands of
    // previous levels remain in shared memory.
    template <int L, class POSITION>
    __device__ __forceinline__ void extend_ends(real (&v)[most], POSITION position) const
    {
        constexpr int count = most >> L;
        const int first = first_of(L), last = first + (tile >> L), n = length(L);
        if (EXTENSION == WP_EXTEND_WRAP || (first >= 0 && last <= n))
            return;
        real *const all = shared + high_at(L);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < count; i++)
            all[lane * count + i] = v[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int x = first + lane * count + i;
            if (x < 0 || x >= n) {
                // Results of samples that are farther outside are not used.
                const int from = position(x);
                v[i] = from < first || from >= last ? real(0) : all[from - first];
            }
        }
        __syncwarp();
    }

    // Lifts level L: the samples in v to the low band in v, and the high band in shared memory.
    template <int L>
    __device__ __forceinline__ void forward_level(real (&v)[most]) const
    {
        constexpr int pairs = most >> (L + 1);
        const real scale[2] = {wp_batch_scale<real>(args, L, 0), wp_batch_scale<real>(args, L, 1)};
        real even[pairs], odd[pairs];
        if constexpr (L > 0)
            extend_ends<L>(v, [&](int x) { return extend(x, length(L)); });
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            even[i] = v[2 * i];
            odd[i] = v[2 * i + 1];
        }
        wp_lift_lanes<SHAPE>(even, odd);
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            v[i] = wp_times(even[i], scale[0]);
            odd[i] *= scale[1];
        }
        put<pairs>(odd, high_at(L));
    }

    // Restores the samples of level L from the low band in v and the high band in shared memory.
    template <int L>
    __device__ __forceinline__ void inverse_level(real (&v)[most]) const
    {
        constexpr int pairs = most >> (L + 1);
        const real scale[2] = {wp_batch_scale<real>(args, L, 0), wp_batch_scale<real>(args, L, 1)};
        real even[pairs], odd[pairs];
        get<pairs>(odd, high_at(L));
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            even[i] = v[i] * scale[0];
            odd[i] *= scale[1];
        }
        wp_lift_lanes<SHAPE>(even, odd);
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            v[2 * i] = even[i];
            v[2 * i + 1] = odd[i];
        }
    }

    __device__ __forceinline__ void forward() const
    {
        const int n = args.width;
        real v[most];
        load<typename ELEMENTS::samples, most>(args.samples, 0, first_of(0), n,
                                               [&](int i) { return extend(i, n); });
        wait();
        get<most>(v, 0);
        __syncwarp();
        wp_each<0, LEVELS>([&](auto level) { forward_level<decltype(level)::value>(v); });
        put<(most >> LEVELS)>(v, high_at(LEVELS));
        __syncwarp();
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = decltype(level)::value;
            store<typename ELEMENTS::high, (most >> (l + 1))>(args.band[l][1], high_at(l),
                                                              x0 >> (l + 1), length(l) / 2);
        });
        store<typename ELEMENTS::low, (most >> LEVELS)>(args.band[LEVELS - 1][0], high_at(LEVELS),
                                                        x0 >> LEVELS, length(LEVELS));
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
        real v[most];
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = decltype(level)::value, count = most >> (l + 1);
            load<typename ELEMENTS::high, count>(args.band[l][1], high_at(l), first_of(l + 1),
                                                 length(l) / 2,
                                                 [&](int i) { return coefficient<l>(i, 1); });
            if constexpr (l + 1 == LEVELS)
                load<typename ELEMENTS::low, count>(args.band[l][0], high_at(LEVELS),
                                                    first_of(LEVELS), length(LEVELS),
                                                    [&](int i) { return coefficient<l>(i, 0); });
        });
        wait();
        get<(most >> LEVELS)>(v, high_at(LEVELS));
        wp_each<0, LEVELS>([&](auto level) {
            constexpr int l = LEVELS - 1 - decltype(level)::value;
            inverse_level<l>(v);
            // The samples are the low band of the next level.
            if constexpr (l > 0)
                extend_ends<l>(v, [&](int x) { return coefficient<l - 1>(x, 0); });
        });
        __syncwarp();
        put<most>(v, 0);
        __syncwarp();
        store<typename ELEMENTS::samples, most>(args.samples, 0, x0, args.width);
    }

    static __device__ __forceinline__ void wait()
    {
        wp_fetch_end();
        wp_fetch_wait<0>();
        __syncwarp();
    }
};

// The body of a kernel. Grid: parts of a signal, by signal, one per warp.
template <class SHAPE, class ELEMENTS, int EXTENSION, int LEVELS>
__device__ __forceinline__ void wp_lift_signals(const wp_batch_args &args)
{
    using real = typename ELEMENTS::real;
    using signal_type = wp_batch_signal<SHAPE, ELEMENTS, EXTENSION, LEVELS>;
    extern __shared__ double wp_batch_memory[];
    const int warp = (int)threadIdx.x / 32, number = (int)blockIdx.x * WP_BATCH_PART_WARPS + warp;
    const int parts = (args.width + signal_type::part - 1) / signal_type::part;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch()
#endif
    if (number >= parts * args.planes)
        return;
    const signal_type signal(args,
                             reinterpret_cast<real *>(wp_batch_memory) +
                                 warp * wp_batch_part_samples(LEVELS, sizeof(real)),
                             number);
    if constexpr (SHAPE::inverse)
        signal.inverse();
    else
        signal.forward();
}

#endif
