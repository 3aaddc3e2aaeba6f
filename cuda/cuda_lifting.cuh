// The lifting kernel of long wavelets, compiled at run time (cuda_jit.c): one level of a transform
// in one launch, in registers.
//
// A warp streams down the rows of a strip of columns. Each lane has four columns. It lifts a
// pair of rows along x, where neighbors are exchanged with shuffles, and pushes the pair into a row
// buffer in registers, on which each step along y then advances by one pair. So each sample is read
// once and each coefficient written once. Rows are fetched some pairs ahead (`ahead` in
// cuda_jit.h) into a ring in shared memory; lanes read only elements that they have fetched,
// so no barrier is needed.
//
// The row buffer. Even and odd row t arrive at time t; row t - d is at index d. Step s updates its
// target at t - lag(s) in place. This requires that its sources are available,
//     lag(s) >= lag(s-1) + kmax(s),
// and that no earlier step still reads the target,
//     lag(s) >= lag(s-1) - kmin(s-1);
// wp_timed applies this to all earlier steps, whatever their targets.
//
// Borders. Strips overlap by HALO lanes on both sides, and begin and end earlier and later by the
// reach of the steps, so that incorrect results are never written. Outside the image samples are
// extended (wp_device_extend()).
#ifndef WP_CUDA_LIFTING_CUH
#define WP_CUDA_LIFTING_CUH

#include "cuda_access.cuh"
#include "cuda_shape.cuh"

enum { WP_LIFTING_WARPS = 4, WP_LIFTING_COLUMNS = 4 }; // per block; per lane of a strip

// The bands of a level.
struct wp_lifting_bands {
    int width, height; // samples of the level
    wp_cuda_band band[WP_BAND_COUNT];
    float scale[WP_BAND_COUNT];
};

template <class SHAPE>
struct wp_lifting_args {
    wp_lifting_bands at; // the level
    int extension;
    int pairs; // row pairs per warp
    int pitch;
    float *plane;
    ptrdiff_t slice; // between the images of a batch
    typename SHAPE::table table;
};

inline wp_lifting_bands wp_bands_of(const wp_cuda_level &level)
{
    wp_lifting_bands bands = {};
    bands.width = level.width;
    bands.height = level.height;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        bands.band[b] = level.band[b];
        bands.scale[b] = level.scale[b];
    }
    return bands;
}

// Sets all arguments except `pairs`.
template <class SHAPE>
wp_lifting_args<SHAPE> wp_make_lifting_args(const wp_cuda_level &level)
{
    wp_lifting_args<SHAPE> args = {};
    args.at = wp_bands_of(level);
    args.extension = level.extension;
    args.pitch = level.pitch;
    args.plane = level.plane;
    args.slice = level.slice;
    SHAPE::fill(level, &args.table);
    return args;
}

// The arguments of image z of a batch.
template <class SHAPE>
__device__ __forceinline__ wp_lifting_args<SHAPE> wp_slice_of(wp_lifting_args<SHAPE> args, int z)
{
    args.plane += z * args.slice;
#pragma unroll
    for (int b = 0; b < WP_BAND_COUNT; b++)
        args.at.band[b].data += z * args.at.band[b].step_z;
    return args;
}

// Finds the columns of a lane that reaches outside the image: positions in a row of the image, or
// of the bands for the inverse; -1 for zero. Called once per strip, outside the loop over rows.
template <class SHAPE>
__device__ __forceinline__ void wp_find_columns(const wp_lifting_args<SHAPE> &args, int column,
                                                int *position)
{
#pragma unroll
    for (int i = 0; i < WP_LIFTING_COLUMNS; i++) {
        // Lanes far to the right load any column of the same parity; it is not used.
        const int most = (args.at.width + 1) / 2 * 2 + 2 * SHAPE::reach_high;
        const int at = min(column + i, most + i % 2);
        const int x = wp_device_extend(args.extension, at, args.at.width);
        position[i] = !SHAPE::inverse || x < 0 ? x : x / 2;
    }
}

// The elements of a row in the ring, by lane.
struct wp_slot {
    float v[32][WP_LIFTING_COLUMNS];
};

// Fetches a row of samples, or for the inverse of two bands: even columns, then odd ones. `row` is
// a row of samples, which may be outside the image.
template <class SHAPE>
__device__ __forceinline__ void wp_fetch_row(const wp_lifting_args<SHAPE> &args, int column,
                                             int row, bool inside, const int *position,
                                             wp_slot &slot)
{
    constexpr int V = WP_LIFTING_COLUMNS, H = V / 2;
    const int lane = (int)threadIdx.x;
    const int y = (unsigned)row < (unsigned)args.at.height
                      ? row
                      : wp_device_extend(args.extension, row, args.at.height);
    if constexpr (!SHAPE::inverse) {
        const float *line = args.plane + (ptrdiff_t)y * args.pitch;
        if (inside) {
            wp_fetch<V>(slot.v[lane], line + column);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                wp_fetch<1>(&slot.v[lane][i], line + position[i]);
        }
    } else {
        const int high_y = row & 1;
        const wp_cuda_band &low = args.at.band[2 * high_y], &high = args.at.band[2 * high_y + 1];
        const float *low_line = low.data + (ptrdiff_t)(y / 2) * low.step_y;
        const float *high_line = high.data + (ptrdiff_t)(y / 2) * high.step_y;
        if (y >= 0 && inside) {
            wp_fetch<H>(slot.v[lane], low_line + column / 2);
            wp_fetch<H>(&slot.v[lane][H], high_line + column / 2);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++) {
                const int at = i / 2 + i % 2 * H;
                float *to = &slot.v[lane][at];
                if (y < 0 || position[i] < 0)
                    *to = 0.0f;
                else
                    wp_fetch<1>(to, i % 2 ? high_line + position[i] * high.step_x
                                          : low_line + position[i] * low.step_x);
            }
        }
    }
}

// Reads a fetched row: even and odd columns, scaled for the inverse.
template <class SHAPE>
__device__ __forceinline__ void wp_consume_row(const wp_lifting_args<SHAPE> &args, int r,
                                               const wp_slot &slot, float *even, float *odd)
{
    constexpr int H = WP_LIFTING_COLUMNS / 2;
    const float4 q = *reinterpret_cast<const float4 *>(slot.v[threadIdx.x]);
    const float v[WP_LIFTING_COLUMNS] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int i = 0; i < H; i++) {
        even[i] = SHAPE::inverse ? v[i] * args.at.scale[2 * r] : v[2 * i];
        odd[i] = SHAPE::inverse ? v[H + i] * args.at.scale[2 * r + 1] : v[2 * i + 1];
    }
}

template <int H>
__device__ __forceinline__ void wp_store_band(const wp_lifting_bands &at, int index, int x, int y,
                                              bool inside, const float *v)
{
    const wp_cuda_band &band = at.band[index];
    float *line = band.data + (ptrdiff_t)y * band.step_y;
    float scaled[H];
#pragma unroll
    for (int i = 0; i < H; i++)
        scaled[i] = v[i] * at.scale[index];
    if (inside) {
        wp_write<H>(line + x, scaled);
    } else {
        const int high = at.width / 2, width = index & 1 ? high : at.width - high;
#pragma unroll
        for (int i = 0; i < H; i++)
            if (x + i < width)
                line[(x + i) * band.step_x] = scaled[i];
    }
}

// Writes row n of the bands. x: the first of the lane's H elements in each band.
template <int H>
__device__ __forceinline__ void wp_store_bands(const wp_lifting_bands &at, int x, int n,
                                               bool inside, const float *const row[2][2])
{
#pragma unroll
    for (int b = 0; b < WP_BAND_COUNT; b++)
        if (2 * n + b / 2 < at.height)
            wp_store_band<H>(at, b, x, n, inside, row[b / 2][b % 2]);
}

// Lanes on each side of a strip that write nothing.
constexpr int wp_halo_of(int reach_low, int reach_high)
{
    const int reach = reach_low > reach_high ? reach_low : reach_high;
    return (2 * reach + WP_LIFTING_COLUMNS - 1) / WP_LIFTING_COLUMNS;
}

// Writes row pair n of the samples.
template <class SHAPE>
__device__ __forceinline__ void wp_store_samples(const wp_lifting_args<SHAPE> &args, int column,
                                                 int n, bool inside, bool writes,
                                                 const float *const row[2][2])
{
    constexpr int V = WP_LIFTING_COLUMNS, H = V / 2;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (2 * n + r >= args.at.height)
            break;
        float *line = args.plane + (ptrdiff_t)(2 * n + r) * args.pitch;
        float v[V];
#pragma unroll
        for (int i = 0; i < H; i++)
            v[2 * i] = row[r][0][i], v[2 * i + 1] = row[r][1][i];
        if (!writes) {
            continue;
        } else if (inside) {
            wp_write<V>(line + column, v);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                if (column + i < args.at.width)
                    line[column + i] = v[i];
        }
    }
}

// The row buffer, of H pairs of columns: row t - d of parity r is row[r][d].
template <class SHAPE, int H>
struct wp_row_ring {
    static constexpr int evens = SHAPE::depth(0), odds = SHAPE::depth(1);
    float row[2][evens > odds ? evens : odds][2][H];

    __device__ __forceinline__ void shift(int r)
    {
#pragma unroll
        for (int d = (r ? odds : evens) - 1; d > 0; d--)
#pragma unroll
            for (int j = 0; j < H; j++) {
                row[r][d][0][j] = row[r][d - 1][0][j];
                row[r][d][1][j] = row[r][d - 1][1][j];
            }
    }

    // Lifts the latest rows along x, then advances each step along y by one pair.
    __device__ __forceinline__ void lift(const typename SHAPE::table &table)
    {
        if constexpr (!wp_y_first<SHAPE>)
#pragma unroll
            for (int r = 0; r < 2; r++)
                wp_lift<SHAPE, H>(table, SHAPE::steps, H, row[r][0][0], row[r][0][1],
                                  wp_lanes{H});
        wp_each<0, SHAPE::steps>([&](auto step) {
            constexpr int s = decltype(step)::value;
            constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
            constexpr int lag = SHAPE::lag(s), target = SHAPE::is_predict(s);
#pragma unroll
            for (int k = 0; k < taps; k++)
                if (SHAPE::has(s, k))
#pragma unroll
                    for (int p = 0; p < 2; p++)
#pragma unroll
                        for (int j = 0; j < H; j++)
                            row[target][lag][p][j] += SHAPE::tap(table, s, k) *
                                                      row[1 - target][lag - k - from][p][j];
            if constexpr (SHAPE::rounds)
#pragma unroll
                for (int p = 0; p < 2; p++)
#pragma unroll
                    for (int j = 0; j < H; j++)
                        row[target][lag][p][j] =
                            wp_end_step<SHAPE>(table, s, row[target][lag][p][j]);
        });
    }
};

// The row pair whose steps along y are complete. If y precedes x, it is lifted along x in a copy,
// because the row buffer may still need the rows.
template <class SHAPE, int H>
struct wp_done {
    float copy[2][2][wp_y_first<SHAPE> ? H : 1];

    __device__ __forceinline__ wp_done(const typename SHAPE::table &table,
                                       const wp_row_ring<SHAPE, H> &row_buffer)
    {
        if constexpr (wp_y_first<SHAPE>)
#pragma unroll
            for (int r = 0; r < 2; r++) {
#pragma unroll
                for (int j = 0; j < H; j++) {
                    copy[r][0][j] = row_buffer.row[r][SHAPE::last][0][j];
                    copy[r][1][j] = row_buffer.row[r][SHAPE::last][1][j];
                }
                wp_lift<SHAPE, H>(table, SHAPE::steps, H, copy[r][0], copy[r][1], wp_lanes{H});
            }
    }
    __device__ __forceinline__ const float *get(const wp_row_ring<SHAPE, H> &row_buffer, int r,
                                                int p) const
    {
        return wp_y_first<SHAPE> ? copy[r][p] : row_buffer.row[r][SHAPE::last][p];
    }
};

// The shared memory of a warp.
template <int D>
struct wp_rings {
    wp_slot row[D][2];
};

// Streams down one strip. EDGE: some lanes reach outside the image. Without EDGE the loop does not
// depend on the lane and is unrolled UNROLL times, so that rows are moved between registers only
// once per UNROLL row pairs.
template <class SHAPE, int D, int UNROLL, bool WIDE, bool EDGE>
__device__ __forceinline__ void wp_strip_shape(const wp_lifting_args<SHAPE> &args,
                                               wp_rings<D> &ring, int column, int group,
                                               bool writes)
{
    constexpr int V = WP_LIFTING_COLUMNS, H = V / 2;
    const bool fits = !EDGE || (column >= 0 && column + V <= args.at.width);
    const bool loads_wide = fits && (WIDE || !SHAPE::inverse);
    const bool stores_wide = fits && (WIDE || SHAPE::inverse);
    int position[V] = {};
    if (!loads_wide)
        wp_find_columns(args, column, position);
    const int first = group * args.pairs;
    const int end = min(first + args.pairs, (args.at.height + 1) / 2);
    const int begin = first - SHAPE::reach_low, stop = end + SHAPE::last;
    const auto fetch = [&](int n, wp_slot (&slot)[2]) {
        if (n < stop) {
            wp_fetch_row(args, column, 2 * n, loads_wide, position, slot[0]);
            wp_fetch_row(args, column, 2 * n + 1, loads_wide, position, slot[1]);
        }
        wp_fetch_end();
    };

    wp_row_ring<SHAPE, H> row_buffer = {};
#pragma unroll
    for (int d = 0; d < D; d++)
        fetch(begin + d, ring.row[d]);
    int d = 0;
    constexpr int TIMES = EDGE ? 1 : UNROLL;
#pragma unroll TIMES
    for (int t = begin; t < stop; t++) {
        wp_fetch_wait<D - 1>();
#pragma unroll
        for (int r = 0; r < 2; r++) {
            row_buffer.shift(r);
            wp_consume_row(args, r, ring.row[d][r], row_buffer.row[r][0][0],
                           row_buffer.row[r][0][1]);
        }
        fetch(t + D, ring.row[d]);
        d = d + 1 == D ? 0 : d + 1;
        row_buffer.lift(args.table);
        const int n = t - SHAPE::last;
        if (wp_y_first<SHAPE> && n < first)
            continue;
        const wp_done<SHAPE, H> done(args.table, row_buffer);
        const float *const rows[2][2] = {{done.get(row_buffer, 0, 0), done.get(row_buffer, 0, 1)},
                                         {done.get(row_buffer, 1, 0), done.get(row_buffer, 1, 1)}};
        if (n < first)
            continue;
        if constexpr (SHAPE::inverse)
            wp_store_samples(args, column, n, stores_wide, writes, rows);
        else if (writes)
            wp_store_bands<H>(args.at, column / 2, n, stores_wide, rows);
    }
}

// The body of a kernel. Grid: strips over the warps of blocks, groups of args.pairs row pairs.
// WIDE: the bands can be accessed two elements at a time.
template <class SHAPE, int D, int UNROLL, bool WIDE>
__device__ __forceinline__ void wp_lift_strip(const wp_lifting_args<SHAPE> &args)
{
    constexpr int V = WP_LIFTING_COLUMNS;
    constexpr int HALO = wp_halo_of(SHAPE::reach_low, SHAPE::reach_high);
    constexpr int STRIP = (32 - 2 * HALO) * V; // columns that a warp writes
    static_assert(STRIP > 0, "a strip is wider than its halo");
    __shared__ __align__(16) wp_rings<D> ring[WP_LIFTING_WARPS];
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch_early()
#endif
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    const int group = (int)blockIdx.y;
    const int begin = ((int)blockIdx.x * WP_LIFTING_WARPS + warp) * STRIP - HALO * V;
    if (begin + HALO * V >= args.at.width)
        return;
    const int column = begin + lane * V;
    const bool writes = lane >= HALO && lane < 32 - HALO;
    if (begin < 0 || begin + 32 * V > args.at.width || (SHAPE::inverse && !WIDE))
        wp_strip_shape<SHAPE, D, UNROLL, WIDE, true>(args, ring[warp], column, group, writes);
    else
        wp_strip_shape<SHAPE, D, UNROLL, WIDE, false>(args, ring[warp], column, group, writes);
}

#endif
