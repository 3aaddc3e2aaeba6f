// Haar in blocks of 8x8x8 (quan2014): up to three levels of a volume in one launch.
//
// A lane computes two levels of 4x4x4 samples in registers; the third level exchanges values of
// eight lanes with shuffles. A warp has 8x2x2 lanes: 32x8x8 samples. Coefficients are computed in
// place, so that complete rows are written in the mixed layout. Haar has no reach beyond its pairs;
// a pair that a border cuts repeats its last sample, so that its detail is zero.
#include "cuda_internal.h"
#include "cuda_launch.cuh"

namespace {

enum { FUSED = 3, SIDE = 4, LANES_X = 8, LANES_Y = 2, LANES_Z = 2, WARPS = 4 };

// How the kernel accesses bands.
enum bands {
    SINGLE, // element by element
    WIDE,   // two elements of a band at a time
    INTERLEAVED,  // rows of the mixed layout, four elements at a time; LLL of the last level may be
            // a separate array
};

struct block_args {
    int size[WP_DIMS_MAX];
    int levels; // of this launch
    int tiles_x, tiles_y, tiles;
    float c[2]; // of the two steps, in order of execution
    wp_cuda_band plane, interleaved;
    bool apart; // LLL is a separate array
    wp_cuda_band band[FUSED][WP_OCTET_BANDS];
    float scale[FUSED][WP_OCTET_BANDS];
};

using cube = float[SIDE][SIDE][SIDE]; // [z][y][x]

// The first sample of a lane's cube.
struct cube_corner {
    int at[WP_DIMS_MAX];

    __device__ __forceinline__ cube_corner(const block_args &args, int tile)
    {
        const int lane = (int)threadIdx.x;
        const int down = tile / args.tiles_x;
        at[WP_X] = (tile % args.tiles_x * LANES_X + lane % LANES_X) * SIDE;
        at[WP_Y] = (down % args.tiles_y * LANES_Y + lane / LANES_X % LANES_Y) * SIDE;
        at[WP_Z] = (down / args.tiles_y * LANES_Z + lane / LANES_X / LANES_Y) * SIDE;
    }
    // True if the sample i after the corner along an axis is inside the volume.
    __device__ __forceinline__ bool has(const block_args &args, int axis, int i) const
    {
        return at[axis] + i < args.size[axis];
    }
    __device__ __forceinline__ bool has(const block_args &args, int x, int y, int z) const
    {
        return has(args, WP_X, x) && has(args, WP_Y, y) && has(args, WP_Z, z);
    }
};

template <bool INVERSE>
__device__ __forceinline__ void lift(const block_args &args, float &even, float &odd)
{
    if constexpr (INVERSE)
        even += args.c[0] * odd, odd += args.c[1] * even;
    else
        odd += args.c[0] * even, even += args.c[1] * odd;
}

// Computes level L (from 0) of a lane's cube.
template <bool INVERSE, int L>
__device__ __forceinline__ void transform(const block_args &args, const cube_corner &corner,
                                          cube &v)
{
    constexpr int STEP = 1 << L;
#pragma unroll
    for (int i = 0; i < (SIDE >> L) * (SIDE >> L) * (SIDE >> L); i += WP_OCTET_BANDS) {
        constexpr int ACROSS = SIDE >> (L + 1);
        const int x = i / 8 % ACROSS * 2 * STEP, y = i / 8 / ACROSS % ACROSS * 2 * STEP;
        const int z = i / 8 / ACROSS / ACROSS * 2 * STEP;
        float octet[WP_OCTET_BANDS];
#pragma unroll
        for (int b = 0; b < WP_OCTET_BANDS; b++)
            octet[b] = v[z + (b >> 2) * STEP][y + (b >> 1 & 1) * STEP][x + (b & 1) * STEP] *
                       (INVERSE ? args.scale[L][b] : 1.0f);
#pragma unroll
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const int axis = INVERSE ? WP_DIMS_MAX - 1 - a : a;
            const int first = axis == WP_X ? x : axis == WP_Y ? y : z;
#pragma unroll
            for (int b = 0; b < WP_OCTET_BANDS; b++) {
                if (b >> axis & 1)
                    continue;
                float &odd = octet[b | 1 << axis];
                // At level 0 samples were repeated when they were loaded.
                if (!INVERSE && L > 0 && !corner.has(args, axis, first + STEP))
                    odd = octet[b];
                lift<INVERSE>(args, octet[b], odd);
            }
        }
#pragma unroll
        for (int b = 0; b < WP_OCTET_BANDS; b++)
            v[z + (b >> 2) * STEP][y + (b >> 1 & 1) * STEP][x + (b & 1) * STEP] =
                octet[b] * (INVERSE ? 1.0f : args.scale[L][b]);
    }
}

// The third-level band to which the element of a lane belongs.
__device__ __forceinline__ int band_of_lane()
{
    const int lane = (int)threadIdx.x;
    return (lane & 1) + 2 * (lane / LANES_X % LANES_Y) + 4 * (lane / LANES_X / LANES_Y);
}

// Computes the third level, of one element per lane.
template <bool INVERSE>
__device__ __forceinline__ void transform_lanes(const block_args &args, const cube_corner &corner,
                                                float &v)
{
    const int lane = (int)threadIdx.x;
    const float scale = args.scale[FUSED - 1][band_of_lane()];
    if (INVERSE)
        v *= scale;
#pragma unroll
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int axis = INVERSE ? WP_DIMS_MAX - 1 - a : a;
        const int apart = axis == WP_X ? 1 : axis == WP_Y ? LANES_X : LANES_X * LANES_Y;
        const float other = __shfl_xor_sync(WP_WARP, v, apart);
        const bool high = lane & apart;
        float even = high ? other : v, odd = high ? v : other;
        if (!INVERSE && !high && !corner.has(args, axis, SIDE))
            odd = even;
        lift<INVERSE>(args, even, odd);
        v = high ? odd : even;
    }
    if (!INVERSE)
        v *= scale;
}

__device__ __forceinline__ float *find(const wp_cuda_band &band, int x, int y, int z)
{
    return band.data + x * band.step_x + y * band.step_y + z * band.step_z;
}

// Moves N contiguous elements.
template <bool TO_LANE, int N>
__device__ __forceinline__ void move(float *memory, float *v)
{
    if constexpr (TO_LANE)
        wp_read<N>(memory, v);
    else
        wp_write<N>(memory, v);
}

// Moves two elements of a band of the first level: columns `odd` and `odd` + 2 of the cube.
template <bool TO_LANE, bool AT_ONCE>
__device__ __forceinline__ void move_pair(const block_args &args, const cube_corner &corner, int b,
                                          int y, int z, cube &v)
{
    const int odd = b & 1;
    const wp_cuda_band &band = args.band[0][b];
    float *memory = find(band, corner.at[WP_X] / 2, (corner.at[WP_Y] + y) / 2,
                         (corner.at[WP_Z] + z) / 2);
    float *const row = v[z][y];
    if (AT_ONCE && corner.has(args, WP_X, SIDE - 1)) {
        float pair[2] = {row[odd], row[odd + 2]};
        move<TO_LANE, 2>(memory, pair);
        row[odd] = pair[0], row[odd + 2] = pair[1];
        return;
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (corner.has(args, WP_X, odd + 2 * i))
            move<TO_LANE, 1>(memory + i * band.step_x, &row[odd + 2 * i]);
}

// Moves a row of the cube, four elements, in the mixed layout.
template <bool TO_LANE>
__device__ __forceinline__ void move_row(const block_args &args, const cube_corner &corner, int y,
                                         int z, cube &v)
{
    float *memory =
        find(args.interleaved, corner.at[WP_X], corner.at[WP_Y] + y, corner.at[WP_Z] + z);
    if (corner.has(args, WP_X, SIDE - 1)) {
        move<TO_LANE, SIDE>(memory, v[z][y]);
        return;
    }
#pragma unroll
    for (int x = 0; x < SIDE; x++)
        if (corner.has(args, WP_X, x))
            move<TO_LANE, 1>(memory + x, &v[z][y][x]);
}

template <bool TO_LANE, bands BANDS>
__device__ __forceinline__ void move_first_level(const block_args &args, const cube_corner &corner,
                                                 cube &v)
{
#pragma unroll
    for (int z = 0; z < SIDE; z++)
#pragma unroll
        for (int y = 0; y < SIDE; y++) {
            const int b = (y & 1) * 2 + (z & 1) * 4;
            if (!corner.has(args, WP_Y, y) || !corner.has(args, WP_Z, z))
                continue;
            if constexpr (BANDS == INTERLEAVED) {
                move_row<TO_LANE>(args, corner, y, z, v);
            } else {
                move_pair<TO_LANE, BANDS == WIDE>(args, corner, b + 1, y, z, v);
                if (b != WP_BAND_LL)
                    move_pair<TO_LANE, BANDS == WIDE>(args, corner, b, y, z, v);
            }
            if (b == WP_BAND_LL && args.levels == 1 && (BANDS != INTERLEAVED || args.apart))
                move_pair<TO_LANE, BANDS == WIDE>(args, corner, b, y, z, v);
        }
}

template <bool TO_LANE, bands BANDS>
__device__ __forceinline__ void move_deeper_levels(const block_args &args,
                                                   const cube_corner &corner, cube &v)
{
    const int *at = corner.at;
    if (args.levels > 2) {
        const int b = band_of_lane();
        const bool present = BANDS != INTERLEAVED || (b == WP_BAND_LL && args.apart);
        if (present && corner.has(args, 0, 0, 0))
            move<TO_LANE, 1>(find(args.band[2][b], at[WP_X] / 8, at[WP_Y] / 8, at[WP_Z] / 8),
                             &v[0][0][0]);
    }
    if (args.levels > 1) {
#pragma unroll
        for (int b = 0; b < WP_OCTET_BANDS; b++) {
            const int x = 2 * (b & 1), y = b & 2, z = b / 4 * 2;
            const bool present = b == WP_BAND_LL
                                     ? args.levels == 2 && (BANDS != INTERLEAVED || args.apart)
                                     : BANDS != INTERLEAVED;
            if (present && corner.has(args, x, y, z))
                move<TO_LANE, 1>(find(args.band[1][b], at[WP_X] / 4, at[WP_Y] / 4, at[WP_Z] / 4),
                                 &v[z][y][x]);
        }
    }
}

// Moves all coefficients of a cube from memory or to it; elements without a coefficient do not
// change. The few coefficients of deeper levels are read first, because they are needed first;
// interleaved rows contain them.
template <bool TO_LANE, bands BANDS>
__device__ __forceinline__ void move_bands(const block_args &args, const cube_corner &corner,
                                           cube &v)
{
    if constexpr (BANDS == INTERLEAVED)
        move_first_level<TO_LANE, BANDS>(args, corner, v);
    move_deeper_levels<TO_LANE, BANDS>(args, corner, v);
    if constexpr (BANDS != INTERLEAVED)
        move_first_level<TO_LANE, BANDS>(args, corner, v);
}

// The last samples are repeated beyond the volume.
__device__ __forceinline__ void read_samples(const block_args &args, const cube_corner &corner,
                                             cube &v)
{
#pragma unroll
    for (int z = 0; z < SIDE; z++)
#pragma unroll
        for (int y = 0; y < SIDE; y++) {
            const float *line = find(args.plane, 0, min(corner.at[WP_Y] + y, args.size[WP_Y] - 1),
                                     min(corner.at[WP_Z] + z, args.size[WP_Z] - 1));
            if (corner.has(args, WP_X, SIDE - 1)) {
                wp_read<SIDE>(line + corner.at[WP_X], v[z][y]);
            } else {
#pragma unroll
                for (int x = 0; x < SIDE; x++)
                    v[z][y][x] = __ldg(line + min(corner.at[WP_X] + x, args.size[WP_X] - 1));
            }
        }
}

__device__ __forceinline__ void write_samples(const block_args &args, const cube_corner &corner,
                                              cube &v)
{
#pragma unroll
    for (int z = 0; z < SIDE; z++)
#pragma unroll
        for (int y = 0; y < SIDE; y++) {
            if (!corner.has(args, WP_Y, y) || !corner.has(args, WP_Z, z))
                continue;
            float *line = find(args.plane, corner.at[WP_X], corner.at[WP_Y] + y,
                               corner.at[WP_Z] + z);
            if (corner.has(args, WP_X, SIDE - 1)) {
                wp_write<SIDE>(line, v[z][y]);
            } else {
#pragma unroll
                for (int x = 0; x < SIDE; x++)
                    if (corner.has(args, WP_X, x))
                        line[x] = v[z][y][x];
            }
        }
}

// Each warp computes one tile.
template <bool INVERSE, bands BANDS>
__global__ void __launch_bounds__(32 * WARPS, 5) run(const __grid_constant__ block_args args)
{
    const int tile = (int)(blockIdx.x * WARPS + threadIdx.y);
    if (tile >= args.tiles)
        return;
    const cube_corner corner(args, tile);
    if constexpr (INVERSE) {
        cube v = {}; // details that do not exist are zero
        move_bands<true, BANDS>(args, corner, v);
        if (args.levels > 2)
            transform_lanes<true>(args, corner, v[0][0][0]);
        if (args.levels > 1)
            transform<true, 1>(args, corner, v);
        transform<true, 0>(args, corner, v);
        write_samples(args, corner, v);
    } else {
        cube v;
        read_samples(args, corner, v);
        transform<false, 0>(args, corner, v);
        if (args.levels > 1)
            transform<false, 1>(args, corner, v);
        if (args.levels > 2)
            transform_lanes<false>(args, corner, v[0][0][0]);
        move_bands<false, BANDS>(args, corner, v);
    }
}

bool is_wide(const wp_cuda_level &level, int count)
{
    bool wide = true;
    for (int b = count == 1 ? 0 : 1; b < WP_OCTET_BANDS; b++)
        wide = wide && (!wp_cuda_level_has_band(&level, b) || wp_band_is_wide(level.band[b]));
    return wide;
}

template <bands BANDS>
void launch(const wp_cuda_level &level, const block_args &args)
{
    const auto kernel = level.inverse ? run<true, BANDS> : run<false, BANDS>;
    const dim3 grid((unsigned)wp_divide_up(args.tiles, WARPS));
    kernel<<<grid, dim3(32, WARPS), 0, wp_stream(level)>>>(args);
}

} // namespace

// The steps must make the detail of a repeated sample zero: their difference.
bool wp_cuda_blocks_cover(const struct wp_cuda_level *level)
{
    return wp_stays_in_pairs(*level, false) &&
           (level->inverse ? level->step[1].c[0] == 1.0f : level->step[0].c[0] == -1.0f);
}

int wp_cuda_blocks_levels(const struct wp_cuda_level *levels, int count)
{
    int l = 0;
    while (l < count && l < FUSED && wp_cuda_level_splits_all(&levels[l]) &&
           wp_cuda_blocks_cover(&levels[l]))
        l++;
    return l;
}

int wp_cuda_blocks_run(const struct wp_cuda_level *levels, int count)
{
    block_args args = {};
    if (count < 1 || count > FUSED)
        return cudaErrorInvalidValue;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        args.size[a] = wp_cuda_level_size(levels, a);
    args.levels = count;
    args.tiles_x = wp_divide_up(args.size[WP_X], SIDE * LANES_X);
    args.tiles_y = wp_divide_up(args.size[WP_Y], SIDE * LANES_Y);
    args.tiles = args.tiles_x * args.tiles_y * wp_divide_up(args.size[WP_Z], SIDE * LANES_Z);
    for (int s = 0; s < 2; s++)
        args.c[s] = levels->step[s].c[0];
    args.plane = {levels->plane, 1, levels->pitch, levels->slice};
    for (int l = 0; l < count; l++)
        for (int b = 0; b < WP_OCTET_BANDS; b++) {
            args.band[l][b] = levels[l].band[b];
            args.scale[l][b] = levels[l].scale[b];
        }
    if (wp_cuda_find_interleaved(levels, count, &args.interleaved, &args.apart)) {
        launch<INTERLEAVED>(*levels, args);
    } else if (is_wide(*levels, count)) {
        launch<WIDE>(*levels, args);
    } else {
        launch<SINGLE>(*levels, args);
    }
    return cudaGetLastError();
}
