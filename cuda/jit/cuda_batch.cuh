// Kernels of batches: all levels of small images in one launch.
//
// A block transforms several images in shared memory. A thread has a row, then a column of an image
// in registers, or a segment of it with the samples around it that the steps read, and lifts it
// without exchanging samples; so every wavelet has the same access to memory. The input is copied
// to shared memory asynchronously; columns of results go from registers to global memory.
#ifndef WP_CUDA_BATCH_CUH
#define WP_CUDA_BATCH_CUH

#include "cuda_batch.h"
#include "cuda_shape.cuh"
#include "cuda_stored.cuh"

// The length of an axis after some levels.
constexpr int wp_batch_size(int n, int level)
{
    return level ? wp_batch_size((n + 1) / 2, level - 1) : n;
}

// What a kernel is compiled for: element types, the size of the images, levels, images per block,
// border, and whether samples and coefficients are arrays without gaps, coefficients in the layout
// "mallat" and of one type.
template <class ELEMENTS, int WIDTH, int HEIGHT, int LEVELS, int PLANES, int EXTENSION,
          bool DENSE_SAMPLES, bool DENSE_COEFFICIENTS>
struct wp_batch_case : ELEMENTS {
    static constexpr int width = WIDTH, height = HEIGHT, levels = LEVELS, planes = PLANES;
    static constexpr int extension = EXTENSION;
    static constexpr bool dense_samples = DENSE_SAMPLES, dense_coefficients = DENSE_COEFFICIENTS;
    static constexpr int threads = wp_batch_threads(width, height, planes);
    static constexpr int pitch = wp_batch_pitch(width), area = pitch * height;
    // Neighboring threads have neighboring lines of an image; of signals, those of other images.
    static constexpr int share = wp_batch_share(width, height);
    static constexpr bool signals = height == 1;
    // Elements of two bytes whose rows are whole words are copied to shared memory unchanged; threads
    // convert them when they lift rows, which all levels do.
    template <class STORED, bool DENSE>
    static constexpr bool is_raw = DENSE && sizeof(typename STORED::type) == 2 && width % 2 == 0 &&
                                   wp_batch_size(width, levels - 1) > 1;
    static constexpr bool raw_samples = is_raw<typename ELEMENTS::samples, DENSE_SAMPLES>;
    static constexpr bool raw_coefficients = is_raw<typename ELEMENTS::high, DENSE_COEFFICIENTS>;
};

// The factor of a band of a level in the type of the arithmetic.
template <class REAL>
__device__ __forceinline__ REAL wp_batch_scale(const wp_batch_args &args, int level, int band)
{
    if constexpr (std::is_same<REAL, double>::value)
        return args.scale[level][band];
    else
        return args.scale_f32[level][band];
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
template <class SHAPE, int EXTENSION, int N, class REAL>
__device__ __forceinline__ void wp_lift_line(REAL (&v)[N + 1])
{
    constexpr bool completes = EXTENSION == WP_EXTEND_CLAMP || EXTENSION == WP_EXTEND_ZERO;
    constexpr int M = completes ? N + N % 2 : N;
    if constexpr (M > N)
        v[N] = EXTENSION == WP_EXTEND_CLAMP ? v[N - 1] : REAL(0);
    wp_each<0, SHAPE::steps>([&](auto step) {
        constexpr int s = decltype(step)::value, target = SHAPE::is_predict(s);
        constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
#pragma unroll
        for (int i = target; i < M; i += 2) {
            REAL sum = v[i];
#pragma unroll
            for (int k = 0; k < taps; k++)
                if (SHAPE::has(s, k)) {
                    const int at = i - target + 2 * (from + k) + 1 - target;
                    sum += SHAPE::tap({}, s, k) * v[wp_batch_extend(EXTENSION, at, M)];
                }
            v[i] = sum;
        }
    });
}

// A line of N samples, or one of its segments. In memory, even samples of coefficients precede odd
// ones. get(position, i) reads sample i, put(position, i, value) writes it.
template <class SHAPE, class CASE, int N>
struct wp_batch_line {
    static constexpr int segments = wp_batch_segments(N, CASE::signals);
    static constexpr bool complete = segments == 1;
    static constexpr int low = complete ? 0 : 2 * SHAPE::reach_low;
    static constexpr int size = complete          ? N
                                : CASE::signals ? WP_BATCH_SIGNAL_SEGMENT
                                                : WP_BATCH_SEGMENT;
    static constexpr int length = low + size + (complete ? 0 : 2 * SHAPE::reach_high);
    static constexpr int half = (N + 1) / 2;
    typename CASE::real v[length + 1];

    // The position of sample i of a split line.
    static __host__ __device__ constexpr int split(int i) { return i / 2 + (i & 1) * half; }

    // wp_batch_extend() for samples at most N - 1 outside. For those that are farther, which the
    // last segment may have and whose results are not used, -1.
    static __device__ __forceinline__ int extend(int i)
    {
        constexpr int extension = CASE::extension;
        if (extension == WP_EXTEND_WRAP)
            return i < 0 ? i + N : i < N ? i : i < 2 * N ? i - N : -1;
        if (extension == WP_EXTEND_MIRROR)
            return i < 0 ? -i : i < N ? i : max(2 * (N - 1) - i, -1);
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
            v[i] = complete || at >= 0 ? get(SHAPE::inverse ? split(at) : at, at) : 0;
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
    using real = typename CASE::real;
    static constexpr bool signals = CASE::signals;
    const wp_batch_args &args;
    real *shared, *mine; // of the block, and of the thread's image
    int first;            // image of the block
    int plane, part;      // of the thread: its image, and its lines
    bool active;

    __device__ __forceinline__ wp_batch(const wp_batch_args &args_, real *shared_)
        : args(args_), shared(shared_), first((int)blockIdx.x * CASE::planes)
    {
        const int thread = (int)threadIdx.x;
        const int number = signals ? thread % CASE::planes : thread / CASE::share;
        part = signals ? thread / CASE::planes : thread % CASE::share;
        plane = first + number;
        active = thread < CASE::planes * CASE::share && plane < args.planes;
        mine = shared + (active ? number : 0) * CASE::area;
    }

    // Sets the line and the segment of the thread, of `lines` lines. False if it has none.
    template <class LINE>
    __device__ __forceinline__ bool has_line(int lines, int *number, int *segment) const
    {
        *number = part % lines;
        *segment = part / lines;
        return active && *segment < LINE::segments;
    }

    // The elements of a row before they are converted: the last words of its memory, which deeper
    // levels do not use.
    static __device__ __forceinline__ unsigned *raw_row(real *row)
    {
        return reinterpret_cast<unsigned *>(row + CASE::pitch) - CASE::width / 2;
    }
    template <class STORED>
    static __device__ __forceinline__ real get_raw(const unsigned *words, int at)
    {
        real value;
        STORED::template set<1>(
            &value, (typename STORED::type)(at % 2 ? words[at / 2] >> 16 : words[at / 2]));
        return value;
    }

    // Copies a rectangle of all images from or to shared memory. Neighboring threads access neighboring
    // elements, also if those are of other signals.
    template <bool STORE, bool DENSE, class STORED, int X, int Y, int W, int H>
    __device__ __forceinline__ void copy(const wp_batch_array &at) const
    {
        if (signals && !DENSE && args.planes - first >= CASE::planes && at.step_z > 0 &&
            at.step_z < at.step_x)
            copy_elements<STORE, DENSE, signals && !DENSE, STORED, X, Y, W, H>(at);
        else
            copy_elements<STORE, DENSE, false, STORED, X, Y, W, H>(at);
    }

    // ACROSS: in the order of the signals, of which none is missing.
    template <bool STORE, bool DENSE, bool ACROSS, class STORED, int X, int Y, int W, int H>
    __device__ __forceinline__ void copy_elements(const wp_batch_array &at) const
    {
        // Elements of two bytes without gaps are copied in pairs.
        constexpr int size = W * H, bytes = sizeof(typename STORED::type);
        constexpr int N = DENSE && bytes == 2 && W % 2 == 0 ? 2 : 1;
        constexpr int step = CASE::threads * N, steps = (CASE::planes * size + step - 1) / step;
        constexpr int most = 8, loads = steps < most ? steps : most; // more are not faster
        const int left = args.planes - first, from = (int)threadIdx.x * N;
        const int end = (left < CASE::planes ? left : CASE::planes) * size;
        auto *base = static_cast<typename STORED::type *>(at.data) +
                     (DENSE ? (ptrdiff_t)first * size : first * at.step_z);
        const auto image_of = [](int i) { return ACROSS ? i % CASE::planes : i / size; };
        const auto element_of = [](int i) { return ACROSS ? i / CASE::planes : i % size; };
        const auto global = [&](int i) {
            return DENSE ? base + i
                         : base + image_of(i) * at.step_z + element_of(i) / W * at.step_y +
                               element_of(i) % W * at.step_x;
        };
        const auto local = [&](int i) {
            return shared + image_of(i) * CASE::area + (Y + element_of(i) / W) * CASE::pitch + X +
                   element_of(i) % W;
        };
        if constexpr (!STORE && CASE::template is_raw<STORED, DENSE>) {
            static_assert(W == CASE::width && X == 0 && Y == 0, "rows are complete");
#pragma unroll 8
            for (int i = from; i < end; i += step)
                wp_fetch<1>(raw_row(shared + i / size * CASE::area + i % size / W * CASE::pitch) +
                                i % W / 2,
                            reinterpret_cast<const unsigned *>(base + i));
        } else if constexpr (STORE || STORED::direct) {
#pragma unroll 8
            for (int i = from; i < end; i += step) {
                if constexpr (STORE)
                    STORED::template store<N>(global(i), local(i));
                else
                    STORED::fetch(local(i), global(i));
            }
        } else {
            typename STORED::template word<N> word[loads];
            for (int i = from; i < end; i += loads * step) {
#pragma unroll
                for (int k = 0; k < loads; k++)
                    if (i + k * step < end)
                        word[k] = STORED::template get<N>(global(i + k * step));
#pragma unroll
                for (int k = 0; k < loads; k++)
                    if (i + k * step < end)
                        STORED::template set<N>(local(i + k * step), word[k]);
            }
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
        copy<STORE, CASE::dense_samples, typename CASE::samples, 0, 0, CASE::width,
             CASE::height>(args.samples);
    }

    // Copies the coefficients of a level, in bands.
    template <bool STORE, int L>
    __device__ __forceinline__ void copy_level() const
    {
        constexpr int w = wp_batch_size(CASE::width, L), h = wp_batch_size(CASE::height, L);
        constexpr int x = (w + 1) / 2, y = (h + 1) / 2;
        if constexpr (L + 1 == CASE::levels)
            copy<STORE, false, typename CASE::low, 0, 0, x, y>(args.band[L][0]);
        if constexpr (w > 1)
            copy<STORE, false, typename CASE::high, x, 0, w - x, y>(args.band[L][1]);
        if constexpr (h > 1)
            copy<STORE, false, typename CASE::high, 0, y, x, h - y>(args.band[L][2]);
        if constexpr (w > 1 && h > 1)
            copy<STORE, false, typename CASE::high, x, y, w - x, h - y>(args.band[L][3]);
    }

    template <bool STORE>
    __device__ __forceinline__ void copy_coefficients() const
    {
        if constexpr (CASE::dense_coefficients)
            copy<STORE, true, typename CASE::high, 0, 0, CASE::width, CASE::height>(
                args.band[CASE::levels - 1][0]);
        else
            wp_each<0, CASE::levels>(
                [&](auto level) { copy_level<STORE, decltype(level)::value>(); });
    }

    // The thread's column of the output of level L: where row y of the split column is written. LL
    // of a level that another one follows stays in shared memory.
    template <int L>
    struct output {
        static constexpr bool last = L + 1 == CASE::levels;
        static constexpr int half = (wp_batch_size(CASE::width, L) + 1) / 2;
        typename CASE::low::type *first;   // LL
        typename CASE::high::type *to[2]; // even and odd rows of other bands
        real *low;                         // LL in shared memory, or NULL
        ptrdiff_t step[2];
        bool is_low; // even rows are LL

        __device__ __forceinline__ output(const wp_batch &batch, int x)
        {
            const wp_batch_args &args = batch.args;
            const int high = x >= half;
            is_low = !high;
            low = last || high ? nullptr : batch.mine + x;
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const wp_batch_array &band = args.band[L][high + 2 * r];
                const ptrdiff_t at = batch.plane * band.step_z + (x - high * half) * band.step_x;
                step[r] = band.step_y;
                to[r] = static_cast<typename CASE::high::type *>(band.data) + at;
                if (r == 0 && !CASE::same)
                    first = static_cast<typename CASE::low::type *>(band.data) + at;
            }
        }
        __device__ __forceinline__ void put(int y, real value) const
        {
            if (low && y % 2 == 0)
                low[y / 2 * CASE::pitch] = value;
            else if (!CASE::same && is_low && y % 2 == 0)
                CASE::low::put(first + y / 2 * step[0], value);
            else
                CASE::high::put(to[y % 2] + y / 2 * step[y % 2], value);
        }
    };

    // As output, of all bands in an array without gaps.
    template <int L>
    struct dense_output {
        typename CASE::high::type *to;
        real *low;

        __device__ __forceinline__ dense_output(const wp_batch &batch, int x)
        {
            constexpr int half = output<L>::half;
            low = output<L>::last || x >= half ? nullptr : batch.mine + x;
            to = static_cast<typename CASE::high::type *>(
                     batch.args.band[CASE::levels - 1][0].data) +
                 batch.plane * (ptrdiff_t)(CASE::width * CASE::height) + x;
        }
        __device__ __forceinline__ void put(int y, real value) const
        {
            constexpr int half = (wp_batch_size(CASE::height, L) + 1) / 2;
            if (low && y % 2 == 0)
                low[y / 2 * CASE::pitch] = value;
            else
                CASE::high::put(to + (y / 2 + y % 2 * half) * CASE::width, value);
        }
    };

    // The thread's column of the samples.
    struct sample_output {
        typename CASE::samples::type *to;
        ptrdiff_t step;

        __device__ __forceinline__ sample_output(const wp_batch &batch, int x)
        {
            const wp_batch_array &at = batch.args.samples;
            step = CASE::dense_samples ? CASE::width : at.step_y;
            to = static_cast<typename CASE::samples::type *>(at.data) +
                 (CASE::dense_samples ? batch.plane * (ptrdiff_t)(CASE::width * CASE::height) + x
                                      : batch.plane * at.step_z + x * at.step_x);
        }
        __device__ __forceinline__ void put(int y, real value) const
        {
            CASE::samples::put(to + y * step, value);
        }
    };

    // The thread's column in shared memory.
    struct shared_output {
        real *to;

        __device__ __forceinline__ shared_output(const wp_batch &batch, int x)
            : to(batch.mine + x)
        {
        }
        __device__ __forceinline__ void put(int y, real value) const
        {
            to[y * CASE::pitch] = value;
        }
    };

    // Every thread calls the next functions. Rows precede columns in both directions.
    template <int L>
    __device__ __forceinline__ void lift_rows() const
    {
        constexpr int W = wp_batch_size(CASE::width, L), H = wp_batch_size(CASE::height, L);
        wp_batch_line<SHAPE, CASE, W> line;
        int y, segment;
        const bool mapped = has_line<decltype(line)>(H, &y, &segment);
        real *const row = mine + y * CASE::pitch;
        // Forward, columns apply the scale, if there are any.
        const int high = SHAPE::inverse && y >= (H + 1) / 2 ? 2 : 0;
        const real scale[2] = {wp_batch_scale<real>(args, L, high),
                               wp_batch_scale<real>(args, L, high + 1)};
        const unsigned *const words = raw_row(row);
        const auto scaled = [&](real value, int x) {
            return value * (SHAPE::inverse ? scale[x & 1] : real(1));
        };
        if constexpr (SHAPE::inverse ? CASE::raw_coefficients : CASE::raw_samples && L == 0) {
            using STORED = typename std::conditional<SHAPE::inverse, typename CASE::high,
                                                     typename CASE::samples>::type;
            const auto get = [&](int at, int x) { return scaled(get_raw<STORED>(words, at), x); };
            // The low band of the level before is converted.
            const bool has_low = SHAPE::inverse && L + 1 < CASE::levels && y < (H + 1) / 2;
            if (mapped && has_low)
                line.load(segment, [&](int at, int x) {
                    return x % 2 ? get(at, x) : scaled(row[at], x);
                });
            else if (mapped)
                line.load(segment, get);
        } else if (mapped) {
            line.load(segment, [&](int at, int x) { return scaled(row[at], x); });
        }
        if (mapped)
            line.lift();
        if constexpr (!line.complete)
            __syncthreads();
        if (mapped)
            line.store(segment, [&](int at, int x, real value) {
                row[at] = value * (SHAPE::inverse || H > 1 ? real(1) : scale[x & 1]);
            });
        __syncthreads();
    }

    template <int L, class OUTPUT>
    __device__ __forceinline__ void lift_columns() const
    {
        constexpr int W = wp_batch_size(CASE::width, L), H = wp_batch_size(CASE::height, L);
        wp_batch_line<SHAPE, CASE, H> line;
        int x, segment;
        const bool mapped = has_line<decltype(line)>(W, &x, &segment);
        const real *const column = mine + x;
        // Inverse, rows apply the scale, if there are any.
        const int high = !SHAPE::inverse && x >= (W + 1) / 2;
        const real scale[2] = {wp_batch_scale<real>(args, L, high),
                               wp_batch_scale<real>(args, L, high + 2)};
        if (mapped) {
            line.load(segment, [&](int at, int y) {
                return column[at * CASE::pitch] *
                       (SHAPE::inverse && W == 1 ? scale[y & 1] : real(1));
            });
            line.lift();
        }
        if constexpr (!line.complete)
            __syncthreads();
        if (mapped) {
            const OUTPUT output(*this, x);
            line.store(segment, [&](int, int y, real value) {
                output.put(y, value * (SHAPE::inverse ? real(1) : scale[y & 1]));
            });
        }
        __syncthreads();
    }

    template <int L>
    __device__ __forceinline__ void forward_level() const
    {
        if constexpr (wp_batch_size(CASE::width, L) > 1)
            lift_rows<L>();
        if constexpr (wp_batch_size(CASE::height, L) > 1) {
            if constexpr (CASE::dense_coefficients)
                lift_columns<L, dense_output<L>>();
            else
                lift_columns<L, output<L>>();
        } else if constexpr (!signals) {
            copy_level<true, L>(); // a level of one row
        }
    }

    template <int L>
    __device__ __forceinline__ void inverse_level() const
    {
        if constexpr (wp_batch_size(CASE::width, L) > 1)
            lift_rows<L>();
        if constexpr (wp_batch_size(CASE::height, L) > 1) {
            if constexpr (L == 0)
                lift_columns<L, sample_output>();
            else
                lift_columns<L, shared_output>();
        }
    }

    __device__ __forceinline__ void forward() const
    {
        copy_samples<false>();
        wait();
        wp_each<0, CASE::levels>([&](auto level) { forward_level<decltype(level)::value>(); });
        if constexpr (signals)
            copy_coefficients<true>();
    }

    __device__ __forceinline__ void inverse() const
    {
        copy_coefficients<false>();
        wait();
        wp_each<0, CASE::levels>(
            [&](auto level) { inverse_level<CASE::levels - 1 - decltype(level)::value>(); });
        if constexpr (signals)
            copy_samples<true>();
    }

    __device__ __forceinline__ void run() const
    {
        if constexpr (SHAPE::inverse)
            inverse();
        else
            forward();
    }
};

// The body of a kernel: run() of a BATCH in the shared memory of its block.
template <class BATCH>
__device__ __forceinline__ void wp_run_batch(const wp_batch_args &args)
{
    extern __shared__ double wp_batch_memory[];
    const BATCH batch(args, reinterpret_cast<typename BATCH::real *>(wp_batch_memory));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch()
#endif
    batch.run();
}

#endif
