// Kernels of wavelet packets: some levels of a full tree in one launch.
//
// A full tree splits all nodes along all axes, so its levels along x commute with those along y: it
// is the full tree of each row, and then that of each column. A thread has a line of samples in
// registers, or a segment of it with the samples around it that the steps read, and computes all
// levels there, in place; results go to the places of their leaves. Lines come from shared memory.
#ifndef WP_CUDA_PACKETS_CUH
#define WP_CUDA_PACKETS_CUH

#include "cuda_batch.cuh"
#include "cuda_packets.h"

// The leaf that has sample i of a node after `levels` levels in place: bit l of i is set if level
// l + 1 is high-pass, which is bit levels - 1 - l of the number of the leaf. It has sample
// i >> levels there. Also the inverse: the first sample of a leaf.
__host__ __device__ constexpr int wp_packets_leaf(int levels, int i)
{
    int leaf = 0;
    for (int l = 0; l < levels; l++)
        leaf |= (i >> l & 1) << (levels - 1 - l);
    return leaf;
}

template <class REAL>
__device__ __forceinline__ REAL wp_packets_scale(const wp_packets_args &args, int axis, int leaf)
{
    if constexpr (std::is_same<REAL, double>::value)
        return args.scale[axis][leaf];
    else
        return args.scale_f32[axis][leaf];
}

// N samples of a line, of which the first LOW and the last HIGH are around a segment; without these
// it is a complete node. N, LOW and HIGH are multiples of 2^LEVELS. Mirrored ends of a node are those
// of a segment, or outside of what it reads; samples outside the node have any value.
template <class SHAPE, class REAL, int EXTENSION, int LEVELS, int N, int LOW, int HIGH>
struct wp_packets_line {
    static constexpr int extension = LOW + HIGH > 0 ? (int)WP_BATCH_INSIDE : EXTENSION;
    REAL v[N];

    // Lifts the node that has every STRIDE-th sample from NODE on.
    template <int STRIDE, int NODE>
    __device__ __forceinline__ void lift_node()
    {
        constexpr int count = N / STRIDE;
        wp_each<0, SHAPE::steps>([&](auto step) {
            constexpr int s = decltype(step)::value, target = SHAPE::is_predict(s);
            constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
#pragma unroll
            for (int i = target; i < count; i += 2) {
                REAL sum = v[NODE + STRIDE * i];
#pragma unroll
                for (int k = 0; k < taps; k++)
                    if (SHAPE::has(s, k)) {
                        const int at = i - target + 2 * (from + k) + 1 - target;
                        sum += SHAPE::tap({}, s, k) *
                               v[NODE + STRIDE * wp_batch_extend(extension, at, count)];
                    }
                v[NODE + STRIDE * i] = sum;
            }
        });
    }

    // Extends such a node at the ends of the line that its segment reaches: each level extends its
    // own input.
    template <int STRIDE, int NODE>
    __device__ __forceinline__ void extend_node(bool at_low, bool at_high)
    {
        constexpr int first = LOW / STRIDE, last = (N - HIGH) / STRIDE - 1;
        constexpr int low = 2 * SHAPE::reach_low, high = 2 * SHAPE::reach_high;
        if (at_low)
#pragma unroll
            for (int i = 1; i <= low; i++)
                v[NODE + STRIDE * (first - i)] = v[NODE + STRIDE * (first + i)];
        if (at_high)
#pragma unroll
            for (int i = 1; i <= high; i++)
                v[NODE + STRIDE * (last + i)] = v[NODE + STRIDE * (last - i)];
    }

    __device__ __forceinline__ void lift(bool at_low, bool at_high)
    {
        wp_each<0, LEVELS>([&](auto number) {
            constexpr int n = decltype(number)::value, l = SHAPE::inverse ? LEVELS - 1 - n : n;
            wp_each<0, (1 << l)>([&](auto node) {
                constexpr int o = decltype(node)::value;
                if constexpr (LOW + HIGH > 0 && EXTENSION == WP_EXTEND_MIRROR)
                    extend_node<(1 << l), o>(at_low, at_high);
                lift_node<(1 << l), o>();
            });
        });
    }
};

// Levels along one axis. A block has WP_PACKETS_LINES lines, and of each SEGMENTS segments, one per
// warp. ALONG: samples of a line are neighbors in memory; else samples of different lines are. In
// shared memory, too.
template <class SHAPE, class ELEMENTS, int EXTENSION, int LEVELS, int N, int LOW, int HIGH,
          int SEGMENTS, bool ALONG>
struct wp_packets_pass {
    using real = typename ELEMENTS::real;
    static constexpr bool inverse = SHAPE::inverse;
    using input = typename std::conditional<inverse, typename ELEMENTS::high,
                                            typename ELEMENTS::samples>::type;
    using output = typename std::conditional<inverse, typename ELEMENTS::samples,
                                             typename ELEMENTS::high>::type;
    static constexpr int leaves = 1 << LEVELS, lines = WP_PACKETS_LINES;
    static constexpr int threads = lines * SEGMENTS;
    static constexpr int size = N - LOW - HIGH, tile = SEGMENTS * size;
    static constexpr int total = tile + LOW + HIGH;
    // Lines of which four neighbors are aligned are in different banks.
    static constexpr int pitch = wp_packets_pitch(total);
    // Four neighbors are of one leaf, and aligned in shared memory.
    static constexpr bool fours = !ALONG || (size % (4 * leaves) == 0 && LOW % (4 * leaves) == 0 &&
                                             HIGH % (4 * leaves) == 0);
    // These may also be copied at once, unless the type is converted one by one.
    static constexpr bool reads_fours = fours && input::groups;
    static constexpr bool writes_fours = fours && output::groups;
    const wp_packets_args &args;
    real *shared;
    int thread, first_line, start, node;

    // The place in its node of element i of a line in shared memory: samples in their order, or
    // leaves one after the other. -1: outside. Four elements are either all inside or all not.
    __device__ __forceinline__ int place_of_input(int i) const
    {
        constexpr int parts = inverse ? leaves : 1, each = total / parts;
        const int count = args.node / parts;
        int at = (start - LOW) / parts + i % each;
        if constexpr (EXTENSION == WP_EXTEND_WRAP)
            at += at < 0 ? count : at < count ? 0 : -count;
        return LOW + HIGH == 0 || (at >= 0 && at < count) ? i / each * count + at : -1;
    }
    __device__ __forceinline__ int place_of_output(int i) const
    {
        if constexpr (inverse)
            return start + i;
        constexpr int each = tile / leaves;
        return i / each * (args.node / leaves) + start / leaves + i % each;
    }

    static __device__ __forceinline__ int spot(int line, int i)
    {
        return ALONG ? line * pitch + i : i * lines + line;
    }

    // The elements of the thread, COUNT of each line: WIDTH neighbors in memory per step. Steps are in
    // groups of `loads`; those of single elements have the same place in lines.
    struct element {
        int line, i;
        bool exists;
    };
    template <int COUNT, int WIDTH>
    static constexpr bool one_by_one = ALONG && WIDTH == 1;
    template <int COUNT, int WIDTH>
    static constexpr int steps =
        one_by_one<COUNT, WIDTH> ? (COUNT + 31) / 32 * (lines / SEGMENTS)
                                 : (COUNT * lines / WIDTH + threads - 1) / threads;
    template <int COUNT, int WIDTH>
    static constexpr int loads = one_by_one<COUNT, WIDTH>   ? lines / SEGMENTS
                                 : steps<COUNT, WIDTH> < 8 ? steps<COUNT, WIDTH>
                                                           : 8;
    template <int COUNT, int WIDTH>
    __device__ __forceinline__ element element_of(int step, int k) const
    {
        constexpr int row = (ALONG ? COUNT : lines) / WIDTH;
        const int number = thread + (step + k) * threads;
        int line = number / row, i = number % row * WIDTH;
        if constexpr (one_by_one<COUNT, WIDTH>) {
            line = thread / 32 + SEGMENTS * k;
            i = step / (lines / SEGMENTS) * 32 + thread % 32;
        } else if (!ALONG) {
            const int other = line;
            line = i;
            i = other;
        }
        return {line, i, i < COUNT && line < lines && first_line + line < args.lines};
    }

    template <int WIDTH>
    __device__ __forceinline__ void load_elements(int z) const
    {
        using type = typename input::type;
        constexpr int loads = wp_packets_pass::loads<total, WIDTH>;
        const auto *from = static_cast<const type *>(args.in.data) + z * args.in.step_z +
                           (ptrdiff_t)node * args.node * args.in.step_x +
                           first_line * args.in.step_y;
#pragma unroll 1
        for (int step = 0; step < steps<total, WIDTH>; step += loads) {
            typename input::words words[WIDTH == 4 ? loads : 1];
            typename input::template word<1> word[loads];
            bool exists[loads];
#pragma unroll
            for (int k = 0; k < loads; k++) {
                const element e = element_of<total, WIDTH>(step, k);
                const int place = place_of_input(e.i);
                const type *const at = from + e.line * args.in.step_y + place * args.in.step_x;
                real *const to = shared + spot(e.line, e.i);
                exists[k] = e.exists && place >= 0;
                if (!exists[k])
                    continue;
                if constexpr (WIDTH == 4)
                    input::get_group(words[k], to, at);
                else if constexpr (input::direct)
                    input::fetch(to, at);
                else
                    word[k] = input::template get<1>(at);
            }
#pragma unroll
            for (int k = 0; k < loads; k++) {
                const element e = element_of<total, WIDTH>(step, k);
                real *const to = shared + spot(e.line, e.i);
                if (!exists[k])
                    continue;
                if constexpr (WIDTH == 4)
                    input::set_group(to, words[k]);
                else if constexpr (!input::direct)
                    input::template set<1>(to, word[k]);
            }
        }
    }

    template <int WIDTH>
    __device__ __forceinline__ void store_elements(int z) const
    {
        constexpr int loads = wp_packets_pass::loads<tile, WIDTH>;
        auto *to = static_cast<typename output::type *>(args.out.data) + z * args.out.step_z +
                   (ptrdiff_t)node * args.node * args.out.step_x + first_line * args.out.step_y;
#pragma unroll 1
        for (int step = 0; step < steps<tile, WIDTH>; step += loads)
#pragma unroll
            for (int k = 0; k < loads; k++) {
                const element e = element_of<tile, WIDTH>(step, k);
                auto *const at =
                    to + e.line * args.out.step_y + place_of_output(e.i) * args.out.step_x;
                if (!e.exists)
                    continue;
                if constexpr (WIDTH == 4)
                    output::put_group(at, shared + spot(e.line, e.i));
                else
                    output::put(at, shared[spot(e.line, e.i)]);
            }
    }

    // Writes the results of the thread, which begin at v[0], from registers.
    __device__ __forceinline__ void put_results(int z, int lane, int first, const real *v) const
    {
        const int count = args.node / leaves;
        auto *to = static_cast<typename output::type *>(args.out.data) + z * args.out.step_z +
                   (ptrdiff_t)node * args.node * args.out.step_x +
                   (first_line + lane) * args.out.step_y;
        first += start;
        wp_each<0, leaves>([&](auto number) {
            constexpr int leaf = decltype(number)::value;
            constexpr int sample = wp_packets_leaf(LEVELS, leaf);
            auto *next = to + (inverse ? first + sample : leaf * count + first / leaves) *
                                  args.out.step_x;
            const ptrdiff_t far = (inverse ? leaves : 1) * args.out.step_x;
#pragma unroll
            for (int i = 0; i < size / leaves; i++)
                output::put(next + i * far, v[i * leaves + sample]);
        });
    }

    // Copies COUNT samples of the thread's line from (or with STORE to) shared memory, where they
    // begin at `at`: in their order, or if SPLIT in leaves, `leaf_pitch` apart.
    template <bool STORE, bool SPLIT, int COUNT>
    __device__ __forceinline__ void copy_line(real *at, int leaf_pitch, real *v) const
    {
        struct alignas(16) vector {
            real v[4];
        };
        constexpr int parts = SPLIT ? leaves : 1, each = COUNT / parts;
        constexpr int width = ALONG && fours ? 4 : 1;
#pragma unroll
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < each; i += width) {
                real *const place = at + (part * leaf_pitch + i) * (ALONG ? 1 : lines);
                const int sample = SPLIT ? wp_packets_leaf(LEVELS, part) : 0;
                vector some;
#pragma unroll
                for (int j = 0; STORE && j < width; j++)
                    some.v[j] = v[(i + j) * parts + sample];
                if constexpr (width == 4 && STORE)
                    *reinterpret_cast<vector *>(place) = some;
                else if constexpr (width == 4)
                    some = *reinterpret_cast<const vector *>(place);
                else if constexpr (STORE)
                    *place = some.v[0];
                else
                    some.v[0] = *place;
#pragma unroll
                for (int j = 0; !STORE && j < width; j++)
                    v[(i + j) * parts + sample] = some.v[j];
            }
    }

    __device__ __forceinline__ void run()
    {
        const int tiles = (args.node + tile - 1) / tile, block = (int)blockIdx.x;
        const int lane = (int)threadIdx.x % lines, first = (int)threadIdx.x / lines * size;
        thread = (int)threadIdx.x;
        node = block / tiles % args.nodes;
        first_line = block / tiles / args.nodes * lines;
        start = min(block % tiles * tile, args.node - tile);
        for (int z = (int)blockIdx.z; z < args.planes; z += (int)gridDim.z) {
            wp_packets_line<SHAPE, real, EXTENSION, LEVELS, N, LOW, HIGH> line;
            if (reads_fours && args.vector & 1)
                load_elements<reads_fours ? 4 : 1>(z);
            else
                load_elements<1>(z);
            wp_fetch_end();
            wp_fetch_wait<0>();
            __syncthreads();
            copy_line<false, inverse, N>(shared + spot(lane, inverse ? first / leaves : first),
                                         total / leaves, line.v);
            if constexpr (inverse)
#pragma unroll
                for (int i = 0; i < N; i++)
                    line.v[i] *= wp_packets_scale<real>(args, 0, wp_packets_leaf(LEVELS, i));
            line.lift(start + first == 0, start + first + size == args.node);
            if constexpr (!inverse)
#pragma unroll
                for (int i = LOW; i < LOW + size; i++)
                    line.v[i] *= wp_packets_scale<real>(args, 0, wp_packets_leaf(LEVELS, i));
            __syncthreads();
            if constexpr (!ALONG) {
                if (first_line + lane < args.lines)
                    put_results(z, lane, first, line.v + LOW);
                continue;
            }
            copy_line<true, !inverse, size>(shared + spot(lane, inverse ? first : first / leaves),
                                            tile / leaves, line.v + LOW);
            __syncthreads();
            if (writes_fours && args.vector & 2)
                store_elements<writes_fours ? 4 : 1>(z);
            else
                store_elements<1>(z);
            __syncthreads();
        }
    }
};

template <class PASS>
__device__ __forceinline__ void wp_run_packets_pass(const wp_packets_args &args)
{
    extern __shared__ double wp_batch_memory[];
    PASS pass = {args, reinterpret_cast<typename PASS::real *>(wp_batch_memory)};
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // wp_cuda_kernel_launch()
#endif
    pass.run();
}

// All levels of images that fit a block, with complete lines.
template <class SHAPE, class CASE>
struct wp_packets_block : wp_batch<SHAPE, CASE> {
    using base = wp_batch<SHAPE, CASE>;
    using real = typename CASE::real;
    static constexpr bool inverse = SHAPE::inverse;
    using output = typename std::conditional<inverse, typename CASE::samples,
                                             typename CASE::high>::type;
    static constexpr int levels = CASE::levels, leaves = 1 << levels;
    const wp_packets_args &args;

    __device__ __forceinline__ wp_packets_block(const wp_packets_args &args_, real *shared_)
        : base(args_.batch, shared_), args(args_)
    {
    }

    // The place of sample i of a line of N in the order of its leaves.
    static constexpr __device__ int place(int n, int i)
    {
        return wp_packets_leaf(levels, i) * (n / leaves) + i / leaves;
    }

    // Lifts a line of N samples. get(i) reads a sample, put(i, value) writes a result.
    template <int N, class GET, class PUT>
    __device__ __forceinline__ void lift(int axis, GET get, PUT put) const
    {
        wp_packets_line<SHAPE, real, CASE::extension, levels, N, 0, 0> line;
#pragma unroll
        for (int i = 0; i < N; i++)
            line.v[i] = inverse ? get(place(N, i)) *
                                      wp_packets_scale<real>(args, axis, wp_packets_leaf(levels, i))
                                : get(i);
        line.lift(false, false);
#pragma unroll
        for (int i = 0; i < N; i++) {
            if constexpr (inverse)
                put(i, line.v[i]);
            else
                put(place(N, i), line.v[i] * wp_packets_scale<real>(args, axis,
                                                                    wp_packets_leaf(levels, i)));
        }
    }

    __device__ __forceinline__ void run() const
    {
        constexpr int W = CASE::width, H = CASE::height;
        if constexpr (inverse)
            base::template copy<false, CASE::dense_coefficients, typename CASE::high, 0, 0, W, H>(
                args.in);
        else
            base::template copy<false, CASE::dense_samples, typename CASE::samples, 0, 0, W, H>(
                args.in);
        base::wait();
        const int number = this->part;
        if (this->active && number < H) {
            real *const row = this->mine + number * CASE::pitch;
            lift<W>(0, [&](int i) { return row[i]; }, [&](int i, real v) { row[i] = v; });
        }
        __syncthreads();
        if (this->active && number < W) {
            const real *const column = this->mine + number;
            auto *to = static_cast<typename output::type *>(args.out.data) +
                       this->plane * args.out.step_z + number * args.out.step_x;
            lift<H>(1, [&](int i) { return column[i * CASE::pitch]; },
                    [&](int i, real v) { output::put(to + i * args.out.step_y, v); });
        }
    }
};

template <class BLOCK>
__device__ __forceinline__ void wp_run_packets_block(const wp_packets_args &args)
{
    extern __shared__ double wp_batch_memory[];
    const BLOCK block(args, reinterpret_cast<typename BLOCK::real *>(wp_batch_memory));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // wp_cuda_kernel_launch()
#endif
    block.run();
}

#endif
