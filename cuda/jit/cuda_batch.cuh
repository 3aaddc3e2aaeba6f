// Kernels of batches: all levels of small images in one launch.
//
// A block transforms several images in shared memory. A thread has a column, then a row of an image
// in registers, or a segment of it with the samples around it that the steps read, and lifts it
// without exchanging samples; so every wavelet has the same access to memory. Forward, the columns
// of the first level come from global memory; inverse, those of the last step go there.
// Coefficients are copied between shared and global memory in order of addresses.
#ifndef WP_CUDA_BATCH_CUH
#define WP_CUDA_BATCH_CUH

#include "cuda_access.cuh"
#include "cuda_batch.h"
#include "cuda_shape.cuh"

// What a kernel is compiled for: the size of the images, levels, images per block, border, and
// whether samples and coefficients are arrays without gaps, coefficients in the layout "mallat".
template <int WIDTH, int HEIGHT, int LEVELS, int PLANES, int EXTENSION, bool DENSE_SAMPLES,
          bool DENSE_COEFFICIENTS>
struct wp_batch_case {
    static constexpr int width = WIDTH, height = HEIGHT, levels = LEVELS, planes = PLANES;
    static constexpr int extension = EXTENSION;
    static constexpr bool dense_samples = DENSE_SAMPLES, dense_coefficients = DENSE_COEFFICIENTS;
    static constexpr int threads = wp_batch_threads(width, height, planes);
    static constexpr int pitch = wp_batch_pitch(width), area = pitch * height;
    // Neighboring threads have neighboring lines of an image; of signals, those of other images.
    static constexpr int share = wp_batch_share(width, height);
};

// The length of an axis after some levels.
constexpr int wp_batch_size(int n, int level)
{
    return level ? wp_batch_size((n + 1) / 2, level - 1) : n;
}

// Extension of the samples of a segment: none, their results at the ends are not used.
enum { WP_BATCH_INSIDE = -1 };

// The sample that index i is extended from; n > 1. -1: zero.
__host__ __device__ constexpr int wp_batch_extend(int extension, int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    if (extension == WP_BATCH_INSIDE)
        return i < 0 ? i & 1 : n - 1 - ((n - 1 - i) & 1);
    if (extension == WP_EXTEND_CLAMP)
        return i < 0 ? 0 : n - 1;
    if (extension == WP_EXTEND_ZERO)
        return -1;
    const int period = extension == WP_EXTEND_WRAP ? n : 2 * (n - 1);
    const int at = (i % period + period) % period;
    return at < n ? at : period - at;
}

// Lifts a line of N samples. v has room for one more: extensions that do not preserve parity are
// for wavelets whose steps stay inside their pairs, and complete the last pair.
template <class SHAPE, int EXTENSION, int N>
__device__ __forceinline__ void wp_lift_line(float (&v)[N + 1])
{
    constexpr bool completes = EXTENSION == WP_EXTEND_CLAMP || EXTENSION == WP_EXTEND_ZERO;
    constexpr int M = completes ? N + N % 2 : N;
    if constexpr (M > N)
        v[N] = EXTENSION == WP_EXTEND_CLAMP ? v[N - 1] : 0.0f;
    wp_each<0, SHAPE::steps>([&](auto step) {
        constexpr int s = decltype(step)::value, target = SHAPE::is_predict(s);
        constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
#pragma unroll
        for (int i = target; i < M; i += 2) {
            float sum = v[i];
#pragma unroll
            for (int k = 0; k < taps; k++)
                if (SHAPE::has(s, k)) {
                    const int at = i - target + 2 * (from + k) + 1 - target;
                    sum += SHAPE::tap({}, s, k) * v[wp_batch_extend(EXTENSION, at, M)];
                }
            v[i] = wp_end_step<SHAPE>({}, s, sum);
        }
    });
}

// A line of N samples, or one of its segments. `split`: the results of a forward line are its even,
// then its odd samples; these are the samples of an inverse line. get(i) reads element i of the
// line, put(i, value) writes one, with i in the order of the split line.
template <class SHAPE, class CASE, int N>
struct wp_batch_line {
    static constexpr int segments = wp_batch_segments(N);
    static constexpr bool complete = segments == 1;
    static constexpr int low = complete ? 0 : 2 * SHAPE::reach_low;
    static constexpr int size = complete ? N : WP_BATCH_SEGMENT;
    static constexpr int length = low + size + (complete ? 0 : 2 * SHAPE::reach_high);
    static constexpr int half = (N + 1) / 2;
    float v[length + 1];

    // The position of sample i of a split line.
    static __host__ __device__ constexpr int split(int i) { return i / 2 + (i & 1) * half; }

    // wp_batch_extend() for samples at most N - 1 outside.
    static __device__ __forceinline__ int extend(int i)
    {
        constexpr int extension = CASE::extension;
        if (extension == WP_EXTEND_WRAP)
            return i < 0 ? i + N : i >= N ? i - N : i;
        if (extension == WP_EXTEND_MIRROR)
            return i < 0 ? -i : i >= N ? 2 * (N - 1) - i : i;
        return i < N ? i : extension == WP_EXTEND_CLAMP ? N - 1 : -1;
    }

    template <class GET>
    __device__ __forceinline__ void load(int segment, GET get)
    {
#pragma unroll
        for (int i = 0; i < length; i++) {
            int at = i;
            if constexpr (!complete) {
                at += segment * size - low;
                if (i < low || i >= low + (N % size ? 0 : size))
                    at = extend(at);
            }
            v[i] = complete || at >= 0 ? get(SHAPE::inverse ? split(at) : at, at) : 0.0f;
        }
    }

    __device__ __forceinline__ void lift()
    {
        wp_lift_line<SHAPE, complete ? CASE::extension : (int)WP_BATCH_INSIDE, length>(v);
    }

    template <class PUT>
    __device__ __forceinline__ void store(int segment, PUT put) const
    {
#pragma unroll
        for (int i = 0; i < size; i++) {
            const int at = complete ? i : segment * size + i;
            if (N % size == 0 || at < N)
                put(SHAPE::inverse ? at : split(at), at, v[low + i]);
        }
    }
};

template <class SHAPE, class CASE>
struct wp_batch {
    static constexpr bool signals = CASE::height == 1;
    const wp_batch_args &args;
    float *shared, *mine; // of the block, and of the thread's image
    int first;            // image of the block
    int plane, part;      // of the thread: its image, and its lines
    bool active;

    __device__ __forceinline__ wp_batch(const wp_batch_args &args_, float *shared_)
        : args(args_), shared(shared_), first((int)blockIdx.x * CASE::planes)
    {
        const int thread = (int)threadIdx.x;
        const int number = signals ? thread % CASE::planes : thread / CASE::share;
        part = signals ? thread / CASE::planes : thread % CASE::share;
        plane = first + number;
        active = thread < CASE::planes * CASE::share && plane < args.planes;
        mine = shared + (active ? number : 0) * CASE::area;
    }

    // Calls f(row or column, segment) for the line of the thread, of `lines` lines.
    template <class LINE>
    __device__ __forceinline__ bool has_line(int lines, int *number, int *segment) const
    {
        *number = part % lines;
        *segment = part / lines;
        return active && *segment < LINE::segments;
    }

    // Copies a rectangle of all images from or to shared memory.
    template <bool STORE, bool DENSE, int X, int Y, int W, int H>
    __device__ __forceinline__ void copy(const wp_cuda_band &at) const
    {
        constexpr int size = W * H;
        const int left = args.planes - first;
        const int end = (left < CASE::planes ? left : CASE::planes) * size;
        float *base = at.data + (DENSE ? (ptrdiff_t)first * size : first * at.step_z);
#pragma unroll 8
        for (int i = (int)threadIdx.x; i < end; i += CASE::threads) {
            const int p = i / size, y = i % size / W, x = i % W;
            float *global = DENSE ? base + i
                                  : base + p * at.step_z + y * at.step_y + x * at.step_x;
            float *local = shared + p * CASE::area + (Y + y) * CASE::pitch + X + x;
            if constexpr (STORE)
                __stcs(global, *local);
            else
                wp_fetch<1>(local, global);
        }
    }

    // Waits for all copies to shared memory.
    static __device__ __forceinline__ void wait()
    {
        wp_fetch_end();
        wp_fetch_wait<0>();
        __syncthreads();
    }

    template <bool STORE>
    __device__ __forceinline__ void copy_samples() const
    {
        copy<STORE, CASE::dense_samples, 0, 0, CASE::width, CASE::height>(args.samples);
    }

    template <bool STORE>
    __device__ __forceinline__ void copy_coefficients() const
    {
        if constexpr (CASE::dense_coefficients)
            copy<STORE, true, 0, 0, CASE::width, CASE::height>(args.band[CASE::levels - 1][0]);
        else
            wp_each<0, CASE::levels>([&](auto level) {
                constexpr int l = decltype(level)::value;
                constexpr int w = wp_batch_size(CASE::width, l), h = wp_batch_size(CASE::height, l);
                constexpr int x = (w + 1) / 2, y = (h + 1) / 2;
                if constexpr (l + 1 == CASE::levels)
                    copy<STORE, false, 0, 0, x, y>(args.band[l][0]);
                if constexpr (w > 1)
                    copy<STORE, false, x, 0, w - x, y>(args.band[l][1]);
                if constexpr (h > 1)
                    copy<STORE, false, 0, y, x, h - y>(args.band[l][2]);
                if constexpr (w > 1 && h > 1)
                    copy<STORE, false, x, y, w - x, h - y>(args.band[l][3]);
            });
    }

    // Lifts the columns of level L. Those of samples are read from global memory, or written to it.
    // Every thread calls it.
    template <int L>
    __device__ __forceinline__ void lift_columns() const
    {
        constexpr int W = wp_batch_size(CASE::width, L), H = wp_batch_size(CASE::height, L);
        constexpr bool reads = L == 0 && !SHAPE::inverse, writes = L == 0 && SHAPE::inverse;
        wp_batch_line<SHAPE, CASE, H> line;
        int x, segment;
        const bool mapped = has_line<decltype(line)>(W, &x, &segment);
        const ptrdiff_t step = CASE::dense_samples ? CASE::width : args.samples.step_y;
        float *const global =
            args.samples.data +
            (CASE::dense_samples ? plane * (ptrdiff_t)(CASE::width * CASE::height) + x
                                 : plane * args.samples.step_z + x * args.samples.step_x);
        float *const column = mine + x;
        // Of a level without rows, whose scale is not applied by them.
        const auto scale = [&](int y) { return W == 1 ? args.scale[L][y % 2 * 2] : 1.0f; };
        if (mapped) {
            line.load(segment, [&](int at, int y) {
                return reads ? __ldcs(global + y * step)
                             : column[at * CASE::pitch] * (SHAPE::inverse ? scale(y) : 1.0f);
            });
            line.lift();
        }
        if constexpr (!line.complete && !reads)
            __syncthreads();
        if (mapped)
            line.store(segment, [&](int at, int y, float value) {
                if constexpr (writes)
                    __stcs(global + y * step, value);
                else
                    column[at * CASE::pitch] = value * (SHAPE::inverse ? 1.0f : scale(y));
            });
        if constexpr (!writes)
            __syncthreads();
    }

    template <int L>
    __device__ __forceinline__ void lift_rows() const
    {
        constexpr int W = wp_batch_size(CASE::width, L), H = wp_batch_size(CASE::height, L);
        wp_batch_line<SHAPE, CASE, W> line;
        int y, segment;
        const bool mapped = has_line<decltype(line)>(H, &y, &segment);
        float *const row = mine + y * CASE::pitch;
        const int high = y >= (H + 1) / 2 ? 2 : 0;
        const float scale[2] = {args.scale[L][high], args.scale[L][high + 1]};
        if (mapped) {
            line.load(segment, [&](int at, int x) {
                return row[at] * (SHAPE::inverse ? scale[x & 1] : 1.0f);
            });
            line.lift();
        }
        if constexpr (!line.complete)
            __syncthreads();
        if (mapped)
            line.store(segment, [&](int at, int x, float value) {
                row[at] = value * (SHAPE::inverse ? 1.0f : scale[x & 1]);
            });
        __syncthreads();
    }

    __device__ __forceinline__ void forward() const
    {
        if constexpr (signals) {
            copy_samples<false>();
            wait();
        }
        wp_each<0, CASE::levels>([&](auto level) {
            constexpr int l = decltype(level)::value;
            if constexpr (wp_batch_size(CASE::height, l) > 1)
                lift_columns<l>();
            if constexpr (wp_batch_size(CASE::width, l) > 1)
                lift_rows<l>();
        });
        copy_coefficients<true>();
    }

    __device__ __forceinline__ void inverse() const
    {
        copy_coefficients<false>();
        wait();
        wp_each<0, CASE::levels>([&](auto level) {
            constexpr int l = CASE::levels - 1 - decltype(level)::value;
            if constexpr (wp_batch_size(CASE::width, l) > 1)
                lift_rows<l>();
            if constexpr (wp_batch_size(CASE::height, l) > 1)
                lift_columns<l>();
        });
        if constexpr (signals)
            copy_samples<true>();
    }
};

// The body of a kernel.
template <class SHAPE, class CASE>
__device__ __forceinline__ void wp_lift_batch(const wp_batch_args &args)
{
    extern __shared__ float wp_batch_memory[];
    const wp_batch<SHAPE, CASE> batch(args, wp_batch_memory);
    if constexpr (SHAPE::inverse)
        batch.inverse();
    else
        batch.forward();
}

#endif
