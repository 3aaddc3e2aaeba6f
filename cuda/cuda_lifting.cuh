// The lifting kernel of long wavelets, which is compiled at run time (cuda_jit_method.c): one level of a
// transform in one launch, in registers.
//
// A warp walks down a strip of columns. Each lane holds V columns; it takes one pair of rows at
// a time, lifts them horizontally (neighbours come by shuffles) and pushes them into a window of
// rows in registers, over which every vertical step then advances by one pair. So a sample is
// read once and a coefficient written once. Rows are fetched D pairs ahead into a ring in shared
// memory, where a lane only reads what it has fetched itself: there is no barrier.
//
// The window. Time t brings even row t and odd row t; row t - d stands at index d. Step s does
// its target at t - lag(s), in place. That is right if its sources are there,
//     lag(s) >= lag(s-1) + kmax(s),
// and if no step before it still needs what it changes,
//     lag(s) >= lag(s-1) - kmin(s-1);
// wp_timed asks that of all steps before it, whatever their targets.
//
// Borders and the edges of a strip. Strips overlap by HALO lanes on both sides and the walk
// begins and ends as many pairs earlier and later as the steps reach together, so that all that
// is wrong there stays in what is not written. Beyond the image the input is extended, single
// sample by single sample (plan.h).
#ifndef WP_CUDA_LIFTING_CUH
#define WP_CUDA_LIFTING_CUH

#include "cuda_access.cuh"
#include "cuda_fetch.cuh"
#include "cuda_shape.cuh"

enum { WP_LIFTING_WARPS = 4 }; // a block

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
    int pairs; // of rows that a warp makes
    int pitch;
    float *plane;
    typename SHAPE::table table;
};

// Where a lane that reaches beyond the image finds its samples: their places in a row of the
// image, or of the bands for the inverse; -1 for zero. Found once, because strips at the borders
// must keep up with the others.
template <class SHAPE, int V>
__device__ __forceinline__ void wp_find_columns(const wp_lifting_args<SHAPE> &args, int column,
                                                int *place)
{
#pragma unroll
    for (int i = 0; i < V; i++) {
        // Lanes far to the right only have to read something, of their own parity.
        const int most = (args.at.width + 1) / 2 * 2 + 2 * SHAPE::reach_high;
        const int at = min(column + i, most + i % 2);
        const int x = wp_device_extend(args.extension, at, args.at.width);
        place[i] = !SHAPE::inverse || x < 0 ? x : x / 2;
    }
}

// A lane's part of a row in the ring: V floats, in pieces of four that lie beside those of the
// other lanes.
template <int V>
struct wp_slot {
    float v[V / 4][32][4];
};

// A row of samples, or for the inverse of two bands: even columns, then odd ones. `row` counts
// samples along the vertical axis and may lie beyond a border.
template <class SHAPE, int V>
__device__ __forceinline__ void wp_fetch_row(const wp_lifting_args<SHAPE> &args, int column,
                                             int row, bool inside, const int *place,
                                             wp_slot<V> &slot)
{
    constexpr int H = V / 2;
    const int lane = (int)threadIdx.x;
    const int y = (unsigned)row < (unsigned)args.at.height
                      ? row
                      : wp_device_extend(args.extension, row, args.at.height);
    if constexpr (!SHAPE::inverse) {
        const float *line = args.plane + (ptrdiff_t)y * args.pitch;
        if (inside) {
#pragma unroll
            for (int i = 0; i < V / 4; i++)
                wp_fetch<4>(slot.v[i][lane], line + column + 4 * i);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                wp_fetch<1>(&slot.v[i / 4][lane][i % 4], line + place[i]);
        }
    } else {
        const int high_y = row & 1;
        const wp_cuda_band &low = args.at.band[2 * high_y], &high = args.at.band[2 * high_y + 1];
        const float *low_line = low.data + (ptrdiff_t)(y / 2) * low.step_y;
        const float *high_line = high.data + (ptrdiff_t)(y / 2) * high.step_y;
        if (y >= 0 && inside) {
            wp_fetch<H>(slot.v[0][lane], low_line + column / 2);
            wp_fetch<H>(&slot.v[H / 4][lane][H % 4], high_line + column / 2);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++) {
                const int at = i / 2 + i % 2 * H;
                float *to = &slot.v[at / 4][lane][at % 4];
                if (y < 0 || place[i] < 0)
                    *to = 0.0f;
                else
                    wp_fetch<1>(to, i % 2 ? high_line + place[i] * high.step_x
                                          : low_line + place[i] * low.step_x);
            }
        }
    }
}

// What was fetched: even and odd columns, scaled for the inverse.
template <class SHAPE, int V>
__device__ __forceinline__ void wp_consume_row(const wp_lifting_args<SHAPE> &args, int r,
                                            const wp_slot<V> &slot, float *even, float *odd)
{
    constexpr int H = V / 2;
    float v[V];
#pragma unroll
    for (int i = 0; i < V / 4; i++) {
        const float4 q = *reinterpret_cast<const float4 *>(slot.v[i][threadIdx.x]);
        v[4 * i] = q.x, v[4 * i + 1] = q.y, v[4 * i + 2] = q.z, v[4 * i + 3] = q.w;
    }
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

// Row n of the bands, x being the first of the lane's H elements in each.
template <int H>
__device__ __forceinline__ void wp_store_bands(const wp_lifting_bands &at, int x, int n,
                                               bool inside, const float *const row[2][2])
{
#pragma unroll
    for (int b = 0; b < WP_BAND_COUNT; b++)
        if (2 * n + b / 2 < at.height)
            wp_store_band<H>(at, b, x, n, inside, row[b / 2][b % 2]);
}

// Lanes of a strip that only help their neighbors, on each side, where a lane holds v columns.
constexpr int wp_halo_of(int reach_low, int reach_high, int v)
{
    const int reach = reach_low > reach_high ? reach_low : reach_high;
    return (2 * reach + v - 1) / v;
}

template <class SHAPE, int V>
constexpr int wp_halo()
{
    return wp_halo_of(SHAPE::reach_low, SHAPE::reach_high, V);
}

// Columns that a warp writes.
template <class SHAPE, int V>
constexpr int wp_strip()
{
    return (32 - 2 * wp_halo<SHAPE, V>()) * V;
}

// A row's 8 columns a lane, where every lane of the warp lies inside the image. The lanes of a
// pair swap halves first: each store then fills whole sectors of 32 bytes.
template <int HALO>
__device__ __forceinline__ void wp_store_eight(float *to, const float *v)
{
    const int lane = (int)threadIdx.x, even = lane & ~1, odd = lane | 1;
    float first[4], second[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float other = __shfl_xor_sync(WP_WARP, lane & 1 ? v[i] : v[4 + i], 1);
        first[i] = lane & 1 ? other : v[i];
        second[i] = lane & 1 ? v[4 + i] : other;
    }
    if (even >= HALO && even < 32 - HALO)
        wp_write<4>(to - (lane & 1 ? 4 : 0), first);
    if (odd >= HALO && odd < 32 - HALO)
        wp_write<4>(to + (lane & 1 ? 4 : 8), second);
}

// Row pair n of samples.
template <class SHAPE, int V, bool EDGE>
__device__ __forceinline__ void wp_store_samples(const wp_lifting_args<SHAPE> &args, int column,
                                                 int n, bool inside, bool writes,
                                                 const float *const row[2][2])
{
    constexpr int H = V / 2;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (2 * n + r >= args.at.height)
            break;
        float *line = args.plane + (ptrdiff_t)(2 * n + r) * args.pitch;
        float v[V];
#pragma unroll
        for (int i = 0; i < H; i++)
            v[2 * i] = row[r][0][i], v[2 * i + 1] = row[r][1][i];
        if (V == 8 && !EDGE) {
            wp_store_eight<wp_halo<SHAPE, V>()>(line + column, v);
        } else if (!writes) {
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

// The window over rows of H pairs of columns: row t - d of parity r stands at row[r][d].
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

    // The latest rows horizontally, then every vertical step by one pair.
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

// The row pair that a window is done with. Where x comes behind y it is lifted horizontally here, in
// a copy, because the window may still need it as it is.
template <class SHAPE, int H>
struct wp_done {
    float copy[2][2][wp_y_first<SHAPE> ? H : 1];

    __device__ __forceinline__ wp_done(const typename SHAPE::table &table,
                                       const wp_row_ring<SHAPE, H> &window)
    {
        if constexpr (wp_y_first<SHAPE>)
#pragma unroll
            for (int r = 0; r < 2; r++) {
#pragma unroll
                for (int j = 0; j < H; j++) {
                    copy[r][0][j] = window.row[r][SHAPE::last][0][j];
                    copy[r][1][j] = window.row[r][SHAPE::last][1][j];
                }
                wp_lift<SHAPE, H>(table, SHAPE::steps, H, copy[r][0], copy[r][1], wp_lanes{H});
            }
    }
    __device__ __forceinline__ const float *get(const wp_row_ring<SHAPE, H> &window, int r,
                                                int p) const
    {
        return wp_y_first<SHAPE> ? copy[r][p] : window.row[r][SHAPE::last][p];
    }
};

// What a warp has in shared memory.
template <int V, int D>
struct wp_rings {
    wp_slot<V> row[D][2];
};

// Walks down one strip. EDGE: some lanes reach beyond the image. Without it nothing in the loop
// depends on the lane, and it is unrolled UNROLL times: the window then moves in registers once in
// as many row pairs.
template <class SHAPE, int V, int D, int UNROLL, bool WIDE, bool EDGE>
__device__ __forceinline__ void wp_strip_shape(const wp_lifting_args<SHAPE> &args,
                                        wp_rings<V, D> &ring, int column, int group,
                                        bool writes)
{
    constexpr int H = V / 2;
    const bool fits = !EDGE || (column >= 0 && column + V <= args.at.width);
    const bool loads_wide = fits && (WIDE || !SHAPE::inverse);
    const bool stores_wide = fits && (WIDE || SHAPE::inverse);
    int place[V] = {};
    if (!loads_wide)
        wp_find_columns<SHAPE, V>(args, column, place);
    const int first = group * args.pairs;
    const int end = min(first + args.pairs, (args.at.height + 1) / 2);
    const int begin = first - SHAPE::reach_low, stop = end + SHAPE::last;
    const auto fetch = [&](int n, wp_slot<V> (&slot)[2]) {
        if (n < stop) {
            wp_fetch_row<SHAPE, V>(args, column, 2 * n, loads_wide, place, slot[0]);
            wp_fetch_row<SHAPE, V>(args, column, 2 * n + 1, loads_wide, place, slot[1]);
        }
        wp_fetch_end();
    };

    wp_row_ring<SHAPE, H> window = {};
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
            window.shift(r);
            wp_consume_row<SHAPE, V>(args, r, ring.row[d][r], window.row[r][0][0],
                                  window.row[r][0][1]);
        }
        fetch(t + D, ring.row[d]);
        d = d + 1 == D ? 0 : d + 1;
        window.lift(args.table);
        const int n = t - SHAPE::last;
        if (wp_y_first<SHAPE> && n < first)
            continue;
        const wp_done<SHAPE, H> done(args.table, window);
        const float *const rows[2][2] = {{done.get(window, 0, 0), done.get(window, 0, 1)},
                                         {done.get(window, 1, 0), done.get(window, 1, 1)}};
        if (n < first)
            continue;
        if constexpr (SHAPE::inverse)
            wp_store_samples<SHAPE, V, EDGE>(args, column, n, stores_wide, writes, rows);
        else if (writes)
            wp_store_bands<H>(args.at, column / 2, n, stores_wide, rows);
    }
}

// A kernel's work. Grid: strips over the warps of blocks, times groups of args.pairs row pairs. WIDE:
// the bands can be accessed V/2 elements at a time.
template <class SHAPE, int V, int D, int UNROLL, bool WIDE>
__device__ __forceinline__ void wp_lift_strip(const wp_lifting_args<SHAPE> &args)
{
    constexpr int HALO = wp_halo<SHAPE, V>(), STRIP = wp_strip<SHAPE, V>();
    static_assert(STRIP > 0, "a strip is wider than its halo");
    __shared__ __align__(16) wp_rings<V, D> ring[WP_LIFTING_WARPS];
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // wp_launch_early()
#endif
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    const int group = (int)blockIdx.y;
    const int begin = ((int)blockIdx.x * WP_LIFTING_WARPS + warp) * STRIP - HALO * V;
    if (begin + HALO * V >= args.at.width)
        return;
    const int column = begin + lane * V;
    const bool writes = lane >= HALO && lane < 32 - HALO;
    if (begin < 0 || begin + 32 * V > args.at.width || (SHAPE::inverse && !WIDE))
        wp_strip_shape<SHAPE, V, D, UNROLL, WIDE, true>(args, ring[warp], column, group, writes);
    else
        wp_strip_shape<SHAPE, V, D, UNROLL, WIDE, false>(args, ring[warp], column, group, writes);
}

#endif
