// Kernels of quan2016, section 4: a block of threads loads a tile of a level with a halo, applies
// all lifting steps and writes the results that the halo makes correct. The kernels differ in where
// samples are between the steps.
//
// Sizes are in pairs of samples. A tile of X x Y pairs yields (X - low - high) x (Y - low - high)
// pairs, where `low` and `high` are the total reach of the steps to lower and higher indices.
// Samples outside the image are extended (wp_device_extend()).
#ifndef WP_CUDA_TILE_CUH
#define WP_CUDA_TILE_CUH

#include "cuda_internal.h"
#include "cuda_launch.cuh"
#include "cuda_surface.cuh"

template <class W>
struct wp_tile_args {
    wp_frame frame;
    int low, high;        // reach in pairs; for fixed shapes, of the shape
    int steps_x, steps_y; // lifting steps along each axis; 0 if it has one sample
    int rows;             // of samples per thread, if it is not a template argument
    typename W::table table;
    wp_cuda_shared shared; // {0} if both operands are in linear memory
};

template <class W>
wp_tile_args<W> wp_make_tile_args(const wp_cuda_level &level, const wp_cuda_tile &tile)
{
    wp_tile_args<W> args = {};
    args.frame = wp_make_frame(level);
    args.low = level.reach_low;
    args.high = level.reach_high;
    if constexpr (W::fixed) {
        args.low = W::reach_low;
        args.high = W::reach_high;
    }
    args.steps_x = level.width > 1 ? level.steps : 0;
    args.steps_y = level.height > 1 ? level.steps : 0;
    args.rows = tile.rows;
    W::fill(level, &args.table);
    return args;
}

// The grid that covers a level with tiles of `across` x `down` pairs, halo included.
template <class W>
dim3 wp_tile_grid(const wp_tile_args<W> &args, int across, int down)
{
    const int reach = args.low + args.high;
    const int pairs_x = (args.frame.width + 1) / 2, pairs_y = (args.frame.height + 1) / 2;
    const int x = across - reach, y = down - reach;
    return dim3((unsigned)wp_divide_up(pairs_x, x), (unsigned)wp_divide_up(pairs_y, y));
}

// As wp_with_shape(), for levels of images. OF: wp_rounded or wp_unrounded.
template <template <class> class OF = wp_unrounded, class F>
cudaError_t wp_with_tile_shape(const wp_cuda_level &level, F f)
{
    // An axis of one sample has no lifting steps; fixed shapes have steps along both axes.
    if (level.width < 2 || level.height < 2)
        return level.inverse ? f(OF<wp_any<true>>{}) : f(OF<wp_any<false>>{});
    return wp_with_shape(level, [&](auto shape) { return f(OF<decltype(shape)>{}); });
}

using wp_linear = wp_quad_layout<false, false>;

// The reach, a constant for fixed shapes.
template <class W>
__device__ __forceinline__ int wp_low(const wp_tile_args<W> &args)
{
    if constexpr (W::fixed)
        return W::reach_low;
    else
        return args.low;
}

template <class W>
__device__ __forceinline__ int wp_high(const wp_tile_args<W> &args)
{
    if constexpr (W::fixed)
        return W::reach_high;
    else
        return args.high;
}

// Calls f(s) for each step; s is a constant for fixed shapes.
template <class W, class F>
__device__ __forceinline__ void wp_each_step(int steps, F &&f)
{
    if constexpr (W::fixed)
        wp_each<0, W::steps>([&](auto s) { f(decltype(s)::value); });
    else
        for (int s = 0; s < steps; s++)
            f(s);
}

// A tile in shared memory. In each row, columns of even samples precede those of odd samples, so
// that loads and steps have no bank conflicts.
struct wp_shared_tile {
    float *data;
    int across, rows; // pairs per row, and rows of samples
    __device__ float &at(int row, int parity, int p) const
    {
        return data[(row * 2 + parity) * across + p];
    }
    // The nearest pair inside the tile. Results that depend on pairs outside are not written.
    __device__ int clamp_x(int p) const { return min(max(p, 0), across - 1); }
    __device__ int clamp_y(int n) const { return min(max(n, 0), rows / 2 - 1); }
};

template <class W>
__device__ __forceinline__ void wp_load_tile(const wp_tile_args<W> &args,
                                             const wp_shared_tile &tile, int first_x, int first_y)
{
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int threads = (int)(blockDim.x * blockDim.y);
    for (int i = thread; i < tile.rows * tile.across; i += threads) {
        const int row = i / tile.across, p = i % tile.across;
        const float2 pair = wp_get_pair<W::inverse>(
            args.frame, wp_find_pair(args.frame, first_x + p), 2 * first_y + row);
        tile.at(row, 0, p) = pair.x;
        tile.at(row, 1, p) = pair.y;
    }
    __syncthreads();
}

template <class W>
__device__ __forceinline__ void wp_store_tile(const wp_tile_args<W> &args,
                                              const wp_shared_tile &tile, int first_x, int first_y)
{
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int threads = (int)(blockDim.x * blockDim.y);
    const int across = tile.across - wp_low(args) - wp_high(args);
    const int rows = tile.rows - 2 * (wp_low(args) + wp_high(args));
    for (int i = thread; i < rows * across; i += threads) {
        const int row = i / across, p = i % across;
        wp_put_pair<W::inverse>(args.frame, first_x + wp_low(args) + p,
                                2 * (first_y + wp_low(args)) + row,
                                tile.at(row + 2 * wp_low(args), 0, p + wp_low(args)),
                                tile.at(row + 2 * wp_low(args), 1, p + wp_low(args)));
    }
}

extern __shared__ float wp_shared[];

enum { WP_BLOCK_X = 32, WP_BLOCK_Y = 16 }; // threads of the blocks of `smem` and `reg`

// `smem`: one thread per sample, all samples in shared memory, a barrier after each step; in each
// step the threads of the other parity are idle (section 4.1, figure 7 a).
template <class W>
__global__ void __launch_bounds__(512) wp_smem_kernel(const __grid_constant__ wp_tile_args<W> args)
{
    const int thread = (int)(threadIdx.y * WP_BLOCK_X + threadIdx.x);
    const int threads = WP_BLOCK_X * WP_BLOCK_Y, reach = wp_low(args) + wp_high(args);
    const wp_shared_tile tile = {wp_shared, WP_BLOCK_X / 2 + reach,
                                 WP_BLOCK_Y + 2 * reach};
    const int first_x = (int)blockIdx.x * WP_BLOCK_X / 2 - wp_low(args);
    const int first_y = (int)blockIdx.y * WP_BLOCK_Y / 2 - wp_low(args);
    wp_load_tile(args, tile, first_x, first_y);
    wp_each_step<W>(args.steps_x, [&](int s) {
        for (int i = thread; i < 2 * tile.rows * tile.across; i += threads) {
            const int row = i / (2 * tile.across), x = i % (2 * tile.across);
            if ((x & 1) == W::is_predict(s))
                wp_lift_at<W>(
                    args.table, s, x / 2,
                    [&](int odd, int p) { return tile.at(row, odd, tile.clamp_x(p)); },
                    [&](int odd, int p, float sum) { tile.at(row, odd, p) += sum; });
        }
        __syncthreads();
    });
    wp_each_step<W>(args.steps_y, [&](int s) {
        for (int i = thread; i < 2 * tile.rows * tile.across; i += threads) {
            const int row = i / (2 * tile.across), x = i % (2 * tile.across);
            if ((row & 1) == W::is_predict(s))
                wp_lift_at<W>(
                    args.table, s, row / 2,
                    [&](int odd, int n) {
                        return tile.at(2 * tile.clamp_y(n) + odd, x & 1, x / 2);
                    },
                    [&](int odd, int n, float sum) { tile.at(2 * n + odd, x & 1, x / 2) += sum; });
        }
        __syncthreads();
    });
    wp_store_tile(args, tile, first_x, first_y);
}

// The pairs -low..high around a pair, on which it depends, lifted in registers. Results that depend
// on pairs outside are not used.
template <class W>
struct wp_pair_ring {
    static constexpr int fixed_pairs()
    {
        if constexpr (W::fixed)
            return W::reach_low + W::reach_high + 1;
        else
            return WP_CUDA_TAPS_MAX;
    }
    static constexpr int N = fixed_pairs();
    float even[N], odd[N];

    template <class READ>
    __device__ __forceinline__ void lift(const wp_tile_args<W> &args, int steps, READ read)
    {
        const int low = wp_low(args), pairs = low + wp_high(args) + 1;
#pragma unroll(W::fixed ? N : 1)
        for (int i = 0; i < N; i++) {
            if (!W::fixed && i >= pairs)
                break;
            even[i] = read(0, i - low);
            odd[i] = read(1, i - low);
        }
        wp_lift<W, N>(args.table, steps, pairs, even, odd, wp_clamped{W::fixed ? N : pairs});
    }
};

// `reg`: a thread loads all pairs on which its pair depends into registers and applies all steps
// there, so that there is one barrier per axis (section 4.2, figure 7 b). Threads recompute pairs
// that they share.
template <class W>
__global__ void __launch_bounds__(512) wp_reg_kernel(const __grid_constant__ wp_tile_args<W> args)
{
    const int thread = (int)(threadIdx.y * WP_BLOCK_X + threadIdx.x);
    const int threads = WP_BLOCK_X * WP_BLOCK_Y, reach = wp_low(args) + wp_high(args);
    const int across = WP_BLOCK_X / 2;
    const wp_shared_tile tile = {wp_shared, across + reach, WP_BLOCK_Y + 2 * reach};
    const wp_shared_tile between = {wp_shared + 2 * tile.rows * tile.across, across, tile.rows};
    const int first_x = (int)blockIdx.x * across - wp_low(args);
    const int first_y = (int)blockIdx.y * WP_BLOCK_Y / 2 - wp_low(args);
    wp_load_tile(args, tile, first_x, first_y);
    wp_pair_ring<W> row_buffer;
    const int at = wp_low(args);
    for (int i = thread; i < tile.rows * across; i += threads) {
        const int row = i / across, p = i % across;
        row_buffer.lift(args, args.steps_x,
                    [&](int odd, int k) { return tile.at(row, odd, p + wp_low(args) + k); });
        between.at(row, 0, p) = row_buffer.even[at];
        between.at(row, 1, p) = row_buffer.odd[at];
    }
    __syncthreads();
    for (int i = thread; i < WP_BLOCK_Y * across; i += threads) {
        const int x = i % (2 * across), n = i / (2 * across);
        row_buffer.lift(args, args.steps_y, [&](int odd, int k) {
            return between.at(2 * (n + wp_low(args) + k) + odd, x & 1, x / 2);
        });
        const int column = 2 * (first_x + wp_low(args)) + x;
        const int line = 2 * (first_y + wp_low(args) + n);
        if (column < args.frame.width && line < args.frame.height)
            wp_put<W::inverse>(args.frame, column, line, row_buffer.even[at]);
        if (column < args.frame.width && line + 1 < args.frame.height)
            wp_put<W::inverse>(args.frame, column, line + 1, row_buffer.odd[at]);
    }
}

// `ilp`: each thread has a quad of the tile, so none is idle in any step (section 4.3, figure 8).
// The halo is inside the tile of 2 blockDim.x x 2 blockDim.y samples.
template <class W>
__global__ void __launch_bounds__(640) wp_ilp_kernel(const __grid_constant__ wp_tile_args<W> args)
{
    const int reach = wp_low(args) + wp_high(args);
    const int px = (int)threadIdx.x, py = (int)threadIdx.y;
    const wp_shared_tile tile = {wp_shared, (int)blockDim.x, 2 * (int)blockDim.y};
    const int first_x = (int)blockIdx.x * ((int)blockDim.x - reach) - wp_low(args);
    const int first_y = (int)blockIdx.y * ((int)blockDim.y - reach) - wp_low(args);
    const wp_columns columns = wp_find_pair(args.frame, first_x + px);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float2 pair =
            wp_get_pair<W::inverse>(args.frame, columns, 2 * (first_y + py) + r);
        tile.at(2 * py + r, 0, px) = pair.x;
        tile.at(2 * py + r, 1, px) = pair.y;
    }
    __syncthreads();
    wp_each_step<W>(args.steps_x, [&](int s) {
#pragma unroll
        for (int r = 0; r < 2; r++)
            wp_lift_at<W>(
                args.table, s, px,
                [&](int odd, int p) { return tile.at(2 * py + r, odd, tile.clamp_x(p)); },
                [&](int odd, int p, float sum) { tile.at(2 * py + r, odd, p) += sum; });
        __syncthreads();
    });
    wp_each_step<W>(args.steps_y, [&](int s) {
#pragma unroll
        for (int c = 0; c < 2; c++)
            wp_lift_at<W>(
                args.table, s, py,
                [&](int odd, int n) { return tile.at(2 * tile.clamp_y(n) + odd, c, px); },
                [&](int odd, int n, float sum) { tile.at(2 * n + odd, c, px) += sum; });
        __syncthreads();
    });
    if (px < wp_low(args) || px >= (int)blockDim.x - wp_high(args) || py < wp_low(args) ||
        py >= (int)blockDim.y - wp_high(args))
        return;
#pragma unroll
    for (int r = 0; r < 2; r++)
        wp_put_pair<W::inverse>(args.frame, first_x + px, 2 * (first_y + py) + r,
                                tile.at(2 * py + r, 0, px), tile.at(2 * py + r, 1, px));
}

// `warp` and `hybrid` (sections 4.4, 4.5; Full-Shuffles and Semi-Shuffles in figure 9). A warp has
// R rows of samples, one pair of columns per lane, and lifts them with shuffles. The tile of 64
// columns is transposed through shared memory: for the vertical steps a thread has R pairs of one
// column, and blockDim.y / 2 adjacent lanes have a column. R = 1 is Full-Shuffles. ROWS: R, or 0 if
// it is an argument. R is even if quads are read or written.
template <class W, int ROWS, class LAYOUT = wp_linear>
__global__ void __launch_bounds__(1024)
wp_block_kernel(const __grid_constant__ wp_tile_args<W> args)
{
    constexpr int MOST = ROWS ? ROWS : WP_CUDA_ROWS_MAX, UNROLL = ROWS ? ROWS : 1;
    constexpr int PITCH = 65;
    const int R = ROWS ? ROWS : args.rows;
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y, warps = (int)blockDim.y;
    const int reach = wp_low(args) + wp_high(args), pairs = warps * R / 2;
    const int first_x = (int)blockIdx.x * (32 - reach) - wp_low(args);
    const int first_y = (int)blockIdx.y * (pairs - reach) - wp_low(args);
    const wp_columns columns = wp_find_pair(args.frame, first_x + lane);
    float even[MOST], odd[MOST];
    // The rows of this warp. Adjacent rows of quads share sectors of a surface; in surfaces,
    // adjacent warps therefore access adjacent rows.
    constexpr bool QUADS = LAYOUT::loads_quads || LAYOUT::stores_quads;
    const auto row = [&](int r) {
        return QUADS ? 2 * (warp + r / 2 * warps) + r % 2 : warp * R + r;
    };
    if constexpr (LAYOUT::loads_quads) {
#pragma unroll
        for (int r = 0; r < MOST; r += 2) {
            const float4 q = wp_get_quad<W::inverse>(args.frame, args.shared, first_x + lane,
                                                     first_y + row(r) / 2);
            even[r] = q.x, odd[r] = q.y, even[r + 1] = q.z, odd[r + 1] = q.w;
        }
    } else {
#pragma unroll(UNROLL)
        for (int r = 0; r < MOST; r++) {
            if (!ROWS && r >= R)
                break;
            const float2 pair =
                wp_get_pair<W::inverse>(args.frame, columns, 2 * first_y + row(r));
            even[r] = pair.x, odd[r] = pair.y;
        }
    }
#pragma unroll(UNROLL)
    for (int r = 0; r < MOST; r++) {
        if (!ROWS && r >= R)
            break;
        if constexpr (!wp_y_first<W>)
            wp_lift<W, 1>(args.table, args.steps_x, 1, &even[r], &odd[r], wp_lanes{1});
        wp_shared[row(r) * PITCH + lane] = even[r];
        wp_shared[row(r) * PITCH + 32 + lane] = odd[r];
    }
    __syncthreads();
    const int lanes = warps / 2, column = warp * 32 / lanes + lane / lanes;
    const int from = lane % lanes * 2 * R;
#pragma unroll(UNROLL)
    for (int r = 0; r < MOST; r++) {
        if (!ROWS && r >= R)
            break;
        even[r] = wp_shared[(from + 2 * r) * PITCH + column];
        odd[r] = wp_shared[(from + 2 * r + 1) * PITCH + column];
    }
    // Lanes at the ends of a column receive values of the adjacent column, which affect only halo.
    wp_lift<W, MOST>(args.table, args.steps_y, R, even, odd, wp_lanes{R});
#pragma unroll(UNROLL)
    for (int r = 0; r < MOST; r++) {
        if (!ROWS && r >= R)
            break;
        wp_shared[(from + 2 * r) * PITCH + column] = even[r];
        wp_shared[(from + 2 * r + 1) * PITCH + column] = odd[r];
    }
    __syncthreads();
    if constexpr (wp_y_first<W>)
#pragma unroll(UNROLL)
        for (int r = 0; r < MOST; r++) {
            if (!ROWS && r >= R)
                break;
            float *at = &wp_shared[row(r) * PITCH + lane];
            wp_lift<W, 1>(args.table, args.steps_x, 1, at, at + 32, wp_lanes{1});
        }
    if (lane < wp_low(args) || lane >= 32 - wp_high(args))
        return;
    if constexpr (LAYOUT::stores_quads) {
#pragma unroll
        for (int r = 0; r < MOST; r += 2) {
            const float *at = &wp_shared[row(r) * PITCH + lane];
            const int n = row(r) / 2;
            if (n >= wp_low(args) && n < pairs - wp_high(args))
                wp_put_quad<W::inverse>(args.frame, args.shared, first_x + lane, first_y + n,
                                        make_float4(at[0], at[32], at[PITCH], at[PITCH + 32]));
        }
    } else {
#pragma unroll(UNROLL)
        for (int r = 0; r < MOST; r++) {
            if (!ROWS && r >= R)
                break;
            const int at = row(r);
            if (at >= 2 * wp_low(args) && at < 2 * (pairs - wp_high(args)))
                wp_put_pair<W::inverse>(args.frame, first_x + lane, 2 * first_y + at,
                                        wp_shared[at * PITCH + lane],
                                        wp_shared[at * PITCH + 32 + lane]);
        }
    }
}

// `full-register` (figure 9, right): a warp has a tile of 64 columns and PAIRS pairs of rows in
// registers, without shared memory and barriers.
template <class W, int PAIRS>
__global__ void __launch_bounds__(128)
wp_register_kernel(const __grid_constant__ wp_tile_args<W> args)
{
    constexpr int UNROLL = W::fixed ? 2 * PAIRS : 1;
    const int lane = (int)threadIdx.x, reach = wp_low(args) + wp_high(args);
    const int first_x = (int)blockIdx.x * (32 - reach) - wp_low(args);
    const int first_y =
        (int)(blockIdx.y * blockDim.y + threadIdx.y) * (PAIRS - reach) - wp_low(args);
    if (2 * (first_y + wp_low(args)) >= args.frame.height)
        return;
    const wp_columns columns = wp_find_pair(args.frame, first_x + lane);
    // v[column parity][row parity][pair].
    float v[2][2][PAIRS];
#pragma unroll(UNROLL)
    for (int i = 0; i < 2 * PAIRS; i++) {
        const float2 pair = wp_get_pair<W::inverse>(args.frame, columns, 2 * first_y + i);
        v[0][i & 1][i / 2] = pair.x, v[1][i & 1][i / 2] = pair.y;
    }
#pragma unroll(UNROLL)
    for (int i = 0; i < 2 * PAIRS; i++)
        wp_lift<W, 1>(args.table, args.steps_x, 1, &v[0][i & 1][i / 2], &v[1][i & 1][i / 2],
                      wp_lanes{1});
#pragma unroll(UNROLL)
    for (int c = 0; c < 2; c++)
        wp_lift<W, PAIRS>(args.table, args.steps_y, PAIRS, v[c][0], v[c][1], wp_clamped{PAIRS});
    if (lane < wp_low(args) || lane >= 32 - wp_high(args))
        return;
#pragma unroll(UNROLL)
    for (int i = 0; i < 2 * PAIRS; i++)
        if (i >= 2 * wp_low(args) && i < 2 * (PAIRS - wp_high(args)))
            wp_put_pair<W::inverse>(args.frame, first_x + lane, 2 * first_y + i,
                                    v[0][i & 1][i / 2], v[1][i & 1][i / 2]);
}

#endif
