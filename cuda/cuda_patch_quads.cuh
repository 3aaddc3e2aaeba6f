// Patches (cuda_patch.cuh) whose samples or coefficients are quads in a surface, one per lane.
//
// Surfaces are tiled in memory: a sector of 32 bytes has two quads, one below the other, and a
// cache line two by four quads. A block therefore loads each quad that it needs once into shared
// memory, from which its warps read their patches. Warps also write through shared memory, in
// stores of eight columns by four rows.
//
// An operand in linear memory (LL between two levels) is accessed as by other patches.
#ifndef WP_CUDA_PATCH_QUADS_CUH
#define WP_CUDA_PATCH_QUADS_CUH

#include "cuda_patch.cuh"
#include "cuda_surface.cuh"

enum {
    WP_QUADS_WARPS = 4, // per block, one below the other
    WP_QUADS_ROWS = 8   // of quads, per warp
};

template <class SHAPE>
struct wp_quads_args {
    wp_lifting_args<SHAPE> level; // its bands are not used
    wp_frame frame;               // of the same level, for quads
    wp_cuda_shared shared;
};

constexpr int wp_even_up(int n)
{
    return n + n % 2;
}

// The quads of a block in shared memory: its input, followed by the output of its warps.
template <class SHAPE>
struct wp_quad_tile {
    static constexpr int WARPS = WP_QUADS_WARPS, OUTPUT_ROWS = WP_QUADS_ROWS * WARPS;
    static constexpr int ABOVE = wp_even_up(SHAPE::reach_low);
    static constexpr int ROWS = OUTPUT_ROWS + ABOVE + wp_even_up(SHAPE::reach_high);
    static constexpr int PITCH = 36; // pairs of rows have no bank conflicts

    float4 quad[(ROWS + OUTPUT_ROWS) * PITCH];

    __device__ __forceinline__ float4 &at(int x, int n) { return quad[n * PITCH + x]; }

    // Loads a warp's share, 16 by 2 quads at a time, which are full sectors. (x, n): the first
    // quad.
    __device__ __forceinline__ void load(const wp_quads_args<SHAPE> &args, int x, int n)
    {
        constexpr int SHARE = (ROWS + WARPS - 1) / WARPS; // a row is half of a pair of rows
        const wp_frame &f = args.frame;
        const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
        const auto column = [&](int k) { return (warp + k * WARPS) % 2 * 16 + lane / 2; };
        const auto row = [&](int k) { return (warp + k * WARPS) / 2 * 2 + lane % 2; };
        const auto in_share = [&](int k) { return ROWS % WARPS == 0 || warp + k * WARPS < ROWS; };
        if (x < 0 || 2 * (x + 32) > f.width || n < 0 || 2 * (n + ROWS) > f.height) {
#pragma unroll 1
            for (int k = 0; k < SHARE; k++)
                if (in_share(k))
                    at(column(k), row(k)) = wp_get_quad<SHAPE::inverse>(
                        f, args.shared, x + column(k), n + row(k));
            return;
        }
        float4 q[SHARE];
#pragma unroll
        for (int k = 0; k < SHARE; k++)
            if (in_share(k))
                q[k] = wp_read_quad<SHAPE::inverse>(args.shared, x + column(k), n + row(k));
#pragma unroll
        for (int k = 0; k < SHARE; k++)
            if (in_share(k))
                at(column(k), row(k)) = wp_scale_quad<SHAPE::inverse>(f, q[k]);
    }
};

template <class SHAPE>
struct wp_quad_patch : wp_patch<SHAPE, WP_QUADS_ROWS, wp_floats, 2> {
    using base = wp_patch<SHAPE, WP_QUADS_ROWS, wp_floats, 2>;
    using base::LOW, base::N, base::v;

    __device__ __forceinline__ void read_quads(wp_quad_tile<SHAPE> &tile, int x, int n)
    {
#pragma unroll
        for (int k = 0; k < N; k++) {
            const float4 q = tile.at(x, n + k);
            v[0][k][0][0] = q.x, v[0][k][1][0] = q.y;
            v[1][k][0][0] = q.z, v[1][k][1][0] = q.w;
        }
    }

    // Writes quads from (x, n) on, x being that of lane 0, through rows `output` and following of
    // the tile. All lanes must call it; halo columns are not written.
    __device__ __forceinline__ void store_quads(const wp_quads_args<SHAPE> &args,
                                                wp_quad_tile<SHAPE> &tile, int output, int x, int n,
                                                int halo) const
    {
        const int lane = (int)threadIdx.x;
#pragma unroll
        for (int k = 0; k < WP_QUADS_ROWS; k++)
            tile.at(lane, output + k) = make_float4(v[0][LOW + k][0][0], v[0][LOW + k][1][0],
                                                 v[1][LOW + k][0][0], v[1][LOW + k][1][0]);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < WP_QUADS_ROWS; k += 4)
#pragma unroll
            for (int c = 0; c < 32; c += 8) {
                const int column = c + lane / 4, row = k + lane % 4;
                if (column >= halo && column < 32 - halo)
                    wp_put_quad<SHAPE::inverse>(args.frame, args.shared, x + column, n + row,
                                                tile.at(column, output + row));
            }
    }
};

// Lanes on each side that write nothing.
template <class SHAPE>
constexpr int wp_quads_halo()
{
    return SHAPE::reach_low > SHAPE::reach_high ? SHAPE::reach_low : SHAPE::reach_high;
}

template <class SHAPE>
constexpr int wp_quads_strip() // columns of samples that a warp writes
{
    return 2 * (32 - 2 * wp_quads_halo<SHAPE>());
}

template <class SHAPE>
__device__ __forceinline__ int wp_quads_begin() // the quad of lane 0
{
    return (int)blockIdx.x * wp_quads_strip<SHAPE>() / 2 - wp_quads_halo<SHAPE>();
}

// The body of a kernel: wp_load_quads(), a barrier, wp_lift_quads(). Grid: strips, blocks of rows.
template <class SHAPE>
__device__ __forceinline__ void wp_load_quads(const wp_quads_args<SHAPE> &args,
                                              wp_quad_tile<SHAPE> &tile)
{
    tile.load(args, wp_quads_begin<SHAPE>(), (int)blockIdx.y * tile.OUTPUT_ROWS - tile.ABOVE);
}

template <class SHAPE, class LAYOUT>
__device__ __forceinline__ void wp_lift_quads(const wp_quads_args<SHAPE> &args,
                                              wp_quad_tile<SHAPE> &tile)
{
    constexpr int R = WP_QUADS_ROWS, LOW = SHAPE::reach_low, HIGH = SHAPE::reach_high;
    constexpr int HALO = wp_quads_halo<SHAPE>();
    const wp_lifting_args<SHAPE> &level = args.level;
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    const int begin = wp_quads_begin<SHAPE>(), column = 2 * (begin + lane);
    const int first = (int)blockIdx.y * tile.OUTPUT_ROWS + warp * R;
    if (2 * first >= level.at.height)
        return;
    const bool fits = column >= 0 && column + 2 <= level.at.width;
    wp_quad_patch<SHAPE> patch;
    if constexpr (LAYOUT::loads_quads)
        patch.read_quads(tile, lane, warp * R + tile.ABOVE - LOW);
    else if (begin >= 0 && 2 * (begin + 32) <= level.at.width && first >= LOW &&
             2 * (first + R + HIGH) <= level.at.height)
        patch.load(level, column, first - LOW);
    else
        patch.template load_extended<WP_EDGES_AT_ONCE>(level, column, first - LOW, fits);
    patch.lift(level);
    if constexpr (LAYOUT::stores_quads)
        patch.store_quads(args, tile, tile.ROWS + warp * R, begin, first, HALO);
    else if (lane < HALO || lane >= 32 - HALO)
        return;
    else if (fits && 2 * (first + R) <= level.at.height)
        patch.store(level, column, first);
    else
        patch.store_inside(level, column, first, fits);
}

#endif
