// Kernels of batches with a border of PyWavelets, and their adjoints: all levels of small images in
// one launch, as in cuda_batch.cuh.
//
// A thread extends the samples of its line while it reads them, lifts the extended line, and writes
// only the coefficients of the bands. With filters of F taps, coefficient k of an axis of n samples
// comes from the pair of samples 2k + 1 - F/2 and 2k + 2 - F/2, k = 0..b-1 (axis_map.h). So the
// extended line has the pairs 0..b-1 and those around them that the steps reach. The inverse has
// zeros for the coefficients that do not exist, and writes samples 0..n-1; the adjoint of the
// extension adds the others to those that they are extended from.
#ifndef WP_CUDA_BATCH_BORDER_CUH
#define WP_CUDA_BATCH_BORDER_CUH

#include "cuda_batch.cuh"

// What a kernel is compiled for, as struct wp_batch_case. SHARE: threads of an image. An image has
// ROWS rows of PITCH samples in shared memory. ALONG_Y: the levels transform the axis y.
template <class ELEMENTS, int WIDTH, int HEIGHT, int LEVELS, int PLANES, int SHARE, int PITCH,
          int ROWS, wp_border BORDER, int TAPS, bool ADJOINT, bool ALONG_Y, bool DENSE_SAMPLES,
          bool DENSE_COEFFICIENTS>
struct wp_border_case : ELEMENTS {
    static constexpr int width = WIDTH, height = HEIGHT, levels = LEVELS, planes = PLANES;
    static constexpr int share = SHARE, pitch = PITCH, area = PITCH * ROWS;
    static constexpr int threads = (SHARE * PLANES + 31) / 32 * 32;
    static constexpr wp_border border = BORDER;
    static constexpr int taps = TAPS;
    static constexpr bool adjoint = ADJOINT, signals = !ALONG_Y;
    static constexpr bool dense_samples = DENSE_SAMPLES, dense_coefficients = DENSE_COEFFICIENTS;
    template <class STORED, bool DENSE>
    static constexpr bool is_raw = false; // rows are longer than those of the image
};

// ---- Rules of extension.

// Entries of a sample outside, at most three: the sum of weight * sample `from`.
struct wp_border_entries {
    int count;
    int from[3], weight[3];
};

__host__ __device__ constexpr int wp_border_wrap(int i, int period)
{
    return (i % period + period) % period;
}

// The sample i outside 0..n-1. As in axis_map.c, except for "pywt-periodization", for which it is
// wrapped, too. `embeds`: samples outside are zero, for the adjoint of a crop.
__host__ __device__ constexpr wp_border_entries wp_border_find(wp_border border, bool embeds, int i,
                                                               int n)
{
    const int half = wp_border_wrap(i, 2 * n), mirrored = 2 * n - 1 - half;
    const int period = n > 1 ? 2 * (n - 1) : 1, whole = wp_border_wrap(i, period);
    if (border == WP_BORDER_PYWT_PERIODIZATION) {
        const int at = wp_border_wrap(i, n + n % 2);
        return {at < n || !embeds, {at < n ? at : n - 1}, {1}};
    }
    if (embeds || border == WP_BORDER_PYWT_ZERO)
        return {0, {}, {}};
    if (border == WP_BORDER_PYWT_SYMMETRIC || border == WP_BORDER_PYWT_ANTISYMMETRIC)
        return {1,
                {half < n ? half : mirrored},
                {half < n || border == WP_BORDER_PYWT_SYMMETRIC ? 1 : -1}};
    if (border == WP_BORDER_PYWT_PERIODIC)
        return {1, {wp_border_wrap(i, n)}, {1}};
    if (border == WP_BORDER_PYWT_REFLECT)
        return {1, {whole < n ? whole : period - whole}, {1}};
    if (border == WP_BORDER_PYWT_CONSTANT || n == 1)
        return {1, {i < 0 ? 0 : n - 1}, {1}};
    if (border == WP_BORDER_PYWT_SMOOTH) {
        const int beyond = i < 0 ? -i : i - n + 1;
        return {2, {i < 0 ? 0 : n - 1, i < 0 ? 1 : n - 2}, {1 + beyond, -beyond}};
    }
    const int periods = (i - whole) / period;
    return {3,
            {whole < n ? whole : period - whole, n - 1, 0},
            {whole < n ? 1 : -1, 2 * periods + (whole < n ? 0 : 2), -2 * periods}};
}

// The length of a band of n samples, and of an axis after some levels.
constexpr int wp_border_band(int n, int taps)
{
    return (n + taps - 1) / 2;
}

constexpr int wp_border_size(int n, int taps, int level)
{
    return level ? wp_border_size(wp_border_band(n, taps), taps, level - 1) : n;
}

// The first coefficient of the high band of a level (from 0) in an array of coefficients of an
// axis, and the size of that array.
constexpr int wp_border_first(int n, int taps, int level, int levels)
{
    int first = wp_border_size(n, taps, levels);
    for (int l = level + 2; l <= levels; l++)
        first += wp_border_size(n, taps, l);
    return first;
}

constexpr int wp_border_extent(int n, int taps, int levels)
{
    return wp_border_first(n, taps, 0, levels) + wp_border_size(n, taps, 1);
}

// ---- Lines.

// A line of N samples and 2b coefficients, low ones first, or one of its segments. get(position)
// reads, put(position, parity, value) writes.
template <class SHAPE, class CASE, int N, int SEGMENTS>
struct wp_border_line {
    using real = typename CASE::real;
    static constexpr bool inverse = SHAPE::inverse, complete = SEGMENTS == 1;
    static constexpr bool wraps = CASE::border == WP_BORDER_PYWT_PERIODIZATION;
    static constexpr bool embeds = CASE::adjoint && !inverse;
    static constexpr bool folds =
        CASE::adjoint && inverse && CASE::border != WP_BORDER_PYWT_ZERO;
    static constexpr int half = CASE::taps / 2, b = wp_border_band(N, CASE::taps);
    // Pairs of results. Those that are folded back are all that the filters reach.
    static constexpr int first = !inverse ? 0 : folds ? -(half / 2) : (half - 1) / 2;
    static constexpr int last = !inverse ? b - 1 : folds ? b - 1 + half / 2 : (N + half - 2) / 2;
    static constexpr int pairs = last - first + 1;
    static constexpr int size = (pairs + SEGMENTS - 1) / SEGMENTS;
    static constexpr int segments = (pairs + size - 1) / size;
    static constexpr int low = 2 * SHAPE::reach_low;
    static constexpr int length = low + 2 * size + 2 * SHAPE::reach_high;
    real v[length + 1];

    // The number of register 0 of a segment, of the samples and of the pairs.
    static __host__ __device__ constexpr int pair_at(int segment)
    {
        return first + segment * size - SHAPE::reach_low;
    }
    static __host__ __device__ constexpr int sample_at(int segment)
    {
        return 2 * pair_at(segment) + 1 - half;
    }

    template <class GET>
    __device__ __forceinline__ void load_samples(int segment, GET get)
    {
        const int x0 = sample_at(segment);
        constexpr int before = -sample_at(0), beyond = sample_at(segments - 1) - N;
        static_assert(before >= 0 && beyond + length >= 0, "all samples are in the line");
#pragma unroll
        for (int i = 0; i < length; i++) {
            // Only the first samples of a segment may precede the line, only the last follow it.
            const int x = (complete ? -before : x0) + i;
            const bool inside = (i >= before || x >= 0) && (beyond + i < 0 || x < N);
            v[i] = inside ? get(x) : real(0);
        }
        wp_each<0, segments>([&](auto number) {
            if (complete || segment == decltype(number)::value)
                extend<decltype(number)::value>(get);
        });
    }

    // Sets the samples of segment S that are outside and that results depend on.
    template <int S, class GET>
    __device__ __forceinline__ void extend(GET get)
    {
        constexpr int x0 = sample_at(S);
        constexpr int end = 2 * (last + SHAPE::reach_high + 1) - 2 * pair_at(S);
        const auto set = [&](auto number) {
            constexpr int i = decltype(number)::value;
            constexpr wp_border_entries e = wp_border_find(CASE::border, embeds, x0 + i, N);
            v[i] = 0;
#pragma unroll
            for (int k = 0; k < e.count; k++)
                v[i] += real(e.weight[k]) * (complete ? v[e.from[k] - x0] : get(e.from[k]));
        };
        wp_each<0, (-x0 < length ? -x0 : length)>(set);
        wp_each<(N - x0 > 0 ? N - x0 : 0), (end < length ? end : length)>(set);
    }

    template <class GET>
    __device__ __forceinline__ void load_coefficients(int segment, GET get)
    {
        const int q0 = pair_at(complete ? 0 : segment);
        constexpr int before = -pair_at(0), beyond = pair_at(segments - 1) - b;
#pragma unroll
        for (int i = 0; i < length; i++) {
            const int q = q0 + i / 2, k = wraps ? wp_border_wrap(q, b) : q;
            const bool inside = (i / 2 >= before || k >= 0) && (beyond + i / 2 < 0 || k < b);
            v[i] = inside ? get(k + i % 2 * b, i % 2) : real(0);
        }
    }

    __device__ __forceinline__ void lift()
    {
        wp_lift_line<SHAPE, (int)WP_BATCH_INSIDE, length>(v);
        if constexpr (folds) {
            static_assert(complete, "a thread has all samples that are added");
            constexpr int x0 = sample_at(0);
            const auto fold = [&](auto number) {
                constexpr int i = decltype(number)::value;
                constexpr bool inside = x0 + i >= 0 && x0 + i < N;
                if constexpr (!inside) {
                    constexpr wp_border_entries e = wp_border_find(CASE::border, false, x0 + i, N);
#pragma unroll
                    for (int k = 0; k < e.count; k++)
                        v[e.from[k] - x0] += real(e.weight[k]) * v[i];
                }
            };
            wp_each<low, -x0>(fold);
            wp_each<N - x0, low + 2 * size>(fold);
        }
    }

    template <class PUT>
    __device__ __forceinline__ void store(int segment, PUT put) const
    {
        const int q0 = complete ? first : first + segment * size;
#pragma unroll
        for (int i = 0; i < 2 * size; i++) {
            const int k = q0 + i / 2, x = 2 * q0 + i + 1 - half;
            if constexpr (inverse) {
                constexpr int before = -2 * first - 1 + half;
                if ((i >= before || x >= 0) &&
                    (2 * (first + (segments - 1) * size) + i + 1 - half < N || x < N))
                    put(x, 0, v[low + i]);
            } else if (i / 2 < pairs - (segments - 1) * size || k < b) {
                put(k, i % 2, v[low + i]);
            }
        }
    }
};

// ---- Images.

template <class SHAPE, class CASE>
struct wp_border_batch : wp_batch<SHAPE, CASE> {
    using base = wp_batch<SHAPE, CASE>;
    using real = typename CASE::real;
    using base::args, base::mine, base::plane, base::part, base::active, base::shared, base::first;
    static constexpr bool inverse = SHAPE::inverse, signals = CASE::signals;
    static constexpr int taps = CASE::taps, levels = CASE::levels;

    static constexpr int width(int l) { return wp_border_size(CASE::width, taps, l); }
    static constexpr int height(int l)
    {
        return signals ? 1 : wp_border_size(CASE::height, taps, l);
    }
    // Where high bands of level L begin in an array of coefficients, and the size of that array.
    static constexpr int first_x(int l) { return wp_border_first(CASE::width, taps, l, levels); }
    static constexpr int first_y(int l)
    {
        return signals ? 0 : wp_border_first(CASE::height, taps, l, levels);
    }
    static constexpr int extent_x = wp_border_extent(CASE::width, taps, levels);
    static constexpr int extent_y = signals ? 1 : wp_border_extent(CASE::height, taps, levels);
    // The columns and rows of the coefficients of level L in shared memory, and of all deeper ones.
    static constexpr int columns(int l) { return 2 * width(l + 1); }
    static constexpr int rows(int l) { return signals ? 1 : 2 * height(l + 1); }
    static constexpr int columns_below(int l)
    {
        int most = 0;
        for (int i = l + 1; i < levels; i++)
            most = columns(i) > most ? columns(i) : most;
        return most;
    }
    static constexpr int rows_below(int l)
    {
        int most = 0;
        for (int i = l + 1; i < levels; i++)
            most = rows(i) > most ? rows(i) : most;
        return most;
    }

    __device__ __forceinline__ wp_border_batch(const wp_batch_args &args_, real *shared_)
        : base(args_, shared_)
    {
    }

    // ---- Copies of rectangles.

    // Band `number` of level L, from element (u, v) on.
    template <int L>
    __device__ __forceinline__ wp_batch_array band_at(int number, int u, int v) const
    {
        wp_batch_array at = args.band[L][number];
        constexpr int bytes = sizeof(typename CASE::high::type);
        if constexpr (CASE::dense_coefficients) {
            at.data = static_cast<char *>(args.band[levels - 1][0].data) +
                      (ptrdiff_t)bytes * ((number & 1 ? first_x(L) : 0) +
                                          (number & 2 ? first_y(L) : 0) * extent_x);
            at.step_x = 1;
            at.step_y = extent_x;
            at.step_z = extent_x * extent_y;
        }
        const ptrdiff_t offset = u * at.step_x + v * at.step_y;
        const int size = number || CASE::same ? bytes : (int)sizeof(typename CASE::low::type);
        at.data = static_cast<char *>(at.data) + offset * size;
        return at;
    }

    // Neighboring threads that copy a row of `w` elements, or the first of them: a power of two.
    static constexpr int group_of(int w)
    {
        int group = 1;
        while (2 * group <= w)
            group *= 2;
        if (2 * w >= 3 * group) // few threads of a larger group have no element
            group *= 2;
        return CASE::threads % group == 0 ? group : 32;
    }

    // Copies a rectangle of all images from or to shared memory, row by row.
    template <bool STORE, class STORED, int X, int Y, int W, int H>
    __device__ __forceinline__ void copy(const wp_batch_array &at) const
    {
        if constexpr (W <= 0 || H <= 0) {
        } else if constexpr (signals) {
            base::template copy<STORE, false, STORED, X, Y, W, H>(at);
        } else {
            constexpr int group = group_of(W), every = CASE::threads / group;
            const int x = (int)threadIdx.x % group, y = (int)threadIdx.x / group;
            const int planes = min(args.planes - first, (int)CASE::planes);
            for (int p = 0; p < planes && x < W; p++) {
                auto *global = static_cast<typename STORED::type *>(at.data) +
                               (first + p) * at.step_z + y * at.step_y + x * at.step_x;
                real *local = shared + p * CASE::area + (Y + y) * CASE::pitch + X + x;
                copy_column<STORE, STORED, every, H>(global, every * at.step_y, local, y);
            }
            if constexpr (group < W) {
                wp_batch_array rest = at;
                rest.data = static_cast<typename STORED::type *>(at.data) + group * at.step_x;
                copy<STORE, STORED, X + group, Y, W - group, H>(rest);
            }
        }
    }

    // Copies elements y, y + EVERY, … < H of a column.
    template <bool STORE, class STORED, int EVERY, int H>
    __device__ __forceinline__ void copy_column(typename STORED::type *global, ptrdiff_t step,
                                                real *local, int y) const
    {
        constexpr int count = H / EVERY, loads = 8;
        const auto copy_one = [&](int i) {
            if constexpr (STORE)
                STORED::template store<1>(global + i * step, local + i * EVERY * CASE::pitch);
            else if constexpr (STORED::direct)
                STORED::fetch(local + i * EVERY * CASE::pitch, global + i * step);
            else
                STORED::template set<1>(local + i * EVERY * CASE::pitch,
                                        STORED::template get<1>(global + i * step));
        };
        if constexpr (STORE || STORED::direct) {
#pragma unroll 8
            for (int i = 0; i < count; i++)
                copy_one(i);
        } else {
            typename STORED::template word<1> word[loads];
            for (int from = 0; from < count; from += loads) {
#pragma unroll
                for (int i = 0; i < loads; i++)
                    if (from + i < count)
                        word[i] = STORED::template get<1>(global + (from + i) * step);
#pragma unroll
                for (int i = 0; i < loads; i++)
                    if (from + i < count)
                        STORED::template set<1>(local + (from + i) * EVERY * CASE::pitch, word[i]);
            }
        }
        if (H % EVERY > 0 && y + count * EVERY < H)
            copy_one(count);
    }

    // Copies the part of band BAND of level L that is in a rectangle of shared memory.
    template <int L, int BAND, bool STORE, int X, int Y, int END_X, int END_Y>
    __device__ __forceinline__ void copy_part() const
    {
        constexpr int w = width(L + 1), h = height(L + 1);
        constexpr int bx = BAND & 1 ? w : 0, by = BAND & 2 ? h : 0;
        constexpr int x = X > bx ? X : bx, y = Y > by ? Y : by;
        constexpr int end_x = END_X < bx + w ? END_X : bx + w;
        constexpr int end_y = END_Y < by + h ? END_Y : by + h;
        const wp_batch_array at = band_at<L>(BAND, x - bx, y - by);
        if constexpr (BAND == 0)
            copy<STORE, typename CASE::low, x, y, end_x - x, end_y - y>(at);
        else
            copy<STORE, typename CASE::high, x, y, end_x - x, end_y - y>(at);
    }

    // Copies the high bands of level L in a rectangle.
    template <int L, bool STORE, int X, int Y, int END_X, int END_Y>
    __device__ __forceinline__ void copy_high() const
    {
        copy_part<L, 1, STORE, X, Y, END_X, END_Y>();
        if constexpr (!signals) {
            copy_part<L, 2, STORE, X, Y, END_X, END_Y>();
            copy_part<L, 3, STORE, X, Y, END_X, END_Y>();
        }
    }

    template <bool STORE>
    __device__ __forceinline__ void copy_samples() const
    {
        wp_batch_array at = args.samples;
        if constexpr (CASE::dense_samples)
            at = {at.data, 1, CASE::width, (ptrdiff_t)CASE::width * CASE::height};
        if constexpr (signals)
            base::template copy_samples<STORE>();
        else
            copy<STORE, typename CASE::samples, 0, 0, CASE::width, CASE::height>(at);
    }

    // ---- Levels. Every thread calls the next functions.

    // Lifts lines 0..LINES-1 of N samples. Threads that are left have segments of lines.
    template <int LINES, int N, class GET, class PUT>
    __device__ __forceinline__ void lift_lines(GET get, PUT put) const
    {
        constexpr int share = CASE::share, whole = LINES > share ? LINES / share : 0;
        constexpr int rest = LINES - whole * share;
        if constexpr (whole > 0) {
#pragma unroll 1
            for (int r = 0; r < whole; r++)
                lift_some<share, N>(r * share, get, put);
        }
        if constexpr (rest > 0)
            lift_some<rest, N>(whole * share, get, put);
        __syncthreads();
    }

    template <int COUNT, int N, class GET, class PUT>
    __device__ __forceinline__ void lift_some(int first_line, GET get, PUT put) const
    {
        enum { LEAST = 4 }; // pairs of a segment
        using whole = wp_border_line<SHAPE, CASE, N, 1>;
        constexpr int fit = CASE::share / COUNT, most = whole::pairs / LEAST;
        constexpr int limit = whole::folds || most < 1 ? 1 : most;
        wp_border_line<SHAPE, CASE, N, (fit < limit ? fit : limit)> line;
        const int number = first_line + part % COUNT, segment = part / COUNT;
        const bool mapped = active && segment < line.segments;
        if (mapped) {
            if constexpr (inverse)
                line.load_coefficients(segment,
                                       [&](int at, int high) { return get(number, at, high); });
            else
                line.load_samples(segment, [&](int at) { return get(number, at, 0); });
            line.lift();
        }
        if constexpr (line.segments > 1)
            __syncthreads();
        if (mapped)
            put(number, [&](auto to) { line.store(segment, to); });
    }

    template <int L>
    __device__ __forceinline__ void lift_rows() const
    {
        constexpr int w = width(L + 1), lines = inverse ? rows(L) : height(L);
        const real scale[4] = {wp_batch_scale<real>(args, L, 0), wp_batch_scale<real>(args, L, 1),
                               wp_batch_scale<real>(args, L, 2), wp_batch_scale<real>(args, L, 3)};
        lift_lines<lines, width(L)>(
            [&](int y, int at, int high) {
                real value = mine[y * CASE::pitch + at];
                if (inverse)
                    value *= !signals && y >= height(L + 1) ? scale[2 + high] : scale[high];
                return value;
            },
            [&](int y, auto write) {
                real *const row = mine + y * CASE::pitch;
                write([&](int at, int high, real value) {
                    row[at + high * w] = !inverse && signals ? value * scale[high] : value;
                });
            });
    }

    // Writes the low (HIGH = 0) or high results of a column to a band, multiplied by `scale`.
    template <class STORED, int HIGH, class WRITE>
    __device__ __forceinline__ void put_rows(const wp_batch_array &band, real scale,
                                             WRITE write) const
    {
        auto *const rows =
            static_cast<typename STORED::type *>(band.data) + plane * band.step_z;
        write([&](int at, int high, real value) {
            if (high == HIGH)
                STORED::put(rows + at * band.step_y, value * scale);
        });
    }

    // Forward: a column of level L, from shared memory to bands.
    template <int L>
    __device__ __forceinline__ void lift_columns_forward() const
    {
        constexpr int w = width(L + 1);
        constexpr bool keeps = L + 1 < levels;
        lift_lines<columns(L), height(L)>(
            [&](int x, int at, int) { return (mine + x)[at * CASE::pitch]; },
            [&](int x, auto write) {
                const int right = x >= w;
                const real scale[2] = {wp_batch_scale<real>(args, L, right),
                                       wp_batch_scale<real>(args, L, right + 2)};
                const wp_batch_array even = band_at<L>(right, x - right * w, 0),
                                     odd = band_at<L>(right + 2, x - right * w, 0);
                put_rows<typename CASE::high, 1>(odd, scale[1], write);
                // LL of a level that another one follows stays in shared memory.
                if (keeps && !right) {
                    real *const low_rows = mine + x;
                    write([&](int at, int high, real value) {
                        if (!high)
                            low_rows[at * CASE::pitch] = value * scale[0];
                    });
                } else if (CASE::same || right) {
                    put_rows<typename CASE::high, 0>(even, scale[0], write);
                } else {
                    put_rows<typename CASE::low, 0>(even, scale[0], write);
                }
            });
    }

    // Inverse: a column of coefficients to samples, in shared memory or those of the operand.
    template <int L>
    __device__ __forceinline__ void lift_columns_inverse() const
    {
        using output = typename base::sample_output;
        lift_lines<width(L), height(L)>(
            [&](int x, int at, int) { return (mine + x)[at * CASE::pitch]; },
            [&](int x, auto write) {
                if constexpr (L == 0) {
                    const output to(*this, x);
                    write([&](int at, int, real value) { to.put(at, value); });
                } else {
                    real *const column = mine + x;
                    write([&](int at, int, real value) { column[at * CASE::pitch] = value; });
                }
            });
    }

    template <int L>
    __device__ __forceinline__ void forward_level() const
    {
        lift_rows<L>();
        if constexpr (signals) {
            copy_high<L, true, 0, 0, columns(L), 1>();
            if constexpr (L + 1 == levels)
                copy_part<L, 0, true, 0, 0, columns(L), 1>();
            else
                __syncthreads();
        } else {
            lift_columns_forward<L>();
        }
    }

    template <int L>
    __device__ __forceinline__ void inverse_level() const
    {
        if constexpr (L + 1 < levels) {
            copy_high<L, false, 0, 0, columns_below(L), rows_below(L)>();
            base::wait();
        }
        lift_rows<L>();
        if constexpr (!signals)
            lift_columns_inverse<L>();
    }

    __device__ __forceinline__ void forward() const
    {
        copy_samples<false>();
        base::wait();
        wp_each<0, levels>([&](auto level) { forward_level<decltype(level)::value>(); });
    }

    // All high bands are fetched at first, except where deeper levels are computed.
    __device__ __forceinline__ void inverse_all() const
    {
        copy_part<levels - 1, 0, false, 0, 0, width(levels), height(levels)>();
        wp_each<0, levels>([&](auto level) {
            constexpr int l = levels - 1 - decltype(level)::value;
            constexpr int x = columns_below(l), y = rows_below(l);
            copy_high<l, false, x, 0, columns(l), (y < rows(l) ? y : rows(l))>();
            copy_high<l, false, 0, y, columns(l), rows(l)>();
        });
        base::wait();
        wp_each<0, levels>(
            [&](auto level) { inverse_level<levels - 1 - decltype(level)::value>(); });
        if constexpr (signals)
            copy_samples<true>();
    }

    __device__ __forceinline__ void run() const
    {
        if constexpr (inverse)
            inverse_all();
        else
            forward();
    }
};

#endif
