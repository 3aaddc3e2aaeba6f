// The lifting kernel without a walk: a level of a transform in one launch, a patch of it a warp.
//
// A warp has R pairs of rows of a strip of columns, four of them a lane, all in registers, with what
// the steps read beyond: rows above and below, and on both sides lanes that only help their
// neighbours. All rows are loaded at first; then every column is lifted along y, and every row of
// results along x, where neighbours come by shuffles. (What rounds on its way back goes along x
// first.)
//
// What binds is the second cache: of a copy, too, it is nine tenths busy. So
//  - what is read twice comes from the first cache: the warps of a block stand below each other;
//  - loads ask for their lines to be kept, and stores for theirs to go first, so that rows that two
//    blocks read are there still;
//  - strips begin where a sector of 32 bytes does in whatever is written, all bands or the image.
#ifndef WP_CUDA_PATCH_CUH
#define WP_CUDA_PATCH_CUH

#include "cuda_lifting.cuh"

enum {
    WP_PATCH_WARPS = 4,  // a block, below each other
    WP_PATCH_COLUMNS = 4 // a lane
};

// Lanes on either side that write nothing: enough for the reach, and so many that the columns of the
// others make whole sectors of samples (inverse) or of a band's coefficients.
constexpr int wp_patch_halo(bool inverse, int reach)
{
    const int unit = inverse ? 8 : 16; // columns
    int halo = (2 * reach + WP_PATCH_COLUMNS - 1) / WP_PATCH_COLUMNS;
    while (halo < 16 && (32 - 2 * halo) * WP_PATCH_COLUMNS % unit)
        halo++;
    return halo;
}

// Columns that a warp writes; none where the steps reach too far.
constexpr int wp_patch_strip(bool inverse, int reach_low, int reach_high)
{
    const int reach = reach_low > reach_high ? reach_low : reach_high;
    return (32 - 2 * wp_patch_halo(inverse, reach)) * WP_PATCH_COLUMNS;
}

// N floats that other blocks may read as well: kept in the second cache.
template <int N>
__device__ __forceinline__ void wp_read_kept(const float *__restrict__ from, float *v)
{
#if __CUDA_ARCH__ >= 800
    unsigned long long keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 4)
            asm("ld.global.nc.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                : "=f"(v[i]), "=f"(v[i + 1]), "=f"(v[i + 2]), "=f"(v[i + 3])
                : "l"(from + i), "l"(keep));
    } else {
        static_assert(N == 2, "a lane reads 2 or a multiple of 4 samples");
        asm("ld.global.nc.L2::cache_hint.v2.f32 {%0, %1}, [%2], %3;"
            : "=f"(v[0]), "=f"(v[1])
            : "l"(from), "l"(keep));
    }
#else
    wp_read<N>(from, v);
#endif
}

// The rows of a patch: v[r][n][p] are a lane's columns of parity p, row parity r and pair n.
template <class SHAPE, int R>
struct wp_patch {
    static constexpr int LOW = SHAPE::reach_low, N = R + LOW + SHAPE::reach_high;
    static constexpr int V = WP_PATCH_COLUMNS, H = V / 2;
    float v[2][N][2][H];

    // A row of samples, or for the inverse of low and of high columns. Not `there`: of zeros.
    __device__ __forceinline__ void take(const wp_lifting_args<SHAPE> &args, int n, int r,
                                         const float *row, bool there)
    {
#pragma unroll
        for (int i = 0; i < H; i++) {
            const float even = SHAPE::inverse ? row[i] * args.at.scale[2 * r] : row[2 * i];
            const float odd = SHAPE::inverse ? row[H + i] * args.at.scale[2 * r + 1]
                                             : row[2 * i + 1];
            v[r][n][0][i] = there ? even : 0.0f;
            v[r][n][1][i] = there ? odd : 0.0f;
        }
    }

    // Where all that is read is inside, and lies side by side. `first`: the row pair of n = 0.
    __device__ __forceinline__ void load(const wp_lifting_args<SHAPE> &args, int column, int first)
    {
        const float *from[SHAPE::inverse ? 4 : 1];
        if constexpr (SHAPE::inverse)
#pragma unroll
            for (int b = 0; b < 4; b++)
                from[b] = args.at.band[b].data + first * args.at.band[b].step_y + column / 2;
        else
            from[0] = args.plane + (ptrdiff_t)(2 * first) * args.pitch + column;
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float row[V];
                if constexpr (SHAPE::inverse) {
#pragma unroll
                    for (int p = 0; p < 2; p++) {
                        wp_read_kept<H>(from[2 * r + p], row + H * p);
                        from[2 * r + p] += args.at.band[2 * r + p].step_y;
                    }
                } else {
                    wp_read_kept<V>(from[0], row);
                    from[0] += args.pitch;
                }
                take(args, n, r, row, true);
            }
    }

    // Anywhere. `inside`: the lane's columns are, side by side. Where each row and column is found
    // stands first, and what is zero is read, too: so all loads go out at once, as inside.
    __device__ __forceinline__ void load_extended(const wp_lifting_args<SHAPE> &args, int column,
                                                  int first, bool inside)
    {
        int y[2 * N];
#pragma unroll
        for (int k = 0; k < 2 * N; k++)
            y[k] = extend(args.extension, 2 * first + k, args.at.height);
        if (inside) {
#pragma unroll
            for (int k = 0; k < 2 * N; k++) {
                float row[V];
                if constexpr (SHAPE::inverse) {
#pragma unroll
                    for (int p = 0; p < 2; p++)
                        wp_read_kept<H>(line(args, k % 2, p, y[k]) + column / 2, row + H * p);
                } else {
                    wp_read_kept<V>(line(args, 0, 0, y[k]) + column, row);
                }
                take(args, k / 2, k % 2, row, y[k] >= 0);
            }
            return;
        }
        int place[V];
        bool there[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            const int x = extend(args.extension, column + i, args.at.width);
            there[i] = x >= 0;
            place[i] = max(x, 0) / (SHAPE::inverse ? 2 : 1);
        }
#pragma unroll
        for (int k = 0; k < 2 * N; k++) {
            float row[V];
#pragma unroll
            for (int i = 0; i < V; i++) {
                const int p = SHAPE::inverse ? i % 2 : 0;
                const ptrdiff_t step = SHAPE::inverse ? args.at.band[2 * (k % 2) + p].step_x : 1;
                const float value = __ldg(line(args, k % 2, p, y[k]) + place[i] * step);
                row[SHAPE::inverse ? i / 2 + p * H : i] = there[i] ? value : 0.0f;
            }
            take(args, k / 2, k % 2, row, y[k] >= 0);
        }
    }

    // Where number i of n samples is found; -1: nowhere. Far behind, where nothing is written, any
    // place of this parity will do.
    static __device__ __forceinline__ int extend(int extension, int i, int n)
    {
        i = min(i, (n + 1) / 2 * 2 + 2 * SHAPE::reach_high + (i & 1));
        if (extension == WP_EXTEND_MIRROR) { // once, which is enough for most
            const int once = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
            if (once >= 0 && once < n)
                return once;
        }
        return wp_device_extend(extension, i, n);
    }

    // Row y of the samples, or of the band of columns of parity p for rows of parity r.
    static __device__ __forceinline__ const float *line(const wp_lifting_args<SHAPE> &args, int r,
                                                        int p, int y)
    {
        y = max(y, 0);
        if constexpr (SHAPE::inverse) {
            const wp_cuda_band &band = args.at.band[2 * r + p];
            return band.data + (ptrdiff_t)(y / 2) * band.step_y;
        } else {
            return args.plane + (ptrdiff_t)y * args.pitch;
        }
    }

    __device__ __forceinline__ void lift_x(const wp_lifting_args<SHAPE> &args, int begin, int end)
    {
#pragma unroll
        for (int n = begin; n < end; n++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                wp_lift<SHAPE, H>(args.table, SHAPE::steps, H, v[r][n][0], v[r][n][1], wp_lanes{H});
    }

    __device__ __forceinline__ void lift_y(const wp_lifting_args<SHAPE> &args)
    {
#pragma unroll
        for (int p = 0; p < 2; p++)
#pragma unroll
            for (int i = 0; i < H; i++) {
                float even[N], odd[N];
#pragma unroll
                for (int n = 0; n < N; n++)
                    even[n] = v[0][n][p][i], odd[n] = v[1][n][p][i];
                wp_lift<SHAPE, N>(args.table, SHAPE::steps, N, even, odd, wp_clamped{N});
#pragma unroll
                for (int n = 0; n < N; n++)
                    v[0][n][p][i] = even[n], v[1][n][p][i] = odd[n];
            }
    }

    // The results are the R pairs from LOW on. Fewer rows are lifted where y is first.
    __device__ __forceinline__ void lift(const wp_lifting_args<SHAPE> &args)
    {
        if constexpr (SHAPE::rounds && SHAPE::inverse) {
            lift_x(args, 0, N);
            lift_y(args);
        } else {
            lift_y(args);
            lift_x(args, LOW, LOW + R);
        }
    }

    // Where all R pairs are inside, side by side. `first`: the row pair of the first result.
    __device__ __forceinline__ void store(const wp_lifting_args<SHAPE> &args, int column,
                                          int first) const
    {
        float *to[SHAPE::inverse ? 1 : 4];
        if constexpr (SHAPE::inverse)
            to[0] = args.plane + (ptrdiff_t)(2 * first) * args.pitch + column;
        else
#pragma unroll
            for (int b = 0; b < 4; b++)
                to[b] = args.at.band[b].data + first * args.at.band[b].step_y + column / 2;
#pragma unroll
        for (int n = LOW; n < LOW + R; n++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float row[V];
                if constexpr (SHAPE::inverse) {
#pragma unroll
                    for (int i = 0; i < V; i++)
                        row[i] = v[r][n][i % 2][i / 2];
                    wp_write<V>(to[0], row);
                    to[0] += args.pitch;
                } else {
#pragma unroll
                    for (int p = 0; p < 2; p++) {
#pragma unroll
                        for (int i = 0; i < H; i++)
                            row[i] = v[r][n][p][i] * args.at.scale[2 * r + p];
                        wp_write<H>(to[2 * r + p], row);
                        to[2 * r + p] += args.at.band[2 * r + p].step_y;
                    }
                }
            }
    }

    __device__ __forceinline__ void store_inside(const wp_lifting_args<SHAPE> &args, int column,
                                                 int first, bool inside) const
    {
#pragma unroll
        for (int n = 0; n < R; n++) {
            const float *const rows[2][2] = {{v[0][LOW + n][0], v[0][LOW + n][1]},
                                             {v[1][LOW + n][0], v[1][LOW + n][1]}};
            if constexpr (SHAPE::inverse)
                wp_store_samples<SHAPE, V, true>(args, column, first + n, inside, true, rows);
            else
                wp_store_bands<H, true>(args.at, column / 2, first + n, inside, rows);
        }
    }
};

// A kernel's work. Grid: strips, times WP_PATCH_WARPS * R row pairs. WIDE: the bands can be accessed
// V/2 elements at a time.
template <class SHAPE, int R, bool WIDE>
__device__ __forceinline__ void wp_lift_patch(const wp_lifting_args<SHAPE> &args)
{
    using patch_type = wp_patch<SHAPE, R>;
    constexpr int V = WP_PATCH_COLUMNS, LOW = patch_type::LOW, HIGH = SHAPE::reach_high;
    constexpr int STRIP = wp_patch_strip(SHAPE::inverse, LOW, HIGH), HALO = (32 - STRIP / V) / 2;
    static_assert(STRIP > 0, "a strip is wider than its halo");
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // wp_launch_early()
#endif
    const int lane = (int)threadIdx.x;
    const int begin = (int)blockIdx.x * STRIP - HALO * V, column = begin + lane * V;
    const int first = ((int)blockIdx.y * WP_PATCH_WARPS + (int)threadIdx.y) * R;
    if (2 * first >= args.at.height)
        return;
    const bool across = begin >= 0 && begin + 32 * V <= args.at.width;
    const bool fits = column >= 0 && column + V <= args.at.width;
    patch_type patch;
    const bool reads_wide = WIDE || !SHAPE::inverse, writes_wide = WIDE || SHAPE::inverse;
    if (reads_wide && across && first >= LOW &&
        2 * (first + R + HIGH) <= args.at.height)
        patch.load(args, column, first - LOW);
    else
        patch.load_extended(args, column, first - LOW, reads_wide && fits);
    patch.lift(args);
    if (lane < HALO || lane >= 32 - HALO)
        return;
    if (writes_wide && fits && 2 * (first + R) <= args.at.height)
        patch.store(args, column, first);
    else
        patch.store_inside(args, column, first, writes_wide && fits);
}

template <class SHAPE, int R, bool WIDE>
__global__ void __launch_bounds__(32 * WP_PATCH_WARPS)
wp_patch_kernel(const __grid_constant__ wp_lifting_args<SHAPE> args)
{
    wp_lift_patch<SHAPE, R, WIDE>(args);
}

#endif
