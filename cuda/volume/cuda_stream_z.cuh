// The kernel that computes a level of a volume, x, y and z, in one pass.
//
// A block has a tile of columns and rows and streams along z. Slice after slice, including the halo
// of the tile, is fetched into a ring in shared memory. Then
//  - a thread lifts a column of some rows along y, from the ring to a second array,
//  - a thread lifts eight samples of a row along x, from there to registers,
//  - and pushes these to its chain along z (cuda_chain.cuh), whose results it writes.
// The first operation on a slice and the others on the previous slice run between the same
// barriers: there is one barrier per slice. The inverse uses the same order, because lifting along
// different axes commutes; it fetches rows of low and of high coefficients.
//
// A level of only x and y omits the last operation.
//
// Outside the volume samples are extended (wp_device_extend()). The positions that a thread
// fetches are the same in all slices and computed once.
#ifndef WP_CUDA_STREAM_Z_CUH
#define WP_CUDA_STREAM_Z_CUH

#include "cuda_access.cuh"
#include "cuda_chain.cuh"

template <class SHAPE>
struct wp_stream_z_args {
    int width, height, depth, extension;
    int pairs; // pairs of slices per block
    int pitch;
    ptrdiff_t slice;
    float *plane;
    wp_cuda_band band[WP_OCTET_BANDS];
    float scale[WP_OCTET_BANDS];
    typename SHAPE::table table;
};

constexpr int wp_round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

// How a kernel accesses bands.
enum wp_stream_z_bands {
    WP_STREAM_Z_SINGLE, // element by element
    WP_STREAM_Z_WIDE,   // four elements at a time
    WP_STREAM_Z_INTERLEAVED, // the mixed layout's first level: rows of alternating low and high
                             // columns, four at a time; LLL may be a separate array that is wide
};

// Sizes of a tile. "Pairs" are pairs of columns or of rows.
template <class SHAPE, wp_stream_z_bands BANDS>
struct wp_stream_z_tile {
    static constexpr bool inverse = SHAPE::inverse, interleaved = BANDS == WP_STREAM_Z_INTERLEAVED;
    static constexpr bool split = inverse &&
                                  !interleaved; // rows of low, then of high columns are fetched
    static constexpr int low = SHAPE::reach_low, high = SHAPE::reach_high;
    static constexpr int threads = 256, warps = threads / 32;
    static constexpr int columns = 128, rows = 16; // without halo
    // Pairs of columns and rows with halo.
    static constexpr int wide = columns / 2 + low + high, tall = rows / 2 + low + high;

    // A row of a fetched slice: samples, or all low and then all high coefficients. The first one
    // that is not halo is at `left`, so that four can be fetched at once.
    static constexpr int left = wp_round_up(split ? low : 2 * low, 4);
    static constexpr int half = wp_round_up(left + columns / 2 + high, 4); // of split rows
    static constexpr int fetched = split ? 2 * half : wp_round_up(left + columns + 2 * high, 4);
    static constexpr int fetched_rows = 2 * tall;
    static constexpr int fetched_floats = fetched_rows * fetched;

    // A row that was lifted along y: low columns, and high columns in other banks.
    static constexpr int apart = wp_round_up(wide - 16, 32) + 16;
    static constexpr int lifted = apart + wp_round_up(wide, 4);
    static constexpr int lifted_floats = rows * lifted;

    // Along y a thread lifts `group` pairs of rows of a column; columns of the halo are numbered
    // after the others.
    static constexpr int group = rows / 2 / (threads / columns);
    static constexpr int groups = rows / 2 / group;
    static constexpr int columns_beyond = 2 * (low + high);

    // Along x a thread lifts four pairs, and reads groups of four.
    static constexpr int pairs_x = 4 + low + high, pairs_read = wp_round_up(pairs_x, 4);
    static_assert(columns / 8 * rows == threads, "a thread has eight samples of a slice");

    static constexpr int bytes(int ring)
    {
        return (ring * fetched_floats + 2 * lifted_floats) * (int)sizeof(float);
    }
};

// True if the result of a sample inside a volume of n samples may depend on sample i.
template <class SHAPE>
__device__ __forceinline__ bool wp_is_near(int i, int n)
{
    return i <= n + 2 * SHAPE::reach_high;
}

// The end of a block's columns: of its tile, or of the volume if its last four columns can be
// fetched at once.
template <class SHAPE, wp_stream_z_bands BANDS>
__device__ __forceinline__ int wp_stream_z_end(const wp_stream_z_args<SHAPE> &args)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    const int end = ((int)blockIdx.x + 1) * tile::columns;
    return end > args.width && args.width % (tile::split ? 8 : 4) == 0 ? args.width : end;
}

// The positions that a thread fetches in each slice; -1: zero.
template <class SHAPE, wp_stream_z_bands BANDS>
struct wp_stream_z_source {
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    // Columns of the tile: four in each of these rows. Columns of the halo: single elements.
    static constexpr int rows = (tile::fetched_rows + tile::warps - 1) / tile::warps;
    static constexpr int per_row = tile::columns_beyond > 0 ? tile::columns_beyond : 1;
    static constexpr int beyond =
        (tile::fetched_rows * tile::columns_beyond + tile::threads - 1) / tile::threads;
    int row[rows];
    int x; // the first of its four columns
    bool full; // all four are inside and contiguous
    bool none;  // no result depends on any of the four
    struct {
        int row, column;
    } single[beyond > 0 ? beyond : 1];

    // The index at position i of an axis of n samples: of a sample, or of a coefficient of its
    // parity, as coefficients have the positions of their samples. (-1 >> 1 is -1.)
    static __device__ __forceinline__ int find(const wp_stream_z_args<SHAPE> &args, int i, int n)
    {
        const int at = wp_is_near<SHAPE>(i, n) ? wp_device_extend(args.extension, i, n) : -1;
        return tile::inverse ? at >> 1 : at;
    }

    static __device__ __forceinline__ int find_row(const wp_stream_z_args<SHAPE> &args, int r)
    {
        return r < tile::fetched_rows
                   ? find(args, (int)blockIdx.y * tile::rows - 2 * tile::low + r, args.height)
                   : -1;
    }

    // Halo column h: its position in the volume, and in a fetched row.
    static __device__ __forceinline__ int column_beyond(const wp_stream_z_args<SHAPE> &args, int h)
    {
        const int first = (int)blockIdx.x * tile::columns;
        return h - 2 * tile::low +
               (h < 2 * tile::low ? first : wp_stream_z_end<SHAPE, BANDS>(args));
    }
    static __device__ __forceinline__ int fetched_beyond(const wp_stream_z_args<SHAPE> &args, int h)
    {
        const int x = column_beyond(args, h) - (int)blockIdx.x * tile::columns;
        if constexpr (tile::split) // x is even where the tile begins
            return tile::left + (x >> 1) + (x & 1) * tile::half;
        else
            return tile::left + x;
    }

    // With `split`: whether the lane fetches low (0) or high (1) columns.
    static __device__ __forceinline__ int high_lane() { return (int)threadIdx.x >> 4; }

    __device__ __forceinline__ explicit wp_stream_z_source(const wp_stream_z_args<SHAPE> &args)
    {
        const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
        int width = args.width, end = wp_stream_z_end<SHAPE, BANDS>(args);
        if constexpr (tile::split) {
            x = (int)blockIdx.x * (tile::columns / 2) + 4 * (lane & 15);
            width = high_lane() ? args.width / 2 : (args.width + 1) / 2;
            end /= 2;
        } else {
            x = (int)blockIdx.x * tile::columns + 4 * lane;
        }
        full = (BANDS != WP_STREAM_Z_SINGLE || !tile::inverse) && x + 4 <= width;
        none = x >= end || !wp_is_near<SHAPE>(tile::split ? 2 * x : x, args.width);
#pragma unroll
        for (int i = 0; i < rows; i++)
            row[i] = find_row(args, warp + tile::warps * i);
#pragma unroll
        for (int i = 0; i < beyond; i++) {
            const int k = warp * 32 + lane + tile::threads * i;
            single[i].row = find_row(args, k / per_row);
            single[i].column = find(args, column_beyond(args, k % per_row), args.width);
        }
    }

    // The input of row r in slice z: samples (forward), or for the inverse the band with the
    // coefficients of this slice, row and column parity.
    struct slice {
        const float *data;
        ptrdiff_t step_x, step_y;
        __device__ __forceinline__ slice(const wp_stream_z_args<SHAPE> &args, int z, int odd_x,
                                         int r)
        {
            if constexpr (tile::inverse) {
                const wp_cuda_band &band = args.band[odd_x + 2 * (r & 1) + 4 * (z & 1)];
                data = band.data + (z >> 1) * band.step_z;
                step_x = band.step_x;
                step_y = band.step_y;
            } else {
                data = args.plane + z * args.slice;
                step_x = 1;
                step_y = args.pitch;
            }
        }
    };

    // Fetches four columns of row r one by one; z is inside.
    __device__ __forceinline__ void fetch_singly(const wp_stream_z_args<SHAPE> &args, int z, int r,
                                                 int in_row, float *to) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int odd = tile::split ? high_lane() : i & 1;
            const int column = find(args, tile::split ? 2 * (x + i) + odd : x + i, args.width);
            const slice from(args, z, odd, r);
            if (column < 0)
                to[i] = 0.0f;
            else
                wp_fetch<1>(to + i, from.data + in_row * from.step_y + column * from.step_x);
        }
    }

    // The address and the row stride of a thread's columns in slice z. NULL if they are not
    // contiguous, because LLL is a separate array.
    __device__ __forceinline__ const float *find_columns(const wp_stream_z_args<SHAPE> &args, int z,
                                                         int r, ptrdiff_t *step_y) const
    {
        if constexpr (tile::inverse && tile::interleaved) {
            if (!(z & 1) && !(r & 1) && args.band[0].step_x == 1)
                return nullptr;
            const slice high(args, z, 1, r);
            *step_y = high.step_y;
            return high.data - 1;
        } else {
            const slice offset(args, z, high_lane(), r);
            *step_y = offset.step_y;
            return offset.data;
        }
    }

    // Fetches slice z, which may be outside the volume.
    __device__ __forceinline__ void fetch(const wp_stream_z_args<SHAPE> &args, int z,
                                          float *ring) const
    {
        const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
        // The parity of coefficients is that of their position.
        z = wp_device_extend(args.extension, z, args.depth);
        const int offset = tile::split ? high_lane() * tile::half + 4 * (lane & 15) : 4 * lane;
        ptrdiff_t step_y = 0;
        // A block has an even number of warps, so all rows of a warp have one parity.
        const float *const from = z < 0 ? nullptr : find_columns(args, z, warp, &step_y);
#pragma unroll
        for (int i = 0; i < rows; i++) {
            const int r = warp + tile::warps * i;
            if (r >= tile::fetched_rows || none)
                break;
            float *to = ring + r * tile::fetched + tile::left + offset;
            if (z < 0 || row[i] < 0)
                *reinterpret_cast<float4 *>(to) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            else if (full && from)
                wp_fetch<4>(to, from + row[i] * step_y + x);
            else
                fetch_singly(args, z, r, row[i], to);
        }
#pragma unroll
        for (int i = 0; i < beyond; i++) {
            const int k = warp * 32 + lane + tile::threads * i;
            const int r = k / per_row, h = k % per_row;
            if (r >= tile::fetched_rows)
                break;
            float *to = ring + r * tile::fetched + fetched_beyond(args, h);
            const slice from(args, z, h & 1, r);
            if (z < 0 || single[i].row < 0 || single[i].column < 0)
                *to = 0.0f;
            else
                wp_fetch<1>(to, from.data + single[i].row * from.step_y +
                                    single[i].column * from.step_x);
        }
    }
};

// Column c of the tile, in the numbering of wp_stream_z_tile.
template <class SHAPE, wp_stream_z_bands BANDS>
struct wp_stream_z_column {
    int from, to; // in a fetched row, and in a lifted row
    int odd;
    __device__ __forceinline__ explicit wp_stream_z_column(int c)
    {
        using tile = wp_stream_z_tile<SHAPE, BANDS>;
        if constexpr (tile::split) {
            odd = c >= tile::wide;
            const int pair = c - odd * tile::wide;
            from = odd * tile::half + tile::left - tile::low + pair;
            to = odd * tile::apart + pair;
        } else {
            odd = c & 1;
            from = tile::left - 2 * tile::low + c;
            to = odd * tile::apart + (c >> 1);
        }
    }
};

// Lifts one column of a group of rows along y.
template <class SHAPE, wp_stream_z_bands BANDS>
__device__ __forceinline__ void wp_stream_z_y(const wp_stream_z_args<SHAPE> &args, int c, int group,
                                           int odd_z, const float *fetched, float *lifted)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    constexpr int N = tile::group + tile::low + tile::high;
    const wp_stream_z_column<SHAPE, BANDS> column(c);
    const float *from = fetched + 2 * tile::group * group * tile::fetched + column.from;
    float *to = lifted + 2 * tile::group * group * tile::lifted + column.to;
    float even[N], odd[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        even[i] = from[2 * i * tile::fetched];
        odd[i] = from[(2 * i + 1) * tile::fetched];
    }
    if constexpr (tile::inverse) {
        const float scale[2] = {args.scale[column.odd + 4 * odd_z],
                                args.scale[column.odd + 2 + 4 * odd_z]};
#pragma unroll
        for (int i = 0; i < N; i++)
            even[i] *= scale[0], odd[i] *= scale[1];
    }
    wp_lift_line<SHAPE, N>(args.table, even, odd);
#pragma unroll
    for (int i = 0; i < tile::group; i++) {
        to[2 * i * tile::lifted] = even[tile::low + i];
        to[(2 * i + 1) * tile::lifted] = odd[tile::low + i];
    }
}

// Lifts a slice along y.
template <class SHAPE, wp_stream_z_bands BANDS>
__device__ __forceinline__ void wp_stream_z_y(const wp_stream_z_args<SHAPE> &args, int odd_z,
                                           const float *fetched, float *lifted)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    wp_stream_z_y<SHAPE, BANDS>(args, thread % tile::columns, thread / tile::columns, odd_z,
                                fetched, lifted);
    if constexpr (tile::columns_beyond > 0) {
        if (thread < tile::columns_beyond * tile::groups)
            wp_stream_z_y<SHAPE, BANDS>(args, tile::columns + thread % tile::columns_beyond,
                                     thread / tile::columns_beyond, odd_z, fetched, lifted);
    }
}

// Lifts eight samples of a row along x: four even ones, then four odd ones.
template <class SHAPE, wp_stream_z_bands BANDS>
__device__ __forceinline__ void wp_stream_z_x(const wp_stream_z_args<SHAPE> &args,
                                              const float *lifted, float (&value)[8])
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    const float *from = lifted + thread / 16 * tile::lifted + thread % 16 * 4;
    float v[2][tile::pairs_read];
#pragma unroll
    for (int odd = 0; odd < 2; odd++)
#pragma unroll
        for (int i = 0; i < tile::pairs_read; i += 4) {
            const float4 q =
                *reinterpret_cast<const float4 *>(from + odd * tile::apart + i);
            v[odd][i] = q.x, v[odd][i + 1] = q.y, v[odd][i + 2] = q.z, v[odd][i + 3] = q.w;
        }
    wp_lift_line<SHAPE, tile::pairs_x>(args.table, v[0], v[1]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        value[i] = v[0][tile::low + i], value[4 + i] = v[1][tile::low + i];
}

// The output of a thread: four elements of two bands, or eight of a row of samples or of
// interleaved bands.
template <class SHAPE, wp_stream_z_bands BANDS>
struct wp_stream_z_target {
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    static constexpr bool rows = tile::inverse || tile::interleaved;
    int y, pair; // its row; its first pair of columns
    bool full;

    __device__ __forceinline__ explicit wp_stream_z_target(const wp_stream_z_args<SHAPE> &args)
    {
        const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
        y = (int)blockIdx.y * tile::rows + thread / 16;
        pair = (int)blockIdx.x * (tile::columns / 2) + thread % 16 * 4;
        // Two neighboring lanes write rows together.
        const int last = rows ? pair | 4 : pair;
        full = (BANDS != WP_STREAM_Z_SINGLE || rows) && 2 * last + 8 <= args.width;
    }

    // Writes slice n of the low or high bands along z, or slice 2n + odd of the samples.
    __device__ __forceinline__ void write(const wp_stream_z_args<SHAPE> &args, int n, int odd,
                                          const float (&value)[8]) const
    {
        const bool inside = 2 * n + odd < args.depth && y < args.height;
        if constexpr (tile::inverse)
            write_row(args, args.plane + (2 * n + odd) * args.slice + (ptrdiff_t)y * args.pitch,
                      inside, value);
        else if constexpr (tile::interleaved)
            write_interleaved(args, n, odd, inside, value);
        else if (inside)
            write_bands(args, n, odd, value);
    }

    // If LLL is a separate array, any values may be written to its elements of the row; they are
    // replaced later.
    __device__ __forceinline__ void write_interleaved(const wp_stream_z_args<SHAPE> &args, int n,
                                                      int odd, bool inside,
                                                      const float (&value)[8]) const
    {
        const int b = 2 * (y & 1) + 4 * odd;
        const wp_cuda_band &high = args.band[b + 1];
        float scaled[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            scaled[i] = value[i] * args.scale[b + i / 4];
        write_row(args, high.data - 1 + n * high.step_z + (y >> 1) * high.step_y, inside, scaled);
        if (inside && b == 0 && args.band[0].step_x == 1)
            write_band(args, n, 0, scaled);
    }

    // Writes four scaled elements of a band, or as many as it has.
    __device__ __forceinline__ void write_band(const wp_stream_z_args<SHAPE> &args, int n, int b,
                                               const float *scaled) const
    {
        const wp_cuda_band &band = args.band[b];
        float *to = band.data + n * band.step_z + (y >> 1) * band.step_y;
        if (full) {
            wp_write<4>(to + pair, scaled);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (2 * (pair + i) + (b & 1) < args.width)
                    to[(pair + i) * band.step_x] = scaled[i];
        }
    }

    __device__ __forceinline__ void write_bands(const wp_stream_z_args<SHAPE> &args, int n, int odd,
                                                const float (&value)[8]) const
    {
#pragma unroll
        for (int odd_x = 0; odd_x < 2; odd_x++) {
            const int b = odd_x + 2 * (y & 1) + 4 * odd;
            float scaled[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                scaled[i] = value[4 * odd_x + i] * args.scale[b];
            write_band(args, n, b, scaled);
        }
    }

    // Neighbors exchange halves first, so that each store fills sectors of 32 bytes.
    __device__ __forceinline__ void write_row(const wp_stream_z_args<SHAPE> &args, float *row,
                                              bool inside, const float (&value)[8]) const
    {
        float *to = row + 2 * pair;
        const bool second = threadIdx.x & 1;
        float half[2][4]; // of the first neighbour's samples and of the second's
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float low = value[i / 2 + i % 2 * 4], high = value[2 + i / 2 + i % 2 * 4];
            const float other = __shfl_xor_sync(WP_WARP, second ? low : high, 1);
            half[0][i] = second ? other : low;
            half[1][i] = second ? high : other;
        }
        if (!inside)
            return;
        if (full) {
            wp_write<4>(to - (second ? 4 : 0), half[0]);
            wp_write<4>(to + (second ? 4 : 8), half[1]);
        } else {
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (2 * pair + i < args.width)
                    to[i] = value[i / 2 + i % 2 * 4];
        }
    }
};

// Slices along z: lifted in a chain, or unchanged.
template <class SHAPE, bool LIFTS>
struct wp_stream_z_z {
    using times = wp_times<SHAPE>;
    using chain = wp_chain<SHAPE, 8>;
    static constexpr int before = SHAPE::reach_low; // input pairs before the first result
    static constexpr int more = before + times::pairs_after; // pairs in addition to the results
};

template <class SHAPE>
struct wp_stream_z_z<SHAPE, false> {
    struct times {
        static constexpr int pairs_after = 0;
        static constexpr bool ends_with_pair = true;
        static constexpr bool is_now(int odd_result, int now) { return odd_result == now; }
        __host__ __device__ static constexpr int result(int, int, int t) { return t; }
    };
    struct chain {
        template <int NOW>
        __device__ __forceinline__ void push(const typename SHAPE::table &, float (&)[2][8])
        {
        }
    };
    static constexpr int before = 0, more = 1; // while the ring is filled
};

// Grid: tiles along x and y, ranges of args.pairs pairs of slices. RING: slices that are fetched or
// being fetched. LIFTS_Z: x, y and z; otherwise even and odd slices are the bands along z.
template <class SHAPE, wp_stream_z_bands BANDS, int RING, bool LIFTS_Z>
__device__ __forceinline__ void wp_stream_z(const wp_stream_z_args<SHAPE> &args)
{
    using tile = wp_stream_z_tile<SHAPE, BANDS>;
    using along_z = wp_stream_z_z<SHAPE, LIFTS_Z>;
    using times = typename along_z::times;
    extern __shared__ __align__(16) float shared[];
    float *const lifted = shared + RING * tile::fetched_floats;
    const wp_stream_z_source<SHAPE, BANDS> source(args);
    const wp_stream_z_target<SHAPE, BANDS> target(args);
    const int first = (int)blockIdx.z * args.pairs;
    const int end = min(first + args.pairs, (args.depth + 1) / 2);
    const int begin = first - along_z::before; // the first input pair
    const int slices = 2 * (end - begin + times::pairs_after) - (times::ends_with_pair ? 0 : 1);

    // Fetches slice i, counted from the first input slice.
    const auto fetch = [&](int i, int slot) {
        if (i < slices)
            source.fetch(args, 2 * begin + i, shared + slot * tile::fetched_floats);
        wp_fetch_end();
    };
    const auto lift_y = [&](int i, int slot) {
        wp_stream_z_y<SHAPE, BANDS>(args, i & 1, shared + slot * tile::fetched_floats,
                                 lifted + (i & 1) * tile::lifted_floats);
    };

#pragma unroll
    for (int i = 0; i < RING; i++)
        fetch(i, i);
    wp_fetch_wait<RING - 1>();
    __syncthreads();
    lift_y(0, 0);

    typename along_z::chain chain = {};
    int slot = 0; // of slice i
#pragma unroll 1
    for (int t = begin; 2 * (t - begin) < slices; t++) {
        wp_each<0, 2>([&](auto parity) {
            constexpr int now = decltype(parity)::value;
            const int i = 2 * (t - begin) + now;
            if (i >= slices)
                return;
            wp_fetch_wait<RING - 2>(); // slice i + 1 has arrived
            __syncthreads();           // slice i is lifted along y, so its slot is free
            fetch(i + RING, slot);
            slot = slot + 1 == RING ? 0 : slot + 1;
            if (i + 1 < slices)
                lift_y(i + 1, slot);
            float value[2][8];
            wp_stream_z_x<SHAPE, BANDS>(args, lifted + now * tile::lifted_floats, value[now]);
            chain.template push<now>(args.table, value);
            wp_each<0, 2>([&](auto result) {
                constexpr int odd = decltype(result)::value;
                if constexpr (times::is_now(odd, now)) {
                    const int n = times::result(odd, now, t);
                    if (n >= first && n < end)
                        target.write(args, n, odd, value[odd]);
                }
            });
        });
    }
}

// RESIDENT: minimum blocks per multiprocessor.
template <class SHAPE, wp_stream_z_bands BANDS, int RING, int RESIDENT, bool LIFTS_Z>
__global__ void __launch_bounds__(wp_stream_z_tile<SHAPE, BANDS>::threads, RESIDENT)
wp_stream_z_kernel(const __grid_constant__ wp_stream_z_args<SHAPE> args)
{
    wp_stream_z<SHAPE, BANDS, RING, LIFTS_Z>(args);
}

#endif
