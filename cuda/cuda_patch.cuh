// The lifting kernel of patches: one level of a transform in one launch, one patch per warp.
//
// A patch consists of some row pairs of a strip of columns. A warp computes it in registers, with
// four columns per lane. The warp also loads the samples around the patch that the steps read: rows
// above and below it, and columns on both sides, in lanes that write nothing. It loads all rows,
// lifts each column along y, and then each row of results along x, where neighbors are exchanged
// with shuffles. (If steps round, the inverse lifts along x first.)
//
// The limit is the L2 cache, which is 90 % busy during a plain copy, too. Therefore
//  - rows that several warps read come from the L1 cache: the warps of a block are one below the
//    other;
//  - loads ask L2 to keep their lines, and stores to evict theirs first, so that rows that two
//    blocks read are still in the cache;
//  - strips begin at a sector of 32 bytes of the output, all bands or the image.
//
// The image may have other elements than floats (cuda_patch_elements.cuh); with a quarter of the
// bytes, instructions are the limit.
#ifndef WP_CUDA_PATCH_CUH
#define WP_CUDA_PATCH_CUH

#include "cuda_lifting.cuh"

enum {
    WP_PATCH_WARPS = 4,  // per block, one below the other
    WP_PATCH_COLUMNS = 4 // per lane
};

// How a patch at an edge of the image finds its rows: the positions of all rows first, so that all
// loads are in flight at once; or each before its load, which needs a third fewer registers but is
// slower for small images. The path at edges also determines the registers of the one inside.
enum wp_patch_edges { WP_EDGES_AT_ONCE, WP_EDGES_BY_ROW };

// Lanes on each side that write nothing, with v columns per lane: at least the reach. The number is
// chosen so that the columns of the other lanes fill whole memory sectors: of samples of `bytes`
// bytes (inverse), or of the coefficients of a band.
constexpr int wp_patch_halo(bool inverse, int reach, int v, int bytes)
{
    const int unit = inverse ? 32 / bytes : 16; // columns
    int halo = (2 * reach + v - 1) / v;
    while (halo < 16 && (32 - 2 * halo) * v % unit)
        halo++;
    return halo;
}

// Columns that a warp writes; not positive if the reach is too long.
constexpr int wp_patch_strip(bool inverse, int reach_low, int reach_high,
                             int v = WP_PATCH_COLUMNS, int bytes = (int)sizeof(float))
{
    const int reach = reach_low > reach_high ? reach_low : reach_high;
    return (32 - 2 * wp_patch_halo(inverse, reach, v, bytes)) * v;
}

// The grid for patches of `pairs` row pairs in strips of `strip` columns.
inline dim3 wp_patch_grid(const wp_cuda_level &level, int pairs, int strip)
{
    const int rows = (level.height + 1) / 2, block = pairs * WP_PATCH_WARPS;
    return dim3((unsigned)((level.width + strip - 1) / strip),
                (unsigned)((rows + block - 1) / block));
}

// Reads W words that other blocks may read as well, and keeps them in L2.
template <int W>
__device__ __forceinline__ void wp_read_cached(const void *__restrict__ from, unsigned *word)
{
    static_assert(W == 1 || W == 2 || W % 4 == 0, "words of one access, or of several");
#if __CUDA_ARCH__ >= 800
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if constexpr (W % 4 == 0) {
#pragma unroll
        for (int i = 0; i < W; i += 4)
            asm("ld.global.nc.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                : "=r"(word[i]), "=r"(word[i + 1]), "=r"(word[i + 2]), "=r"(word[i + 3])
                : "l"(static_cast<const unsigned *>(from) + i), "l"(policy));
    } else if constexpr (W == 2) {
        asm("ld.global.nc.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
            : "=r"(word[0]), "=r"(word[1])
            : "l"(from), "l"(policy));
    } else {
        asm("ld.global.nc.L2::cache_hint.b32 %0, [%1], %2;"
            : "=r"(word[0])
            : "l"(from), "l"(policy));
    }
#else
    if constexpr (W % 4 == 0) {
#pragma unroll
        for (int i = 0; i < W; i += 4) {
            const uint4 q = __ldg(static_cast<const uint4 *>(from) + i / 4);
            word[i] = q.x, word[i + 1] = q.y, word[i + 2] = q.z, word[i + 3] = q.w;
        }
    } else if constexpr (W == 2) {
        const uint2 q = __ldg(static_cast<const uint2 *>(from));
        word[0] = q.x, word[1] = q.y;
    } else {
        word[0] = __ldg(static_cast<const unsigned *>(from));
    }
#endif
}

template <int N>
__device__ __forceinline__ void wp_read_cached(const float *__restrict__ from, float *v)
{
    unsigned word[N];
    wp_read_cached<N>(static_cast<const void *>(from), word);
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = __uint_as_float(word[i]);
}

// Access to the float samples of a level's plane. wp_elements_plane has the same interface.
struct wp_floats {
    using type = float;
    template <class SHAPE>
    using args = wp_lifting_args<SHAPE>;

    template <class SHAPE>
    static __device__ __forceinline__ float *plane(const args<SHAPE> &a)
    {
        return a.plane;
    }
    template <int V, class SHAPE>
    static __device__ __forceinline__ void read(const args<SHAPE> &, const float *from, float *v)
    {
        wp_read_cached<V>(from, v);
    }
    template <class SHAPE>
    static __device__ __forceinline__ float read_one(const args<SHAPE> &, const float *from)
    {
        return __ldg(from);
    }
    template <int V, class SHAPE>
    static __device__ __forceinline__ void write(const args<SHAPE> &, float *to, const float *v)
    {
        wp_write<V>(to, v);
    }
    template <class SHAPE>
    static __device__ __forceinline__ void write_one(const args<SHAPE> &, float *to, float value)
    {
        *to = value;
    }
};

// The rows of a patch: v[r][n][p] has a lane's columns of parity p, of row parity r and pair n.
template <class SHAPE, int R, class PLANE, int V>
struct wp_patch {
    static constexpr int LOW = SHAPE::reach_low, N = R + LOW + SHAPE::reach_high;
    static constexpr int H = V / 2;
    using args_type = typename PLANE::template args<SHAPE>;
    using sample = typename PLANE::type;
    float v[2][N][2][H];

    // Sets a row from samples, or for the inverse from the low and then the high columns; to zeros
    // unless `valid`. (The intrinsic prevents the compiler from fusing products with sums in some
    // kernels only.)
    __device__ __forceinline__ void set_row(const args_type &args, int n, int r,
                                         const float *row, bool valid)
    {
#pragma unroll
        for (int i = 0; i < H; i++) {
            const float even = SHAPE::inverse ? __fmul_rn(row[i], args.at.scale[2 * r])
                                              : row[2 * i];
            const float odd = SHAPE::inverse ? __fmul_rn(row[H + i], args.at.scale[2 * r + 1])
                                             : row[2 * i + 1];
            v[r][n][0][i] = valid ? even : 0.0f;
            v[r][n][1][i] = valid ? odd : 0.0f;
        }
    }

    // Loads rows if all are inside the image and contiguous. `first`: the row pair of n = 0.
    __device__ __forceinline__ void load(const args_type &args, int column, int first)
    {
        const float *from[4] = {};
        const sample *samples = nullptr;
        if constexpr (SHAPE::inverse)
#pragma unroll
            for (int b = 0; b < 4; b++)
                from[b] = args.at.band[b].data + first * args.at.band[b].step_y + column / 2;
        else
            samples = line(args, 2 * first) + column;
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float row[V];
                if constexpr (SHAPE::inverse) {
#pragma unroll
                    for (int p = 0; p < 2; p++) {
                        wp_read_cached<H>(from[2 * r + p], row + H * p);
                        from[2 * r + p] += args.at.band[2 * r + p].step_y;
                    }
                } else {
                    PLANE::template read<V>(args, samples, row);
                    samples += args.pitch;
                }
                set_row(args, n, r, row, true);
            }
    }

    // The positions of a patch's rows, from `first` on.
    template <wp_patch_edges EDGES>
    struct rows {
        const args_type &args;
        int first, position[EDGES == WP_EDGES_AT_ONCE ? 2 * N : 1];

        __device__ __forceinline__ rows(const args_type &args_, int pair)
            : args(args_), first(2 * pair)
        {
            if constexpr (EDGES == WP_EDGES_AT_ONCE)
#pragma unroll
                for (int k = 0; k < 2 * N; k++)
                    position[k] = extend(args.extension, first + k, args.at.height);
        }
        __device__ __forceinline__ int operator[](int k) const
        {
            return EDGES == WP_EDGES_AT_ONCE ? position[k]
                                             : extend(args.extension, first + k, args.at.height);
        }
    };

    // Loads rows anywhere. `inside`: the lane's columns are inside and contiguous. Rows that are
    // zero are also read.
    template <wp_patch_edges EDGES>
    __device__ __forceinline__ void load_extended(const args_type &args, int column,
                                                  int first, bool inside)
    {
        const rows<EDGES> y(args, first);
        if (inside) {
#pragma unroll
            for (int k = 0; k < 2 * N; k++) {
                const int at = y[k];
                float row[V];
                if constexpr (SHAPE::inverse) {
#pragma unroll
                    for (int p = 0; p < 2; p++)
                        wp_read_cached<H>(band_line(args, k % 2, p, at) + column / 2, row + H * p);
                } else {
                    PLANE::template read<V>(args, line(args, at) + column, row);
                }
                set_row(args, k / 2, k % 2, row, at >= 0);
            }
            return;
        }
        int position[V];
        bool valid[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            const int x = extend(args.extension, column + i, args.at.width);
            valid[i] = x >= 0;
            position[i] = max(x, 0) / (SHAPE::inverse ? 2 : 1);
        }
#pragma unroll
        for (int k = 0; k < 2 * N; k++) {
            const int at = y[k];
            float row[V];
#pragma unroll
            for (int i = 0; i < V; i++) {
                float value;
                if constexpr (SHAPE::inverse)
                    value = __ldg(band_line(args, k % 2, i % 2, at) +
                                  position[i] * args.at.band[2 * (k % 2) + i % 2].step_x);
                else
                    value = PLANE::read_one(args, line(args, at) + position[i]);
                row[SHAPE::inverse ? i / 2 + i % 2 * H : i] = valid[i] ? value : 0.0f;
            }
            set_row(args, k / 2, k % 2, row, at >= 0);
        }
    }

    // The position of sample i of n; -1: zero. Samples far to the right, whose results are not
    // written, have any position of the same parity.
    static __device__ __forceinline__ int extend(int extension, int i, int n)
    {
        i = min(i, (n + 1) / 2 * 2 + 2 * SHAPE::reach_high + (i & 1));
        if (extension == WP_EXTEND_MIRROR) { // mirrored once, which is enough for most
            const int once = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
            if (once >= 0 && once < n)
                return once;
        }
        return wp_device_extend(extension, i, n);
    }

    // Row y of the samples; row y of the band of column parity p and row parity r.
    static __device__ __forceinline__ sample *line(const args_type &args, int y)
    {
        return PLANE::plane(args) + (ptrdiff_t)max(y, 0) * args.pitch;
    }
    static __device__ __forceinline__ const float *band_line(const args_type &args, int r, int p,
                                                             int y)
    {
        const wp_cuda_band &band = args.at.band[2 * r + p];
        return band.data + (ptrdiff_t)(max(y, 0) / 2) * band.step_y;
    }

    __device__ __forceinline__ void lift_x(const args_type &args, int begin, int end)
    {
#pragma unroll
        for (int n = begin; n < end; n++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                wp_lift<SHAPE, H>(args.table, SHAPE::steps, H, v[r][n][0], v[r][n][1], wp_lanes{H});
    }

    __device__ __forceinline__ void lift_y(const args_type &args)
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

    // Lifts the patch. The results are the R pairs from LOW on; y first lifts fewer rows along x.
    __device__ __forceinline__ void lift(const args_type &args)
    {
        if constexpr (SHAPE::rounds && SHAPE::inverse) {
            lift_x(args, 0, N);
            lift_y(args);
        } else {
            lift_y(args);
            lift_x(args, LOW, LOW + R);
        }
    }

    // Writes the results if all are inside and contiguous. `first`: the row pair of the first
    // result.
    __device__ __forceinline__ void store(const args_type &args, int column,
                                          int first) const
    {
        float *to[4] = {};
        sample *samples = nullptr;
        if constexpr (SHAPE::inverse)
            samples = line(args, 2 * first) + column;
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
                    PLANE::template write<V>(args, samples, row);
                    samples += args.pitch;
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

    // Writes row y, as far as it is inside the image.
    __device__ __forceinline__ void store_row(const args_type &args, int column, int y, bool inside,
                                              const float *const part[2]) const
    {
        if (y >= args.at.height)
            return;
        sample *to = line(args, y) + column;
        float row[V];
#pragma unroll
        for (int i = 0; i < V; i++)
            row[i] = part[i % 2][i / 2];
        if (inside)
            PLANE::template write<V>(args, to, row);
        else
#pragma unroll
            for (int i = 0; i < V; i++)
                if (column + i < args.at.width)
                    PLANE::write_one(args, to + i, row[i]);
    }

    __device__ __forceinline__ void store_inside(const args_type &args, int column, int first,
                                                 bool inside) const
    {
#pragma unroll
        for (int n = 0; n < R; n++) {
            const float *const rows[2][2] = {{v[0][LOW + n][0], v[0][LOW + n][1]},
                                             {v[1][LOW + n][0], v[1][LOW + n][1]}};
            if constexpr (SHAPE::inverse)
#pragma unroll
                for (int r = 0; r < 2; r++)
                    store_row(args, column, 2 * (first + n) + r, inside, rows[r]);
            else
                wp_store_bands<H>(args.at, column / 2, first + n, inside, rows);
        }
    }
};

// The body of a kernel. Grid: strips, WP_PATCH_WARPS * R row pairs. WIDE: the bands can be accessed
// V/2 elements at a time.
template <class SHAPE, int R, bool WIDE, wp_patch_edges EDGES = WP_EDGES_AT_ONCE,
          class PLANE = wp_floats, int V = WP_PATCH_COLUMNS>
__device__ __forceinline__ void wp_lift_patch(const typename PLANE::template args<SHAPE> &args)
{
    using patch_type = wp_patch<SHAPE, R, PLANE, V>;
    constexpr int LOW = patch_type::LOW, HIGH = SHAPE::reach_high;
    constexpr int STRIP = wp_patch_strip(SHAPE::inverse, LOW, HIGH, V,
                                         (int)sizeof(typename PLANE::type));
    constexpr int HALO = (32 - STRIP / V) / 2;
    static_assert(STRIP > 0, "a strip is wider than its halo");
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch_early()
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
        patch.template load_extended<EDGES>(args, column, first - LOW, reads_wide && fits);
    patch.lift(args);
    if (lane < HALO || lane >= 32 - HALO)
        return;
    if (writes_wide && fits && 2 * (first + R) <= args.at.height)
        patch.store(args, column, first);
    else
        patch.store_inside(args, column, first, writes_wide && fits);
}

template <class SHAPE, int R, bool WIDE, wp_patch_edges EDGES = WP_EDGES_AT_ONCE,
          class PLANE = wp_floats, int V = WP_PATCH_COLUMNS>
__global__ void __launch_bounds__(32 * WP_PATCH_WARPS)
wp_patch_kernel(const __grid_constant__ typename PLANE::template args<SHAPE> args)
{
    wp_lift_patch<SHAPE, R, WIDE, EDGES, PLANE, V>(args);
}

#endif
