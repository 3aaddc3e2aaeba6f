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
//
// The image may be of other elements than floats (cuda_patch_elements.cuh): of a quarter of the bytes
// what binds are instructions.
#ifndef WP_CUDA_PATCH_CUH
#define WP_CUDA_PATCH_CUH

#include "cuda_lifting.cuh"

enum {
    WP_PATCH_WARPS = 4,  // a block, below each other
    WP_PATCH_COLUMNS = 4 // a lane
};

// How a patch at an image's edge finds its rows: all places first, so that all loads go out at once,
// or each with its load, which takes a third fewer registers and longer for small images. The compiler
// gives both paths of a kernel, at edges and inside, the registers of the worse one.
enum wp_patch_edges { WP_EDGES_AT_ONCE, WP_EDGES_BY_ROW };

// Lanes of v columns on either side that write nothing: enough for the reach, and so many that the
// columns of the others make whole sectors of samples of so many bytes (inverse) or of a band's
// coefficients.
constexpr int wp_patch_halo(bool inverse, int reach, int v, int bytes)
{
    const int unit = inverse ? 32 / bytes : 16; // columns
    int halo = (2 * reach + v - 1) / v;
    while (halo < 16 && (32 - 2 * halo) * v % unit)
        halo++;
    return halo;
}

// Columns that a warp writes; none where the steps reach too far.
constexpr int wp_patch_strip(bool inverse, int reach_low, int reach_high,
                             int v = WP_PATCH_COLUMNS, int bytes = (int)sizeof(float))
{
    const int reach = reach_low > reach_high ? reach_low : reach_high;
    return (32 - 2 * wp_patch_halo(inverse, reach, v, bytes)) * v;
}

// W words that other blocks may read as well: kept in the second cache.
template <int W>
__device__ __forceinline__ void wp_read_cached(const void *__restrict__ from, unsigned *word)
{
    static_assert(W == 1 || W == 2 || W % 4 == 0, "words of one access, or of several");
#if __CUDA_ARCH__ >= 800
    unsigned long long keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    if constexpr (W % 4 == 0) {
#pragma unroll
        for (int i = 0; i < W; i += 4)
            asm("ld.global.nc.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                : "=r"(word[i]), "=r"(word[i + 1]), "=r"(word[i + 2]), "=r"(word[i + 3])
                : "l"(static_cast<const unsigned *>(from) + i), "l"(keep));
    } else if constexpr (W == 2) {
        asm("ld.global.nc.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
            : "=r"(word[0]), "=r"(word[1])
            : "l"(from), "l"(keep));
    } else {
        asm("ld.global.nc.L2::cache_hint.b32 %0, [%1], %2;"
            : "=r"(word[0])
            : "l"(from), "l"(keep));
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

// The samples of a level's plane. Those of other elements have the same functions.
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

// The rows of a patch: v[r][n][p] are a lane's columns of parity p, row parity r and pair n.
template <class SHAPE, int R, class PLANE, int V>
struct wp_patch {
    static constexpr int LOW = SHAPE::reach_low, N = R + LOW + SHAPE::reach_high;
    static constexpr int H = V / 2;
    using args_type = typename PLANE::template args<SHAPE>;
    using sample = typename PLANE::type;
    float v[2][N][2][H];

    // A row of samples, or for the inverse of low and of high columns. Not `there`: of zeros. (Left to
    // the compiler, a product here is fused with a step's sum in one kernel and not in the other.)
    __device__ __forceinline__ void take(const args_type &args, int n, int r,
                                         const float *row, bool there)
    {
#pragma unroll
        for (int i = 0; i < H; i++) {
            const float even = SHAPE::inverse ? __fmul_rn(row[i], args.at.scale[2 * r])
                                              : row[2 * i];
            const float odd = SHAPE::inverse ? __fmul_rn(row[H + i], args.at.scale[2 * r + 1])
                                             : row[2 * i + 1];
            v[r][n][0][i] = there ? even : 0.0f;
            v[r][n][1][i] = there ? odd : 0.0f;
        }
    }

    // Where all that is read is inside, and lies side by side. `first`: the row pair of n = 0.
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
                take(args, n, r, row, true);
            }
    }

    // The places of a patch's rows, from `first` on.
    template <wp_patch_edges EDGES>
    struct rows {
        const args_type &args;
        int first, place[EDGES == WP_EDGES_AT_ONCE ? 2 * N : 1];

        __device__ __forceinline__ rows(const args_type &args_, int pair)
            : args(args_), first(2 * pair)
        {
            if constexpr (EDGES == WP_EDGES_AT_ONCE)
#pragma unroll
                for (int k = 0; k < 2 * N; k++)
                    place[k] = extend(args.extension, first + k, args.at.height);
        }
        __device__ __forceinline__ int operator[](int k) const
        {
            return EDGES == WP_EDGES_AT_ONCE ? place[k]
                                             : extend(args.extension, first + k, args.at.height);
        }
    };

    // Anywhere. `inside`: the lane's columns are, side by side. What is zero is read, too.
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
                take(args, k / 2, k % 2, row, at >= 0);
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
            const int at = y[k];
            float row[V];
#pragma unroll
            for (int i = 0; i < V; i++) {
                float value;
                if constexpr (SHAPE::inverse)
                    value = __ldg(band_line(args, k % 2, i % 2, at) +
                                  place[i] * args.at.band[2 * (k % 2) + i % 2].step_x);
                else
                    value = PLANE::read_one(args, line(args, at) + place[i]);
                row[SHAPE::inverse ? i / 2 + i % 2 * H : i] = there[i] ? value : 0.0f;
            }
            take(args, k / 2, k % 2, row, at >= 0);
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

    // Row y of the samples, and of the band of columns of parity p for rows of parity r.
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

    // The results are the R pairs from LOW on. Fewer rows are lifted where y is first.
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

    // Where all R pairs are inside, side by side. `first`: the row pair of the first result.
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

    // Row y, as far as it lies inside.
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

// A kernel's work. Grid: strips, times WP_PATCH_WARPS * R row pairs. WIDE: the bands can be accessed
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
