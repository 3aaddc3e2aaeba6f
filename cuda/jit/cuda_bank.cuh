// Kernels of redundant banks: a level of images in one launch, separable filters with taps
// `dilation` samples apart.
//
// Rows and columns whose distance is not a multiple of the dilation s do not depend on each other.
// A block has rows y0 + s j, and a tile of columns x0 + p + s i, with `phases` neighbors p: all if s
// is small. Rows are copied to shared memory asynchronously, some ahead, and extended at borders, so
// that filters know none; taps there are `phases` apart. A thread has some neighboring columns: it
// filters each row along x, keeps the results of the rows around in registers, and filters those
// along y.
#ifndef WP_CUDA_BANK_CUH
#define WP_CUDA_BANK_CUH

#include "cuda_bank.h"
#include "cuda_stored.cuh"

// A column of an array: the elements of one x and z.
template <class REAL, wp_element TYPE>
struct wp_bank_column {
    using stored = wp_stored<REAL, TYPE>;
    using type = typename stored::type;
    type *first;
    ptrdiff_t step;

    __device__ __forceinline__ void set(const wp_batch_array &array, int x, int z)
    {
        first = static_cast<type *>(array.data) + x * array.step_x + z * array.step_z;
        step = array.step_y;
    }
    __device__ __forceinline__ REAL get(int y) const
    {
        const type value = first[y * step];
        if constexpr (sizeof value == 2)
            return wp_bits<TYPE>::read(value);
        else
            return (REAL)value;
    }
    __device__ __forceinline__ void put(int y, REAL value) const
    {
        stored::put(first + y * step, value);
    }
};

// FILTERS has axes (bit 0: along x, bit 1: along y), extension, first(f), count(f) and
// tap(f, i) of the low (0) and the high filter, and their range `least` to `most`; and members of
// struct wp_bank_shape, where `apart` = `columns` stands for every multiple of it. Types: of in[0], of
// other inputs, of out[0], of other outputs, and of `other`.
template <class FILTERS, wp_bank_kind KIND, bool WEIGHTED, class REAL, wp_element IN,
          wp_element INS, wp_element OUT, wp_element OUTS, wp_element OTHER>
struct wp_bank_level {
    static constexpr bool along_x = FILTERS::axes & 1, along_y = FILTERS::axes & 2;
    static constexpr int around = FILTERS::most - FILTERS::least;
    static constexpr int around_x = along_x ? around : 0, around_y = along_y ? around : 0;
    static constexpr int least_x = along_x ? FILTERS::least : 0;
    static constexpr int least_y = along_y ? FILTERS::least : 0;
    static constexpr int inputs = KIND == WP_BANK_JOIN ? 1 << (along_x + along_y) : 1;
    static constexpr bool splits = KIND == WP_BANK_SPLIT, joins = KIND == WP_BANK_JOIN;
    static constexpr bool adds = KIND == WP_BANK_DIFFERENCE || KIND == WP_BANK_MERGE;
    // Results of a row of the filters along x.
    static constexpr int results = splits ? 1 + along_x : joins ? 1 + along_y : 1;
    static constexpr int V = FILTERS::columns, stages = FILTERS::stages, rows = FILTERS::rows;
    // Inputs that are copied to shared memory as they are.
    static constexpr bool processed = WEIGHTED || FILTERS::difference;
    template <int I>
    static constexpr wp_element type_of = I ? INS : IN;
    template <int I>
    static constexpr bool direct = !processed && wp_stored<REAL, type_of<I>>::direct;
    // The results of a thread are as far apart as taps, so that these share samples; else neighbors.
    static constexpr bool strided = FILTERS::strided;
    static constexpr int phases = strided ? FILTERS::apart : 1;
    // The elements of a row in shared memory that a thread loads, from `lead` before the first tap on,
    // which aligns them; known if taps are less than V apart.
    static constexpr bool near = along_x && !strided && FILTERS::apart < V;
    static constexpr int lead = near ? ((least_x * FILTERS::apart) % 4 + 4) % 4 : 0;
    static constexpr int line =
        strided ? around_x + V
        : near  ? (lead + around_x * FILTERS::apart + V + V - 1) / V * V
                : (around_x + 1) * V;
    // The rows of a window are a ring if an iteration has a multiple of them.
    static constexpr bool ring = rows % (around_y + 1) == 0;
    static constexpr int kept = ring ? around_y + 1 : around_y + rows;
    static constexpr int groups = WP_BANK_GROUPS;

    template <int I>
    using input = wp_stored<REAL, type_of<I>>;
    static constexpr int outputs = splits                       ? 1 << (along_x + along_y)
                                   : KIND == WP_BANK_DIFFERENCE ? 2
                                                                : 1;
    template <int B>
    using output = wp_neighbors<REAL, B ? OUTS : OUT, V>;

    const wp_bank_args &args;
    REAL *shared;
    // Columns of the tile, and rows of the block, extended; columns whose group is not regular.
    int *columns, *lines, *single, singles;
    int lane, threads, pitch, x, z;
    int next; // columns from a result to the next one
    int regular[groups]; // four neighbors, aligned
    int places[groups];  // in shared memory
    // The column of the first group; from there to those of the second one, and of a single column,
    // which is number `single_at` of the tile, or -1.
    int own, next_group, next_single, single_at;
    int single_place; // in shared memory
    int inside; // all rows that the block reads exist
    int simple; // no thread copies more than groups and one single column, in the same way from all inputs
    int full;   // all columns of the thread exist, and are aligned
    const char *from[inputs]; // the first group in the next row to copy
    char *to[outputs];
    ptrdiff_t far; // elements of the output from a result to the next one, if `strided`
    const char *other_at;
    REAL window[results][kept][V], center[kept][V];
    wp_neighbors<REAL, IN, 4> first_held[groups];
    wp_neighbors<REAL, INS, 4> held[inputs > 1 ? inputs - 1 : 1][groups];
    wp_neighbors<REAL, OTHER, 4> other_held[groups];

    __device__ __forceinline__ REAL weight(int x, int y) const
    {
        REAL w = 1;
        if (WEIGHTED && args.width > 1 && args.axes & 1 && (x == 0 || x == args.width - 1))
            w *= REAL(0.5);
        if (WEIGHTED && args.height > 1 && args.axes & 2 && (y == 0 || y == args.height - 1))
            w *= REAL(0.5);
        if (WEIGHTED && args.depth > 1 && args.axes & 4 && (z == 0 || z == args.depth - 1))
            w *= REAL(0.5);
        return w;
    }

    template <class ELEMENT>
    static __device__ __forceinline__ ELEMENT *at(const wp_batch_array &array, int x, int y, int z)
    {
        return static_cast<ELEMENT *>(array.data) + x * array.step_x + y * array.step_y +
               z * array.step_z;
    }

    template <int I>
    __device__ __forceinline__ auto &held_of(int k)
    {
        if constexpr (I == 0)
            return first_held[k];
        else
            return held[I - 1][k];
    }

    // The place in shared memory of column `at` of the tile. Gaps let the threads of a warp, whose
    // columns are V apart, access different banks.
    static __device__ __forceinline__ int place(int at)
    {
        return strided ? at + at / (V * phases) * phases : at;
    }

    __device__ __forceinline__ REAL *slot_of(int row) const
    {
        return shared + (row & (stages - 1)) * inputs * pitch;
    }

    // An element of input I that is copied to shared memory, at (x, y); `other` there.
    template <int I>
    __device__ __forceinline__ REAL process(REAL value, REAL other, int x, int y) const
    {
        REAL w = 1;
        if constexpr (WEIGHTED)
            w = weight(x, y);
        if (WEIGHTED && args.divided >> I & 1)
            value /= w;
        if constexpr (FILTERS::difference)
            value -= WEIGHTED && args.divided & 16 ? other / w : other;
        return value;
    }

    // Begins to copy a row of input I to shared memory.
    template <int I>
    __device__ __forceinline__ void begin(int row)
    {
        using type = typename input<I>::type;
        REAL *slot = slot_of(row) + I * pitch;
        const auto *group = reinterpret_cast<const type *>(from[I]);
#pragma unroll
        for (int k = 0; k < groups; k++) {
            if constexpr (direct<I>) {
                typename input<I>::words none;
                if (regular[k])
                    input<I>::get_group(none, slot + places[k],
                                        group + (k ? next_group : 0));
            } else if (regular[k]) {
                held_of<I>(k).load(group + (k ? next_group : 0));
                if constexpr (FILTERS::difference)
                    other_held[k].load(at<const typename wp_stored<REAL, OTHER>::type>(
                        args.other, own + (k ? next_group : 0), lines[row], z));
            }
        }
        if constexpr (direct<I>) {
            if (single_at >= 0)
                input<I>::fetch(slot + single_place, group + next_single * args.in[I].step_x);
            if (singles > threads)
                copy_singles<I>(threads, row);
        }
        advance<I>(row);
    }

    // Steps to the row after row `row`.
    template <int I>
    __device__ __forceinline__ void advance(int row)
    {
        from[I] += inside ? args.in_step[I]
                          : (lines[row + 1] - lines[row]) * args.in[I].step_y *
                                (ptrdiff_t)sizeof(typename input<I>::type);
    }

    // Copies single columns from the thread's number `first` on.
    template <int I>
    __device__ __forceinline__ void copy_singles(int first, int row)
    {
        using type = typename input<I>::type;
        const type *line = at<const type>(args.in[I], 0, lines[row], z);
        REAL *slot = slot_of(row) + I * pitch;
#pragma unroll 1
        for (int i = lane + first; i < singles; i += threads) {
            const int column = columns[single[i]];
            if constexpr (direct<I>) {
                input<I>::fetch(slot + place(single[i]), line + column * args.in[I].step_x);
            } else {
                wp_neighbors<REAL, type_of<I>, 1> value;
                wp_neighbors<REAL, OTHER, 1> less;
                value.load(line + column * args.in[I].step_x);
                REAL other = 0;
                if constexpr (FILTERS::difference) {
                    less.load(at<typename decltype(less)::type>(args.other, column, lines[row], z));
                    other = less.get(0);
                }
                slot[place(single[i])] = process<I>(value.get(0), other, column, lines[row]);
            }
        }
    }

    // Ends it.
    template <int I>
    __device__ __forceinline__ void end(int row)
    {
        if constexpr (!direct<I>) {
            REAL *slot = slot_of(row) + I * pitch;
#pragma unroll
            for (int k = 0; k < groups; k++) {
                if (!regular[k])
                    continue;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    REAL other = 0;
                    if constexpr (FILTERS::difference)
                        other = other_held[k].get(i);
                    slot[places[k] + i] =
                        process<I>(held_of<I>(k).get(i), other, own + (k ? next_group : 0) + i,
                                   lines[row]);
                }
            }
            copy_singles<I>(0, row);
        }
    }

    // begin() of input I, and then the others, whose rows are at `slot`, if the block is `simple`.
    template <int I = 0>
    __device__ __forceinline__ void begin_simple(int row, REAL *slot)
    {
        const auto *group = reinterpret_cast<const typename input<I>::type *>(from[I]);
        typename input<I>::words none;
#pragma unroll
        for (int k = 0; k < groups; k++)
            if (regular[k])
                input<I>::get_group(none, slot + places[k], group + (k ? next_group : 0));
        if (single_at >= 0)
            input<I>::fetch(slot + single_place, group + next_single);
        advance<I>(row);
        if constexpr (I + 1 < inputs)
            begin_simple<I + 1>(row, slot + pitch);
    }

    template <bool BEGIN, int I = 0>
    __device__ __forceinline__ void copy(int row)
    {
        if constexpr (BEGIN && I == 0 && direct<0> && direct<inputs - 1>)
            if (simple) {
                begin_simple(row, slot_of(row));
                return;
            }
        if constexpr (BEGIN)
            begin<I>(row);
        else
            end<I>(row);
        if constexpr (I + 1 < inputs)
            copy<BEGIN, I + 1>(row);
    }

    // Filter F of the values get(0), which is at `least`, and so on.
    template <int F, class GET>
    static __device__ __forceinline__ REAL filter(GET get)
    {
        REAL sum = FILTERS::tap(F, 0) * get(FILTERS::first(F) - FILTERS::least);
#pragma unroll
        for (int i = 1; i < FILTERS::count(F); i++)
            sum += FILTERS::tap(F, i) * get(FILTERS::first(F) - FILTERS::least + i);
        return sum;
    }

    // The thread's values of an input in shared memory.
    struct values {
        REAL v[line];
        __device__ __forceinline__ REAL get(int column, int tap) const
        {
            return strided ? v[tap + column]
                   : near  ? v[lead + tap * FILTERS::apart + column]
                           : v[tap * V + column];
        }
    };
    __device__ __forceinline__ values load(const REAL *slot) const
    {
        values to;
        if constexpr (strided) {
            const REAL *first = slot + lane / phases * ((V + 1) * phases) + lane % phases;
#pragma unroll
            for (int i = 0; i < line; i++)
                to.v[i] = first[(i + i / V) * phases];
            return to;
        }
        const REAL *from = slot + lane * V + (near || !along_x ? 0 : args.lead);
        struct alignas(V * sizeof(REAL) < 16 ? V * sizeof(REAL) : 16) vector {
            REAL v[V];
        };
#pragma unroll
        for (int i = 0; i < line / V; i++) {
            const vector part = *reinterpret_cast<const vector *>(
                from + (near || !along_x ? i * V : i * args.phases));
#pragma unroll
            for (int c = 0; c < V; c++)
                to.v[i * V + c] = part.v[c];
        }
        return to;
    }

    // Filters a row along x, into row `to` of the windows.
    __device__ __forceinline__ void filter_row(const REAL *slot, int to)
    {
        const values a = load(slot);
#pragma unroll
        for (int c = 0; c < V; c++) {
            if constexpr (!along_x)
                window[0][to][c] = a.get(c, 0);
            else
                window[0][to][c] = filter<0>([&](int i) { return a.get(c, i); });
            if constexpr (splits && along_x)
                window[1][to][c] = filter<1>([&](int i) { return a.get(c, i); });
            if constexpr (FILTERS::centered)
                center[to][c] = a.get(c, -least_x);
        }
        if constexpr (joins) {
            const values b = load(slot + pitch);
#pragma unroll
            for (int c = 0; c < V; c++) {
                if constexpr (along_x)
                    window[0][to][c] += filter<1>([&](int i) { return b.get(c, i); });
                else
                    window[1][to][c] = b.get(c, 0);
            }
        }
        if constexpr (joins && along_x && along_y) {
            const values b = load(slot + 2 * pitch), d = load(slot + 3 * pitch);
#pragma unroll
            for (int c = 0; c < V; c++)
                window[1][to][c] = filter<0>([&](int i) { return b.get(c, i); }) +
                                   filter<1>([&](int i) { return d.get(c, i); });
        }
    }

    // Writes V neighbors of band B in row y, the next one.
    template <int B>
    __device__ __forceinline__ void put(int y, const REAL *value)
    {
        using type = typename output<B>::type;
        output<B> all;
        type *first = reinterpret_cast<type *>(to[B]);
#pragma unroll
        for (int c = 0; c < V; c++)
            all.set(c, WEIGHTED && args.weighted >> B & 1 ? value[c] * weight(x + c * next, y)
                                                          : value[c]);
        if (full && !strided) {
            all.template store<B == 0>(first);
        } else if (full) {
#pragma unroll
            for (int c = 0; c < V; c++, first += far)
                *first = all.at.v[c];
        } else {
#pragma unroll
            for (int c = 0; c < V; c++)
                if (x + c * next < args.width)
                    first[c * next * args.out[B].step_x] = all.at.v[c];
        }
        to[B] += args.out_step[B];
    }

    // Row `row` of the windows at tap i, if the latest one is row `latest`.
    static constexpr __device__ __forceinline__ int at_tap(int latest, int i)
    {
        return ring ? (latest + 1 + i) % kept : latest - around_y + i;
    }

    // Result R along x, filtered along y by filter F.
    template <int R, int F>
    __device__ __forceinline__ REAL along_column(int latest, int c) const
    {
        if constexpr (along_y)
            return filter<F>([&](int i) { return window[R][at_tap(latest, i)][c]; });
        else
            return window[R][latest % kept][c];
    }

    // Reads V neighbors of `other` in row y, the next one.
    __device__ __forceinline__ void load_other(int y, REAL *value)
    {
        wp_neighbors<REAL, OTHER, V> all;
        using type = typename decltype(all)::type;
        const auto *first = reinterpret_cast<const type *>(other_at);
        if (full) {
            all.load(first);
        } else {
#pragma unroll
            for (int c = 0; c < V; c++)
                all.at.v[c] = first[(x + c < args.width ? c : 0) * args.other.step_x];
        }
#pragma unroll
        for (int c = 0; c < V; c++) {
            value[c] = all.get(c);
            if (WEIGHTED && args.divided & 16)
                value[c] /= weight(x + c, y);
        }
        other_at += args.other_step;
    }

    // Writes the results of a row; the latest row of the windows is `latest`.
    __device__ __forceinline__ void write(int y, int latest, const REAL *other)
    {
        REAL value[4][V];
#pragma unroll
        for (int c = 0; c < V; c++) {
            value[0][c] = along_column<0, 0>(latest, c);
            if constexpr (splits && along_x)
                value[1][c] = along_column<1, 0>(latest, c);
            if constexpr (splits && along_y)
                value[along_x ? 2 : 1][c] = along_column<0, 1>(latest, c);
            if constexpr (splits && along_x && along_y)
                value[3][c] = along_column<1, 1>(latest, c);
            if constexpr (joins && along_y)
                value[0][c] += along_column<1, 1>(latest, c);
            if constexpr (KIND == WP_BANK_MERGE)
                value[0][c] += other[c];
            if constexpr (KIND == WP_BANK_DIFFERENCE)
                value[1][c] = (FILTERS::centered ? center[at_tap(latest, -least_y)][c] : other[c]) -
                              value[0][c];
        }
        put<0>(y, value[0]);
        if constexpr (splits || KIND == WP_BANK_DIFFERENCE)
            put<1>(y, value[1]);
        if constexpr (splits && along_x && along_y) {
            put<2>(y, value[2]);
            put<3>(y, value[3]);
        }
    }

    // Sets the columns of the block's tile, and the rows that it reads; returns the thread's first
    // column.
    __device__ __forceinline__ int set_lines(int y0, int step_y, int count)
    {
        const int step = along_x ? args.dilation : 1, block = (int)blockIdx.x % args.blocks;
        const int x0 = block / args.chunks * (args.outputs / args.phases) * step +
                       block % args.chunks * args.phases;
        for (int i = lane; i < 4 * args.groups; i += threads) {
            const int at = i - args.lead + args.phases * 4;
            const int x = x0 + at % args.phases + step * (at / args.phases + least_x - 4);
            columns[i] = wp_device_extend(FILTERS::extension, x, args.width);
        }
        if (lane == 0)
            single[-1] = 0;
        for (int i = lane; i <= count; i += threads)
            lines[i] = wp_device_extend(FILTERS::extension, y0 + step_y * (least_y + i),
                                        args.height);
        __syncthreads();
        own = columns[4 * min(lane, args.groups - 1)];
#pragma unroll
        for (int k = 0; k < groups; k++) {
            const int *group = columns + 4 * (lane + k * threads);
            const bool some = lane + k * threads < args.groups;
            places[k] = place(4 * (lane + k * threads));
            regular[k] = some && args.vector && group[0] % 4 == 0 && group[1] == group[0] + 1 &&
                         group[2] == group[0] + 2 && group[3] == group[0] + 3;
            if (k > 0 && some)
                next_group = group[0] - own;
            if (some && !regular[k]) {
                const int at = atomicAdd(&single[-1], 4);
                for (int i = 0; i < 4; i++)
                    single[at + i] = 4 * (lane + k * threads) + i;
            }
        }
        __syncthreads();
        singles = single[-1];
        single_at = lane < singles ? single[lane] : -1;
        single_place = place(max(single_at, 0));
        next_single = lane < singles ? columns[single_at] - own : 0;
        const int first = lane * V;
        if (first >= args.outputs)
            return args.width;
        return strided ? x0 + lane % phases + step * (lane / phases * V)
                       : x0 + first % args.phases + step * (first / args.phases);
    }

    template <int I = 0>
    __device__ __forceinline__ void set_pointers(int y)
    {
        from[I] = reinterpret_cast<const char *>(
            at<typename input<I>::type>(args.in[I], own, y, z));
        if constexpr (I + 1 < inputs)
            set_pointers<I + 1>(y);
    }
    template <int B = 0>
    __device__ __forceinline__ void set_results(int y)
    {
        to[B] = reinterpret_cast<char *>(at<typename output<B>::type>(args.out[B], x, y, z));
        if constexpr (B + 1 < outputs)
            set_results<B + 1>(y);
    }

    // `memory` has `stages` x inputs x place(4 groups) numbers, and integers: 8 groups, two, rows and
    // those around.
    __device__ __forceinline__ void run(REAL *memory)
    {
        shared = memory;
        lane = (int)threadIdx.x;
        threads = (int)blockDim.x;
        pitch = place(4 * args.groups);
        columns = reinterpret_cast<int *>(memory + stages * inputs * pitch);
        single = columns + 4 * args.groups + 1;
        lines = single + 4 * args.groups;
        const int step_y = along_y ? args.dilation : 1;
        const int block = (int)blockIdx.x / args.blocks;
        const int classes = min(step_y, args.height); // of rows that do not depend on each other
        const int y0 = block / classes * args.rows * step_y + block % classes;
        const int left = (args.height - y0 + step_y - 1) / step_y;
        if (left <= 0)
            return;
        const int count = min(args.rows, left) + around_y;
        next_group = 0;
        x = set_lines(y0, step_y, count);
        next = strided ? args.dilation : 1;
        full = strided ? x + (V - 1) * next < args.width : args.vector && x + V <= args.width;
        far = next * args.out[0].step_x;
        inside = y0 + step_y * least_y >= 0 && y0 + step_y * (least_y + count - 1) < args.height;
        simple = args.vector && singles <= threads;
        for (z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z) {
            __syncthreads();
            set_pointers(lines[0]);
            if (x < args.width) {
                set_results(y0);
                other_at = reinterpret_cast<const char *>(
                    at<typename wp_stored<REAL, OTHER>::type>(args.other, x, y0, z));
            }
#pragma unroll 1
            for (int row = 0; row < stages - 1; row++) {
                if (row < count) {
                    copy<true>(row);
                    copy<false>(row);
                }
                wp_fetch_end();
            }
            for (int from = 0; from < count; from += rows) {
#pragma unroll
                for (int j = 0; j < rows; j++) {
                    const int row = from + j, ahead = row + stages - 1;
                    if (row >= count)
                        break;
                    wp_fetch_wait<stages - 2>();
                    __syncthreads();
                    if (ahead < count)
                        copy<true>(ahead);
                    wp_fetch_end();
                    if (x < args.width) {
                        const int y = y0 + step_y * (row - around_y);
                        const int latest = ring ? j % kept : around_y + j;
                        REAL other[V];
                        if constexpr (adds && !FILTERS::centered)
                            if (row >= around_y)
                                load_other(y, other);
                        filter_row(slot_of(row), latest);
                        if (row >= around_y)
                            write(y, latest, other);
                    }
                    if (ahead < count)
                        copy<false>(ahead);
                }
                if constexpr (!ring) {
#pragma unroll
                    for (int i = 0; i < around_y; i++)
#pragma unroll
                        for (int c = 0; c < V; c++) {
#pragma unroll
                            for (int r = 0; r < results; r++)
                                window[r][i][c] = window[r][i + rows][c];
                            center[i][c] = center[i + rows][c];
                        }
                }
            }
        }
    }
};

// A thread has a column of four rows of an image.
template <class REAL, wp_element IN, wp_element INS, wp_element OUT, wp_element OUTS>
__device__ __forceinline__ void wp_bank_add(const wp_bank_sum &args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    wp_bank_column<REAL, IN> in;
    wp_bank_column<REAL, INS> ins;
    wp_bank_column<REAL, OUT> out;
    wp_bank_column<REAL, OUTS> outs;
    if (x >= args.width)
        return;
    for (int z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z) {
        in.set(args.in[0], x, z);
        out.set(args.out[0], x, z);
        for (int y = (int)blockIdx.y * WP_BANK_SUM_ROWS; y < args.height;
             y += (int)gridDim.y * WP_BANK_SUM_ROWS) {
            const int last = args.height - 1;
            REAL sum[WP_BANK_SUM_ROWS];
#pragma unroll
            for (int j = 0; j < WP_BANK_SUM_ROWS; j++)
                sum[j] = in.get(min(y + j, last));
            for (int i = 1; i < args.inputs; i++) {
                ins.set(args.in[i], x, z);
#pragma unroll
                for (int j = 0; j < WP_BANK_SUM_ROWS; j++)
                    sum[j] += ins.get(min(y + j, last));
            }
#pragma unroll
            for (int j = 0; j < WP_BANK_SUM_ROWS; j++)
                if (y + j <= last)
                    out.put(y + j, sum[j]);
            for (int i = 1; i < args.outputs; i++) {
                outs.set(args.out[i], x, z);
#pragma unroll
                for (int j = 0; j < WP_BANK_SUM_ROWS; j++)
                    if (y + j <= last)
                        outs.put(y + j, sum[j]);
            }
        }
    }
}

#endif
