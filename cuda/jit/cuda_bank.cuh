// Kernels of redundant banks: a level of images in one launch, separable filters with taps
// `dilation` samples apart.
//
// Rows and columns whose distance is not a multiple of the dilation s do not depend on each other.
// A block has columns x0 + p + s i, with up to WP_BANK_PHASES neighbors p, so that its accesses are
// of full sectors, and rows y0 + s j. A thread has a column: it filters it along y, with the
// samples around in registers, and puts the results of some rows into shared memory; then it
// filters them along x.
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
// tap(f, i) of the low (0) and the high filter, and their range `least` to `most`. Types: of in[0],
// of other inputs, of out[0], of other outputs, and of `other`.
template <class FILTERS, wp_bank_kind KIND, bool WEIGHTED, class REAL, wp_element IN,
          wp_element INS, wp_element OUT, wp_element OUTS, wp_element OTHER>
struct wp_bank_level {
    static constexpr bool along_x = FILTERS::axes & 1, along_y = FILTERS::axes & 2;
    static constexpr int around = FILTERS::most - FILTERS::least;
    static constexpr int around_x = along_x ? around : 0, around_y = along_y ? around : 0;
    static constexpr int least_x = along_x ? FILTERS::least : 0;
    static constexpr int least_y = along_y ? FILTERS::least : 0;
    static constexpr int inputs = KIND == WP_BANK_JOIN ? 1 << (along_x + along_y) : 1;
    static constexpr bool splits = KIND == WP_BANK_SPLIT;
    // Results of the filters along y.
    static constexpr int columns = splits ? 1 + along_y : KIND == WP_BANK_JOIN ? 1 + along_x : 1;

    const wp_bank_args &args;
    int z;
    wp_bank_column<REAL, IN> in;
    wp_bank_column<REAL, INS> ins[3];
    wp_bank_column<REAL, OUT> out;
    wp_bank_column<REAL, OUTS> outs[3];
    wp_bank_column<REAL, OTHER> other, other_in; // of the column that is written, or read
    bool inside; // all rows that the block reads exist
    // Rows that are read before the results of those before them are written; several windows leave
    // no registers for them.
    static constexpr int ahead = inputs > 1 ? 0 : WP_BANK_ROWS;
    REAL window[inputs][around_y + WP_BANK_ROWS + ahead];

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

    __device__ __forceinline__ REAL read_other(const wp_bank_column<REAL, OTHER> &from, int x,
                                               int y) const
    {
        const REAL value = from.get(y);
        return WEIGHTED && args.divided & 16 ? value / weight(x, y) : value;
    }

    template <int I>
    __device__ __forceinline__ REAL read(int x, int y) const
    {
        REAL value;
        if constexpr (I == 0)
            value = in.get(y);
        else
            value = ins[I - 1].get(y);
        if (WEIGHTED && args.divided >> I & 1)
            value /= weight(x, y);
        if constexpr (KIND == WP_BANK_SMOOTH || KIND == WP_BANK_MERGE)
            if (args.difference)
                value -= read_other(other_in, x, y);
        return value;
    }

    // Reads row y of column x into element i of the windows.
    __device__ __forceinline__ void fetch(int x, int y, int i)
    {
        const int row = inside ? y : wp_device_extend(FILTERS::extension, y, args.height);
        window[0][i] = read<0>(x, row);
        if constexpr (inputs > 1)
            window[1][i] = read<1>(x, row);
        if constexpr (inputs > 2) {
            window[2][i] = read<2>(x, row);
            window[3][i] = read<3>(x, row);
        }
    }

    // Filter f of `count` values from get(0) on, which is at `least`.
    template <int F, class GET>
    static __device__ __forceinline__ REAL filter(GET get)
    {
        REAL sum = 0;
#pragma unroll
        for (int i = 0; i < FILTERS::count(F); i++)
            sum += FILTERS::tap(F, i) * get(FILTERS::first(F) - FILTERS::least + i);
        return sum;
    }

    // Result number C along y of row j of the windows.
    template <int C>
    __device__ __forceinline__ REAL along_column(int j) const
    {
        if constexpr (KIND == WP_BANK_JOIN && along_y) {
            constexpr int high = along_x ? C + 2 : 1;
            return filter<0>([&](int i) { return window[C][j + i]; }) +
                   filter<1>([&](int i) { return window[high][j + i]; });
        } else if constexpr (along_y) {
            return filter<C>([&](int i) { return window[0][j + i]; });
        } else {
            return window[C][j];
        }
    }

    template <int B>
    __device__ __forceinline__ void put(int x, int y, REAL value) const
    {
        if (WEIGHTED && args.weighted >> B & 1)
            value *= weight(x, y);
        if constexpr (B == 0)
            out.put(y, value);
        else
            outs[B - 1].put(y, value);
    }

    // Writes the results of a sample. get(c, i): result c along y of the column i taps to the right
    // of `least`.
    template <class GET>
    __device__ __forceinline__ void write(int x, int y, GET get) const
    {
        if constexpr (splits) {
            constexpr int high = along_x ? 2 : 1; // the band that is high along y
            if constexpr (along_x) {
                put<0>(x, y, filter<0>([&](int i) { return get(0, i); }));
                put<1>(x, y, filter<1>([&](int i) { return get(0, i); }));
            } else {
                put<0>(x, y, get(0, 0));
            }
            if constexpr (along_x && along_y) {
                put<high>(x, y, filter<0>([&](int i) { return get(1, i); }));
                put<3>(x, y, filter<1>([&](int i) { return get(1, i); }));
            } else if constexpr (along_y) {
                put<high>(x, y, get(1, 0));
            }
        } else {
            REAL value;
            if constexpr (!along_x)
                value = get(0, 0);
            else
                value = filter<0>([&](int i) { return get(0, i); });
            if constexpr (KIND == WP_BANK_JOIN && along_x)
                value += filter<1>([&](int i) { return get(1, i); });
            if constexpr (KIND == WP_BANK_MERGE)
                value += read_other(other, x, y);
            put<0>(x, y, value);
            if constexpr (KIND == WP_BANK_DIFFERENCE)
                put<1>(x, y, read_other(other, x, y) - value);
        }
    }

    __device__ __forceinline__ void set_columns(int column, int x)
    {
        in.set(args.in[0], column, z);
        out.set(args.out[0], x, z);
        other.set(args.other, x, z);
        other_in.set(args.other, column, z);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            ins[i].set(args.in[i + 1], column, z);
            outs[i].set(args.out[i + 1], x, z);
        }
    }

    // `shared` has 2 x WP_BANK_ROWS x columns x blockDim.x numbers.
    __device__ __forceinline__ void run(REAL *shared)
    {
        const int step_x = along_x ? args.dilation : 1, step_y = along_y ? args.dilation : 1;
        const int phases = min(step_x, (int)WP_BANK_PHASES), threads = (int)blockDim.x;
        const int lane = (int)threadIdx.x, units = threads / phases - around_x;
        const int chunks = step_x / phases, tile = (int)blockIdx.x / chunks;
        const int x0 = tile * units * step_x + (int)blockIdx.x % chunks * phases;
        const int x = x0 + lane % phases + step_x * (lane / phases);
        const int column =
            wp_device_extend(FILTERS::extension, x + step_x * least_x, args.width);
        const bool writes = lane < units * phases && x < args.width;
        const int y0 = (int)blockIdx.y / step_y * args.rows * step_y + (int)blockIdx.y % step_y;
        const int slot = columns * threads; // of a row
        int buffer = 0;
        const int reach = step_y * (least_y + around_y + args.rows + ahead);
        inside = y0 + step_y * least_y >= 0 && y0 + reach < args.height;
        for (z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z) {
            set_columns(column, writes ? x : 0);
#pragma unroll
            for (int i = 0; i < around_y + ahead; i++)
                fetch(column, y0 + step_y * (least_y + i), i);
            for (int row = 0; row < args.rows && y0 + step_y * row < args.height;
                 row += WP_BANK_ROWS) {
                REAL *at = shared + buffer * WP_BANK_ROWS * slot + lane;
                const int y = y0 + step_y * row;
#pragma unroll
                for (int j = 0; j < WP_BANK_ROWS; j++)
                    fetch(column, y + step_y * (least_y + around_y + ahead + j),
                          around_y + ahead + j);
                if constexpr (along_x) {
#pragma unroll
                    for (int j = 0; j < WP_BANK_ROWS; j++) {
                        at[j * slot] = along_column<0>(j);
                        if constexpr (columns > 1)
                            at[j * slot + threads] = along_column<1>(j);
                    }
                    __syncthreads();
                }
                if (writes) {
#pragma unroll
                    for (int j = 0; j < WP_BANK_ROWS; j++) {
                        if (y + step_y * j >= args.height)
                            break;
                        if constexpr (along_x)
                            write(x, y + step_y * j, [&](int c, int i) {
                                return at[j * slot + c * threads + i * phases];
                            });
                        else
                            write(x, y + step_y * j, [&](int c, int) {
                                if constexpr (columns > 1)
                                    return c ? along_column<1>(j) : along_column<0>(j);
                                else
                                    return along_column<0>(j);
                            });
                    }
                }
#pragma unroll
                for (int n = 0; n < inputs; n++)
#pragma unroll
                    for (int i = 0; i < around_y + ahead; i++)
                        window[n][i] = window[n][i + WP_BANK_ROWS];
                buffer ^= 1;
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
        for (int y = (int)blockIdx.y * WP_BANK_ROWS; y < args.height;
             y += (int)gridDim.y * WP_BANK_ROWS) {
            const int last = args.height - 1;
            REAL sum[WP_BANK_ROWS];
#pragma unroll
            for (int j = 0; j < WP_BANK_ROWS; j++)
                sum[j] = in.get(min(y + j, last));
            for (int i = 1; i < args.inputs; i++) {
                ins.set(args.in[i], x, z);
#pragma unroll
                for (int j = 0; j < WP_BANK_ROWS; j++)
                    sum[j] += ins.get(min(y + j, last));
            }
#pragma unroll
            for (int j = 0; j < WP_BANK_ROWS; j++)
                if (y + j <= last)
                    out.put(y + j, sum[j]);
            for (int i = 1; i < args.outputs; i++) {
                outs.set(args.out[i], x, z);
#pragma unroll
                for (int j = 0; j < WP_BANK_ROWS; j++)
                    if (y + j <= last)
                        outs.put(y + j, sum[j]);
            }
        }
    }
}

#endif
