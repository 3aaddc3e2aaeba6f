// The variant mixed-band (quan2016, sections 3.2 and 4.6; quan2014): wavelets that stay inside
// their pairs of samples, in place, up to four levels per launch; and the permutation from and to
// bands.
//
// A lane computes two levels of 4x4 samples in registers; the third level exchanges values of four
// lanes with shuffles, the fourth of sixteen. A warp has 8x4 lanes: 32x16 samples.
#include "cuda_internal.h"
#include "cuda_launch.cuh"

namespace {

enum { SIDE = 4, LANES_X = 8, LANES_Y = 4, FUSED = 4, WARPS = 4 };

struct mixed_args {
    const float *from;
    const float *low; // the coarsest LL band of an inverse; NULL: it is in `from`
    float *to;
    int pitch;        // of all three arrays
    int width, height; // of the image
    int first;         // level of the samples that are read: 0 is the image
    int count;         // levels of this launch, at most FUSED
    float c0, c1;      // of the two steps, in order of execution
    float scale[FUSED][WP_BAND_COUNT]; // of level first + 1 + l
};

// The size of a level along an axis of `n` samples.
__device__ __forceinline__ int size_at(int n, int level)
{
    return (n + (1 << level) - 1) >> level;
}

// Transforms one quad of a level in place. along_x, along_y: whether the axis is transformed.
__device__ __forceinline__ void transform_quad(const mixed_args &args, bool inverse, bool along_x,
                                               bool along_y, const float *scale, float &ll,
                                               float &hl, float &lh, float &hh)
{
    const float c0 = args.c0, c1 = args.c1;
    if (!inverse) {
        if (along_x) {
            hl += c0 * ll, ll += c1 * hl;
            hh += c0 * lh, lh += c1 * hh;
        }
        if (along_y) {
            lh += c0 * ll, ll += c1 * lh;
            hh += c0 * hl, hl += c1 * hh;
        }
    }
    ll *= scale[WP_BAND_LL], hl *= scale[WP_BAND_HL];
    lh *= scale[WP_BAND_LH], hh *= scale[WP_BAND_HH];
    if (inverse) {
        if (along_y) {
            ll += c0 * lh, lh += c1 * ll;
            hl += c0 * hh, hh += c1 * hl;
        }
        if (along_x) {
            ll += c0 * hl, hl += c1 * ll;
            lh += c0 * hh, hh += c1 * lh;
        }
    }
}

// A pair that a border cuts has only its low sample. Its detail is zero; forward this results from
// a copy of the low sample.
struct partial_quad {
    bool inverse, x, y; // the second column, the second row is missing
    __device__ __forceinline__ void fill(float ll, float &hl, float &lh, float &hh) const
    {
        if (x)
            hl = inverse ? 0.0f : ll, hh = inverse ? 0.0f : lh;
        if (y)
            lh = inverse ? 0.0f : ll, hh = inverse ? 0.0f : hl;
    }
};

__device__ __forceinline__ void transform(const mixed_args &args, bool inverse, int l, int x, int y,
                                          float &ll, float &hl, float &lh, float &hh)
{
    // x, y: position of the quad among the samples of its level.
    const int level = args.first + l;
    const int width = size_at(args.width, level), height = size_at(args.height, level);
    partial_quad{inverse, x + 1 >= width, y + 1 >= height}.fill(ll, hl, lh, hh);
    transform_quad(args, inverse, width > 1, height > 1, args.scale[l], ll, hl, lh, hh);
}

// Computes levels 3 and 4 of the samples v[0][0] of lanes that are 1 or 2 lanes apart.
__device__ __forceinline__ void transform_lanes(const mixed_args &args, bool inverse, int l,
                                                int lane_x, int lane_y, int x, int y, float &v)
{
    const int step = l == 2 ? 1 : 2;
    const int lane = lane_y * LANES_X + lane_x;
    const int base = lane & ~(step | step * LANES_X);
    float ll = __shfl_sync(WP_WARP, v, base), hl = __shfl_sync(WP_WARP, v, base + step);
    float lh = __shfl_sync(WP_WARP, v, base + step * LANES_X);
    float hh = __shfl_sync(WP_WARP, v, base + step * (LANES_X + 1));
    // The position of the quad among the samples of its level.
    const int quad_x = (x / SIDE & ~step) * SIDE >> l, quad_y = (y / SIDE & ~step) * SIDE >> l;
    transform(args, inverse, l, quad_x, quad_y, ll, hl, lh, hh);
    // At step 2 only lanes at multiples of 2 have a sample.
    if (lane % step == 0 && lane_y % step == 0)
        v = lane_y & step ? (lane_x & step ? hh : lh) : lane_x & step ? hl : ll;
}

template <bool INVERSE>
__global__ void __launch_bounds__(32 * WARPS) mixed(const __grid_constant__ mixed_args args)
{
    const int lane = (int)threadIdx.x;
    const int lane_x = lane % LANES_X, lane_y = lane / LANES_X;
    const int width = size_at(args.width, args.first), height = size_at(args.height, args.first);
    const int x = ((int)blockIdx.x * LANES_X + lane_x) * SIDE;
    const int y = (((int)blockIdx.y * WARPS + (int)threadIdx.y) * LANES_Y + lane_y) * SIDE;
    const ptrdiff_t row = (ptrdiff_t)args.pitch << args.first;
    const bool full = args.first == 0 && x + SIDE <= width;
    float v[SIDE][SIDE] = {};
#pragma unroll
    for (int r = 0; r < SIDE; r++) {
        if (y + r >= height)
            break;
        const float *line = args.from + (y + r) * row;
        if (full) {
            const float4 q = __ldg(reinterpret_cast<const float4 *>(line + x));
            v[r][0] = q.x, v[r][1] = q.y, v[r][2] = q.z, v[r][3] = q.w;
        } else {
#pragma unroll
            for (int c = 0; c < SIDE; c++)
                if (x + c < width)
                    v[r][c] = line[(ptrdiff_t)(x + c) << args.first];
        }
    }
    constexpr int TILE = 1 << FUSED;
    if (INVERSE && args.low && x % TILE == 0 && y % TILE == 0 && x < width && y < height)
        v[0][0] = args.low[y * row + ((ptrdiff_t)x << args.first)];
    const auto first = [&] {
#pragma unroll
        for (int r = 0; r < SIDE; r += 2)
#pragma unroll
            for (int c = 0; c < SIDE; c += 2)
                transform(args, INVERSE, 0, x + c, y + r, v[r][c], v[r][c + 1], v[r + 1][c],
                          v[r + 1][c + 1]);
    };
    const auto second = [&] {
        if (args.count > 1)
            transform(args, INVERSE, 1, x / 2, y / 2, v[0][0], v[0][2], v[2][0], v[2][2]);
    };
    const auto across_lanes = [&](int l) {
        if (args.count > l)
            transform_lanes(args, INVERSE, l, lane_x, lane_y, x, y, v[0][0]);
    };
    if constexpr (INVERSE)
        across_lanes(3), across_lanes(2), second(), first();
    else
        first(), second(), across_lanes(2), across_lanes(3);
#pragma unroll
    for (int r = 0; r < SIDE; r++) {
        if (y + r >= height)
            break;
        float *line = args.to + (y + r) * row;
        if (full) {
            __stcs(reinterpret_cast<float4 *>(line + x),
                   make_float4(v[r][0], v[r][1], v[r][2], v[r][3]));
        } else {
#pragma unroll
            for (int c = 0; c < SIDE; c++)
                if (x + c < width)
                    line[(ptrdiff_t)(x + c) << args.first] = v[r][c];
        }
    }
}

struct permute_args {
    float *mixed;
    int pitch, width, height, levels;
    wp_cuda_band band[WP_CUDA_LEVELS_MAX][WP_BAND_COUNT];
};

// Section 3.3: the low bits of a position determine level and band, the high bits the element. The
// paper rotates the bits for powers of two; counting trailing zeros works for any size.
template <bool TO_BANDS>
__global__ void permute(const __grid_constant__ permute_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= args.width || y >= args.height)
        return;
    const int level = min(min(__clz(__brev(x)), __clz(__brev(y))), args.levels - 1);
    const int b = (x >> level & 1) + 2 * (y >> level & 1);
    const wp_cuda_band &band = args.band[level][b];
    float *coefficient = band.data + (x >> (level + 1)) * band.step_x +
                         (y >> (level + 1)) * band.step_y;
    float *element = args.mixed + (ptrdiff_t)y * args.pitch + x;
    if (TO_BANDS)
        *coefficient = *element;
    else
        *element = *coefficient;
}

cudaError_t run_group(const wp_cuda_level *levels, int first, int count, const float *from,
                      const float *low, float *to)
{
    mixed_args args = {};
    args.from = from;
    args.low = low;
    args.to = to;
    args.pitch = levels->pitch;
    args.width = levels->width;
    args.height = levels->height;
    args.first = first;
    args.count = count;
    args.c0 = levels->step[0].count ? levels->step[0].c[0] : 0.0f;
    args.c1 = levels->step[1].count ? levels->step[1].c[0] : 0.0f;
    for (int l = 0; l < count; l++)
        for (int b = 0; b < WP_BAND_COUNT; b++)
            args.scale[l][b] = levels[first + l].scale[b];
    const wp_cuda_level &level = levels[first];
    const dim3 grid = wp_grid({SIDE * LANES_X, SIDE * LANES_Y * WARPS}, level.width, level.height);
    const auto kernel = levels->inverse ? mixed<true> : mixed<false>;
    kernel<<<grid, dim3(32, WARPS), 0, wp_stream(level)>>>(args);
    return cudaGetLastError();
}

cudaError_t run_permutation(const wp_cuda_level *levels, int count)
{
    permute_args args = {};
    args.mixed = levels->scratch;
    args.pitch = levels->pitch;
    args.width = levels->width;
    args.height = levels->height;
    args.levels = count;
    for (int l = 0; l < count; l++)
        for (int b = 0; b < WP_BAND_COUNT; b++)
            args.band[l][b] = levels[l].band[b];
    const dim3 block(32, 8);
    const auto kernel = levels->inverse ? permute<false> : permute<true>;
    kernel<<<wp_grid(block, args.width, args.height), block, 0, wp_stream(*levels)>>>(args);
    return cudaGetLastError();
}

} // namespace

bool wp_cuda_mixed_covers(const struct wp_cuda_level *level)
{
    return wp_stays_in_pairs(*level, true);
}

int wp_cuda_mixed_run(const struct wp_cuda_level *levels, int count, float *in_place)
{
    const bool inverse = levels->inverse;
    float *mixed = in_place ? in_place : levels->scratch;
    cudaError_t error = inverse && !in_place ? run_permutation(levels, count) : cudaSuccess;
    const int groups = (count + FUSED - 1) / FUSED;
    for (int i = 0; i < groups && error == cudaSuccess; i++) {
        // The image of a forward transform and the coefficients of an inverse must not change:
        // groups of levels of an inverse pass LL to the next one in the scratch plane.
        const int first = FUSED * (inverse ? groups - 1 - i : i);
        const int fused = count - first < FUSED ? count - first : FUSED;
        const float *from = !inverse && first == 0 ? levels->plane : mixed;
        const float *low = inverse && i > 0 ? levels->scratch : nullptr;
        float *to = !inverse ? mixed : first == 0 ? levels->plane : levels->scratch;
        error = run_group(levels, first, fused, from, low, to);
    }
    if (!inverse && !in_place && error == cudaSuccess)
        error = run_permutation(levels, count);
    return error;
}
