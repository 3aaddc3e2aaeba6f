// Four levels of a wavelet that stays inside its pairs of samples (Haar) in one launch (quan2016,
// section 4.6): a warp computes 256 columns of 16 rows and keeps the LL bands in registers.
//
// Each lane has 8 columns, so 4, 2 and 1 values of the bands of levels 1 to 3; at level 4 the lanes
// of a pair have the even and the odd sample.
#include "cuda_launch.cuh"

namespace {

enum { LEVELS = 4, LANE_COLUMNS = 8, BLOCK = 1 << LEVELS };

struct fused_args {
    int width, pitch;
    float *plane;
    wp_cuda_band band[LEVELS][WP_BAND_COUNT];
    float scale[LEVELS][WP_BAND_COUNT];
    float c[2]; // of the two steps, in order of execution
    float round[2]; // of reversible levels
};

// Writes a lane's 8 columns. Lanes of a pair exchange halves first, so that stores fill sectors.
__device__ __forceinline__ void write_columns(float *line, int lane, bool in, const float *v)
{
    const bool odd = lane & 1;
    float mine[4], first[4], second[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        mine[i] = __shfl_xor_sync(WP_WARP, odd ? v[i] : v[4 + i], 1);
        first[i] = odd ? mine[i] : v[i];
        second[i] = odd ? v[4 + i] : mine[i];
    }
    // First the columns of the even lane, then those of the odd one.
    if (in) {
        wp_write<4>(line - (odd ? 4 : 0), first);
        wp_write<4>(line + (odd ? 4 : 8), second);
    }
}

// Adds the contribution of step s to its target.
template <bool ROUNDS>
__device__ __forceinline__ void lift(const fused_args &args, int s, float &target, float source)
{
    target += args.c[s] * source;
    if constexpr (ROUNDS)
        target = floorf(target + args.round[s]);
}

// Transforms one pair of samples in place.
template <bool ROUNDS>
__device__ __forceinline__ void split(const fused_args &args, float &even, float &odd)
{
    lift<ROUNDS>(args, 0, odd, even);
    lift<ROUNDS>(args, 1, even, odd);
}

template <bool ROUNDS>
__device__ __forceinline__ void merge(const fused_args &args, float &even, float &odd)
{
    lift<ROUNDS>(args, 0, even, odd);
    lift<ROUNDS>(args, 1, odd, even);
}

// quad[1] is the neighbor of quad[0] along x, quad[2] along y. Order: x, then y; if steps round,
// y, then x (wp_lifting_y_first()).
template <bool ROUNDS>
__device__ __forceinline__ void split_quad(const fused_args &args, float *quad)
{
    constexpr int first = ROUNDS ? 2 : 1, then = 3 - first;
    split<ROUNDS>(args, quad[0], quad[first]);
    split<ROUNDS>(args, quad[then], quad[3]);
    split<ROUNDS>(args, quad[0], quad[then]);
    split<ROUNDS>(args, quad[first], quad[3]);
}

template <bool ROUNDS>
__device__ __forceinline__ void merge_quad(const fused_args &args, float *quad)
{
    constexpr int first = ROUNDS ? 1 : 2, then = 3 - first;
    merge<ROUNDS>(args, quad[0], quad[first]);
    merge<ROUNDS>(args, quad[then], quad[3]);
    merge<ROUNDS>(args, quad[0], quad[then]);
    merge<ROUNDS>(args, quad[first], quad[3]);
}

// Address of row y of a band.
__device__ __forceinline__ float *get_band(const fused_args &args, int level, int b, int y)
{
    const wp_cuda_band &band = args.band[level - 1][b];
    return band.data + (ptrdiff_t)y * band.step_y;
}

// Computes row y of LL of level L, 8 >> L values, from the plane, and writes the other bands of
// levels 1 to L.
template <int L, bool ROUNDS>
struct forward_row {
    static constexpr int N = LANE_COLUMNS >> L;

    static __device__ __forceinline__ void get(const fused_args &args, int column, int y, bool in,
                                               float *low)
    {
        float row[2][2 * N] = {}, out[WP_BAND_COUNT][N];
        forward_row<L - 1, ROUNDS>::get(args, column, 2 * y, in, row[0]);
        forward_row<L - 1, ROUNDS>::get(args, column, 2 * y + 1, in, row[1]);
#pragma unroll
        for (int i = 0; i < N; i++) {
            float quad[4] = {row[0][2 * i], row[0][2 * i + 1], row[1][2 * i], row[1][2 * i + 1]};
            split_quad<ROUNDS>(args, quad);
#pragma unroll
            for (int b = 0; b < WP_BAND_COUNT; b++)
                out[b][i] = quad[b] * args.scale[L - 1][b];
        }
#pragma unroll
        for (int b = 1; b < WP_BAND_COUNT; b++)
            if (in)
                wp_write<N>(get_band(args, L, b, y) + (column >> L), out[b]);
#pragma unroll
        for (int i = 0; i < N; i++)
            low[i] = out[0][i];
    }
};

template <bool ROUNDS>
struct forward_row<0, ROUNDS> {
    static __device__ __forceinline__ void get(const fused_args &args, int column, int y, bool in,
                                               float *low)
    {
        if (in)
            wp_read<LANE_COLUMNS>(args.plane + (ptrdiff_t)y * args.pitch + column, low);
    }
};

template <bool ROUNDS>
__global__ void __launch_bounds__(128) fused_forward(const __grid_constant__ fused_args args)
{
    const int lane = (int)threadIdx.x;
    const int column = ((int)(blockIdx.x * blockDim.y + threadIdx.y) * 32 + lane) * LANE_COLUMNS;
    const int y = (int)blockIdx.y;
    const bool in = column < args.width;
    float quad[4] = {};
    forward_row<3, ROUNDS>::get(args, column, 2 * y, in, &quad[0]);
    forward_row<3, ROUNDS>::get(args, column, 2 * y + 1, in, &quad[2]);
    quad[1] = __shfl_down_sync(WP_WARP, quad[0], 1);
    quad[3] = __shfl_down_sync(WP_WARP, quad[2], 1);
    split_quad<ROUNDS>(args, quad);
    if (in && lane % 2 == 0) {
#pragma unroll
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            const float value = quad[b] * args.scale[LEVELS - 1][b];
            wp_write<1>(get_band(args, LEVELS, b, y) + column / BLOCK, &value);
        }
    }
}

// Computes and writes the samples that belong to row y of LL of level L.
template <int L, bool ROUNDS>
struct inverse_row {
    static constexpr int N = LANE_COLUMNS >> L;

    static __device__ __forceinline__ void put(const fused_args &args, int lane, int column, int y,
                                               bool in, const float *low)
    {
        float in_band[WP_BAND_COUNT][N] = {}, row[2][2 * N];
#pragma unroll
        for (int i = 0; i < N; i++)
            in_band[0][i] = low[i];
#pragma unroll
        for (int b = 1; b < WP_BAND_COUNT; b++)
            if (in)
                wp_read<N>(get_band(args, L, b, y) + (column >> L), in_band[b]);
#pragma unroll
        for (int i = 0; i < N; i++) {
            float quad[4];
#pragma unroll
            for (int b = 0; b < WP_BAND_COUNT; b++)
                quad[b] = in_band[b][i] * args.scale[L - 1][b];
            merge_quad<ROUNDS>(args, quad);
            row[0][2 * i] = quad[0], row[0][2 * i + 1] = quad[1];
            row[1][2 * i] = quad[2], row[1][2 * i + 1] = quad[3];
        }
        inverse_row<L - 1, ROUNDS>::put(args, lane, column, 2 * y, in, row[0]);
        inverse_row<L - 1, ROUNDS>::put(args, lane, column, 2 * y + 1, in, row[1]);
    }
};

template <bool ROUNDS>
struct inverse_row<0, ROUNDS> {
    static __device__ __forceinline__ void put(const fused_args &args, int lane, int column, int y,
                                               bool in, const float *low)
    {
        float *line = args.plane + (ptrdiff_t)y * args.pitch + column;
        write_columns(line, lane, in, low);
    }
};

template <bool ROUNDS>
__global__ void __launch_bounds__(128) fused_inverse(const __grid_constant__ fused_args args)
{
    const int lane = (int)threadIdx.x;
    const int column = ((int)(blockIdx.x * blockDim.y + threadIdx.y) * 32 + lane) * LANE_COLUMNS;
    const int y = (int)blockIdx.y;
    const bool in = column < args.width;
    float quad[4] = {};
    if (in) {
#pragma unroll
        for (int b = 0; b < WP_BAND_COUNT; b++)
            quad[b] = __ldg(get_band(args, LEVELS, b, y) + column / BLOCK) *
                      args.scale[LEVELS - 1][b];
    }
    merge_quad<ROUNDS>(args, quad);
    // Both lanes of a pair computed the same quad; each uses one half.
    const bool odd = lane & 1;
    const float up = odd ? quad[1] : quad[0], down = odd ? quad[3] : quad[2];
    inverse_row<3, ROUNDS>::put(args, lane, column, 2 * y, in, &up);
    inverse_row<3, ROUNDS>::put(args, lane, column, 2 * y + 1, in, &down);
}

} // namespace

int wp_cuda_fused_levels(const struct wp_cuda_level *levels, int count)
{
    if (count < LEVELS || !wp_stays_in_pairs(*levels, false) || levels->width % BLOCK ||
        levels->height % BLOCK)
        return 0;
    for (int l = 0; l < LEVELS; l++)
        for (int b = 0; b < WP_BAND_COUNT; b++)
            if (!wp_band_is_wide(levels[l].band[b]))
                return 0;
    return LEVELS;
}

int wp_cuda_fused_run(const struct wp_cuda_level *levels, int count)
{
    if (count != LEVELS)
        return cudaErrorInvalidValue;
    fused_args args = {};
    args.width = levels->width;
    args.pitch = levels->pitch;
    args.plane = levels->plane;
    for (int l = 0; l < LEVELS; l++) {
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            args.band[l][b] = levels[l].band[b];
            args.scale[l][b] = levels[l].scale[b];
        }
    }
    for (int s = 0; s < 2; s++) {
        args.c[s] = levels->step[s].c[0];
        args.round[s] = levels->step[s].round;
    }
    const int columns = 32 * LANE_COLUMNS, warps = 4;
    const dim3 grid = wp_grid({columns * warps, BLOCK}, levels->width, levels->height);
    const bool rounds = levels->reversible;
    const auto kernel = levels->inverse ? rounds ? fused_inverse<true> : fused_inverse<false>
                                        : rounds ? fused_forward<true> : fused_forward<false>;
    kernel<<<grid, dim3(32, warps), 0, wp_stream(*levels)>>>(args);
    return cudaGetLastError();
}
