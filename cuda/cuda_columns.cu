// Lifting only along z: a thread processes one or four columns of samples, through all slices or a
// range of them. Samples are fetched ahead into a ring in shared memory; each thread accesses only
// its own elements, so no barrier is needed.
#include "cuda_access.cuh"
#include "cuda_chain.cuh"
#include "cuda_internal.h"
#include "cuda_launch.cuh"

namespace {

// Arrays per launch; rows per block; pairs of slices in the ring.
enum { COLUMNS_MAX = 4, ROWS = 4, RING = 2 };

template <class SHAPE>
struct column_args {
    wp_cuda_column column[COLUMNS_MAX];
    int count, depth, extension;
    int pairs, runs; // pairs of slices per thread, and number of such ranges
    typename SHAPE::table table;
};

template <int V>
__device__ __forceinline__ void fetch(const float *from, ptrdiff_t step_x, int count, float *to)
{
    if (V > 1 && count >= V) {
        wp_fetch<V>(to, from);
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < count)
                wp_fetch<1>(to + i, from + i * step_x);
    }
}

template <int V>
__device__ __forceinline__ void write(float *to, ptrdiff_t step_x, int count, const float *v)
{
    if (V > 1 && count >= V) {
        wp_write<V>(to, v);
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < count)
                to[i * step_x] = v[i];
    }
}

// One line along z of the samples, or of the coefficients of one parity.
struct line {
    float *data;
    ptrdiff_t step_x, step_z;
    __device__ line(const wp_cuda_band &band, int x, int y)
        : data(band.data + x * band.step_x + y * band.step_y), step_x(band.step_x),
          step_z(band.step_z)
    {
    }
};

template <class SHAPE, int V>
__global__ void __launch_bounds__(32 * ROWS)
lift_columns(const __grid_constant__ column_args<SHAPE> args)
{
    using times = wp_times<SHAPE>;
    const wp_cuda_column &column = args.column[blockIdx.z % args.count];
    const int x = V * (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= column.width || y >= column.height)
        return;
    const int count = column.width - x;
    const line samples(column.samples, x, y);
    const line band[2] = {line(column.band[0], x, y), line(column.band[1], x, y)};
    const float scale[2] = {column.scale[0], column.scale[1]};
    const int first = (int)(blockIdx.z / args.count) * args.pairs;
    const int end = min(first + args.pairs, (args.depth + 1) / 2);

    const int begin = first - SHAPE::reach_low, stop = end + times::pairs_after;
    // Pairs of slices of the samples, or of low and high coefficients.
    __shared__ __align__(16) float ring[RING][2][ROWS][32][V];
    const auto fetch_pair = [&](int t, int slot) {
#pragma unroll
        for (int odd = 0; odd < 2 && t < stop; odd++) {
            float *to = ring[slot][odd][threadIdx.y][threadIdx.x];
            const int z = wp_device_extend(args.extension, 2 * t + odd, args.depth);
            const line &from = SHAPE::inverse ? band[odd] : samples;
            const float *slice = from.data + (SHAPE::inverse ? z / 2 : z) * from.step_z;
            if (z >= 0)
                fetch<V>(slice, from.step_x, count, to);
            else
#pragma unroll
                for (int i = 0; i < V; i++)
                    to[i] = 0.0f;
        }
        wp_fetch_end();
    };
    const auto put = [&](int n, int odd, float *v) {
        if (n < first || n >= end || 2 * n + odd >= args.depth)
            return;
        if constexpr (SHAPE::inverse) {
            write<V>(samples.data + (2 * n + odd) * samples.step_z, samples.step_x, count, v);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                v[i] *= scale[odd];
            write<V>(band[odd].data + n * band[odd].step_z, band[odd].step_x, count, v);
        }
    };

    wp_chain<SHAPE, V> chain = {};
#pragma unroll
    for (int i = 0; i < RING; i++)
        fetch_pair(begin + i, i);
    int slot = 0;
#pragma unroll 1
    for (int t = begin; t < stop; t++) {
        wp_fetch_wait<RING - 1>();
        float slice[2][V];
#pragma unroll
        for (int odd = 0; odd < 2; odd++)
#pragma unroll
            for (int i = 0; i < V; i++)
                slice[odd][i] = ring[slot][odd][threadIdx.y][threadIdx.x][i] *
                                (SHAPE::inverse ? scale[odd] : 1.0f);
        fetch_pair(t + RING, slot);
        slot = slot + 1 == RING ? 0 : slot + 1;
        wp_each<0, 2>([&](auto parity) {
            constexpr int now = decltype(parity)::value;
            float value[2][V];
#pragma unroll
            for (int i = 0; i < V; i++)
                value[now][i] = slice[now][i];
            chain.template push<now>(args.table, value);
            if constexpr (times::is_now(0, now))
                put(times::result(0, now, t), 0, value[0]);
            if constexpr (times::is_now(1, now))
                put(times::result(1, now, t), 1, value[1]);
        });
    }
}

template <class SHAPE, int V>
cudaError_t launch(const wp_cuda_level &level, const wp_cuda_column *column, int count)
{
    // Threads that saturate the memory bandwidth of current GPUs, and pairs of slices that
    // compensate for the pairs that two ranges read.
    constexpr double ENOUGH = 1 << 16;
    constexpr int LEAST = 32;
    column_args<SHAPE> args = {};
    int width = 0, height = 0;
    double threads = 0;
    for (int i = 0; i < count; i++) {
        args.column[i] = column[i];
        width = column[i].width > width ? column[i].width : width;
        height = column[i].height > height ? column[i].height : height;
        threads += (double)column[i].width * column[i].height / V;
    }
    if (width == 0 || height == 0)
        return cudaSuccess;
    const int pairs = (level.depth + 1) / 2;
    const int most = wp_divide_up(pairs, LEAST);
    const double saturating = ENOUGH / (threads + 1) + 1;
    args.runs = saturating < most ? (int)saturating : most;
    args.pairs = wp_divide_up(pairs, args.runs);
    args.count = count;
    args.depth = level.depth;
    args.extension = level.extension;
    SHAPE::fill(level, &args.table);
    const dim3 grid((unsigned)wp_divide_up(width, 32 * V), (unsigned)wp_divide_up(height, ROWS),
                    (unsigned)(count * args.runs));
    lift_columns<SHAPE, V><<<grid, dim3(32, ROWS), 0, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

} // namespace

int wp_cuda_columns_run(const struct wp_cuda_level *level, const struct wp_cuda_column *column,
                        int count)
{
    bool wide = true;
    for (int i = 0; i < count; i++)
        wide = wide && wp_band_is_wide(column[i].samples) && wp_band_is_wide(column[i].band[0]) &&
               wp_band_is_wide(column[i].band[1]);
    if (count > COLUMNS_MAX)
        return cudaErrorInvalidValue;
    return wp_if_covered(*level, cudaErrorInvalidValue, [&](auto shape) {
        using SHAPE = decltype(shape);
        return wide ? launch<SHAPE, 4>(*level, column, count)
                    : launch<SHAPE, 1>(*level, column, count);
    });
}
