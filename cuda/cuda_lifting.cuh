// The lifting kernel: one level of a transform in one launch, in registers.
//
// A warp walks down a strip of columns. Each lane holds V columns; it reads one pair of rows at
// a time, D pairs ahead, lifts them horizontally (neighbours come by shuffles) and pushes them
// into a window of rows, over which every vertical step then advances by one pair. So a sample
// is read once and a coefficient written once, there is no shared memory and no barrier.
//
// The window. Time t brings even row t and odd row t; row t - d stands at index d. Step s does
// its target at t - lag(s), in place. That is right if its sources are there,
//     lag(s) >= lag(s-1) + kmax(s),
// and if no step before it still needs what it changes,
//     lag(s) >= lag(s-1) - kmin(s-1).
//
// Borders and the edges of a strip. Strips overlap by HALO lanes on both sides and the walk
// begins and ends as many pairs earlier and later as the steps reach together, so that all that
// is wrong there stays in what is not written. Beyond the image the input is extended, single
// sample by single sample (plan.h).
#ifndef WP_CUDA_LIFTING_CUH
#define WP_CUDA_LIFTING_CUH

#include "cuda_access.cuh"
#include "cuda_shape.cuh"

template <class SHAPE>
struct wp_lifting_args {
    int width, height, extension;
    int pairs;      // of rows that a warp makes
    int pitch;
    float *plane;
    wp_cuda_band band[WP_BAND_COUNT];
    float scale[WP_BAND_COUNT];
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
        const int most = (args.width + 1) / 2 * 2 + 2 * SHAPE::reach_high;
        const int at = min(column + i, most + i % 2);
        const int x = wp_device_extend(args.extension, at, args.width);
        place[i] = !SHAPE::inverse || x < 0 ? x : x / 2;
    }
}

// Even and odd columns, of a row of samples (forward) or of two rows of bands (inverse). `row`
// counts samples along the vertical axis and may lie beyond a border.
template <class SHAPE, int V>
__device__ __forceinline__ void wp_load_row(const wp_lifting_args<SHAPE> &args, int column,
                                            int row, bool inside, const int *place, float *even,
                                            float *odd)
{
    constexpr int H = V / 2;
    const int y = (unsigned)row < (unsigned)args.height
                      ? row
                      : wp_device_extend(args.extension, row, args.height);
    if constexpr (!SHAPE::inverse) {
        const float *line = args.plane + (ptrdiff_t)y * args.pitch;
        float v[V];
        if (inside) {
            wp_read<V>(line + column, v);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                v[i] = __ldg(line + place[i]);
        }
#pragma unroll
        for (int i = 0; i < H; i++)
            even[i] = v[2 * i], odd[i] = v[2 * i + 1];
    } else {
        const int high_y = row & 1;
        const wp_cuda_band &low = args.band[2 * high_y], &high = args.band[2 * high_y + 1];
        const float *low_line = low.data + (ptrdiff_t)(y / 2) * low.step_y;
        const float *high_line = high.data + (ptrdiff_t)(y / 2) * high.step_y;
#pragma unroll
        for (int i = 0; i < H; i++)
            even[i] = odd[i] = 0.0f;
        if (y >= 0 && inside) {
            wp_read<H>(low_line + column / 2, even);
            wp_read<H>(high_line + column / 2, odd);
        } else if (y >= 0) {
#pragma unroll
            for (int i = 0; i < V; i++)
                if (place[i] >= 0)
                    (i % 2 ? odd : even)[i / 2] =
                        i % 2 ? __ldg(high_line + place[i] * high.step_x)
                              : __ldg(low_line + place[i] * low.step_x);
        }
    }
}

template <class SHAPE, int H>
__device__ __forceinline__ void wp_store_band(const wp_lifting_args<SHAPE> &args, int index, int x,
                                              int y, int width, bool inside, const float *v)
{
    const wp_cuda_band &band = args.band[index];
    float *line = band.data + (ptrdiff_t)y * band.step_y;
    float scaled[H];
#pragma unroll
    for (int i = 0; i < H; i++)
        scaled[i] = v[i] * args.scale[index];
    if (inside) {
        wp_write<H>(line + x, scaled);
    } else {
#pragma unroll
        for (int i = 0; i < H; i++)
            if (x + i < width)
                line[(x + i) * band.step_x] = scaled[i];
    }
}

// Lanes of a strip that only help their neighbours, on each side.
template <class SHAPE, int V>
constexpr int wp_halo()
{
    const int reach = SHAPE::reach_low > SHAPE::reach_high ? SHAPE::reach_low : SHAPE::reach_high;
    return (2 * reach + V - 1) / V;
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

// Row pair n: four bands, or two rows of samples.
template <class SHAPE, int V, bool EDGE>
__device__ __forceinline__ void wp_store_pair(const wp_lifting_args<SHAPE> &args, int column,
                                              int n, bool inside, bool writes,
                                              const float *const row[2][2])
{
    constexpr int H = V / 2;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (2 * n + r >= args.height)
            break;
        if constexpr (!SHAPE::inverse) {
            if (!writes)
                continue;
            const int high = args.width / 2, low = args.width - high;
            wp_store_band<SHAPE, H>(args, 2 * r, column / 2, n, low, inside, row[r][0]);
            wp_store_band<SHAPE, H>(args, 2 * r + 1, column / 2, n, high, inside, row[r][1]);
        } else {
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
                    if (column + i < args.width)
                        line[column + i] = v[i];
            }
        }
    }
}

// Walks down one strip. EDGE: some lanes reach beyond the image. Without it nothing in the loop
// depends on the lane, so that loads stay far ahead of their use.
template <class SHAPE, int V, int D, bool WIDE, bool EDGE>
__device__ __forceinline__ void wp_walk(const wp_lifting_args<SHAPE> &args, int column,
                                        bool writes)
{
    constexpr int H = V / 2;
    constexpr int EVENS = SHAPE::depth(0), ODDS = SHAPE::depth(1);
    const bool fits = !EDGE || (column >= 0 && column + V <= args.width);
    const bool loads_wide = fits && (WIDE || !SHAPE::inverse);
    const bool stores_wide = fits && (WIDE || SHAPE::inverse);
    int place[V] = {};
    if (!loads_wide)
        wp_find_columns<SHAPE, V>(args, column, place);
    const int first = (int)blockIdx.y * args.pairs;
    const int end = min(first + args.pairs, (args.height + 1) / 2);

    // Rows in flight: [ahead][even or odd row][even or odd columns].
    float flight[D][2][2][H];
    float window[2][EVENS > ODDS ? EVENS : ODDS][2][H] = {};
    const int begin = first - SHAPE::reach_low, stop = end + SHAPE::last;
#pragma unroll
    for (int d = 0; d < D; d++) {
        const int n = min(begin + d, stop - 1);
#pragma unroll
        for (int r = 0; r < 2; r++)
            wp_load_row<SHAPE, V>(args, column, 2 * n + r, loads_wide, place, flight[d][r][0],
                                  flight[d][r][1]);
    }

    for (int base = begin; base < stop; base += D) {
#pragma unroll
        for (int d = 0; d < D; d++) {
            const int t = base + d;
            if (d > 0 && t >= stop)
                break;
#pragma unroll
            for (int r = 0; r < 2; r++) {
#pragma unroll
                for (int i = (r ? ODDS : EVENS) - 1; i > 0; i--)
#pragma unroll
                    for (int j = 0; j < H; j++) {
                        window[r][i][0][j] = window[r][i - 1][0][j];
                        window[r][i][1][j] = window[r][i - 1][1][j];
                    }
#pragma unroll
                for (int j = 0; j < H; j++) {
                    // Not when they are loaded: that would wait for them.
                    const float low = SHAPE::inverse ? args.scale[2 * r] : 1.0f;
                    const float high = SHAPE::inverse ? args.scale[2 * r + 1] : 1.0f;
                    window[r][0][0][j] = flight[d][r][0][j] * low;
                    window[r][0][1][j] = flight[d][r][1][j] * high;
                }
                // At the end the last row again, which costs less than a branch.
                wp_load_row<SHAPE, V>(args, column, 2 * min(t + D, stop - 1) + r, loads_wide,
                                      place, flight[d][r][0], flight[d][r][1]);
            }
#pragma unroll
            for (int r = 0; r < 2; r++)
                wp_lift<SHAPE, H>(args.table, SHAPE::steps, H, window[r][0][0], window[r][0][1],
                                  wp_lanes{H});
            wp_each<0, SHAPE::steps>([&](auto step) {
                constexpr int s = decltype(step)::value;
                constexpr int from = SHAPE::kmin(s), taps = SHAPE::kmax(s) - from + 1;
                constexpr int lag = SHAPE::lag(s), target = SHAPE::is_predict(s);
#pragma unroll
                for (int k = 0; k < taps; k++)
#pragma unroll
                    for (int p = 0; p < 2; p++)
#pragma unroll
                        for (int j = 0; j < H; j++)
                            window[target][lag][p][j] +=
                                args.table.c[s][k] * window[1 - target][lag - k - from][p][j];
            });
            const int n = t - SHAPE::last;
            if (n >= first) {
                const float *const rows[2][2] = {
                    {window[0][SHAPE::last][0], window[0][SHAPE::last][1]},
                    {window[1][SHAPE::last][0], window[1][SHAPE::last][1]}};
                wp_store_pair<SHAPE, V, EDGE>(args, column, n, stores_wide, writes, rows);
            }
        }
    }
}

// Grid: strips over blockDim.y warps a block, times groups of args.pairs row pairs. WIDE: the
// bands can be accessed V/2 elements at a time. RESIDENT: blocks that a multiprocessor is to hold.
template <class SHAPE, int V, int D, int RESIDENT, bool WIDE>
__global__ void __launch_bounds__(128, RESIDENT)
wp_lifting_kernel(const __grid_constant__ wp_lifting_args<SHAPE> args)
{
    constexpr int HALO = wp_halo<SHAPE, V>(), STRIP = wp_strip<SHAPE, V>();
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    const int lane = (int)threadIdx.x;
    const int begin = (int)(blockIdx.x * blockDim.y + threadIdx.y) * STRIP - HALO * V;
    if (begin + HALO * V >= args.width)
        return;
    const int column = begin + lane * V;
    const bool writes = lane >= HALO && lane < 32 - HALO;
    if (begin < 0 || begin + 32 * V > args.width || (SHAPE::inverse && !WIDE))
        wp_walk<SHAPE, V, D, WIDE, true>(args, column, writes);
    else
        wp_walk<SHAPE, V, D, WIDE, false>(args, column, writes);
}

#endif
