// Copies the bands of deeper levels between rectangles and the mixed layout.
//
// The LLL band of the first level is every other column of every other row of every other slice. A
// thread processes four columns of such a row, two of which are high coefficients of the first
// level; it writes these back unchanged, so that complete rows are read and written.
#include "cuda_access.cuh"
#include "cuda_multilevel.h"

namespace {

enum { COLUMNS = 4, ROWS = 4 }; // columns of the array per thread; rows per block

struct interleave_args {
    int width, height; // of the array
    int levels;
    wp_cuda_band array;
    wp_cuda_band band[WP_CUDA_INTERLEAVE_MAX][WP_OCTET_BANDS]; // from the second level on
};

// Element (x, y, z) of the input of the second level, in the bands.
__device__ __forceinline__ float *find(const interleave_args &args, int x, int y, int z)
{
    int level = 0;
    while (level + 1 < args.levels && !((x | y | z) & 1))
        level++, x >>= 1, y >>= 1, z >>= 1;
    const wp_cuda_band &band = args.band[level][(x & 1) + 2 * (y & 1) + 4 * (z & 1)];
    return band.data + (x >> 1) + (y >> 1) * band.step_y + (z >> 1) * band.step_z;
}

template <bool TO_BANDS>
__global__ void __launch_bounds__(32 * ROWS)
    interleave(const __grid_constant__ interleave_args args)
{
    const int x = COLUMNS * (int)(blockIdx.x * 32 + threadIdx.x);
    const int y = 2 * (int)(blockIdx.y * ROWS + threadIdx.y), z = 2 * (int)blockIdx.z;
    if (x >= args.width || y >= args.height)
        return;
    float *row = args.array.data + x + y * args.array.step_y + z * args.array.step_z;
    const bool second = x + 2 < args.width, full = x + COLUMNS <= args.width;
    float *const coefficient[2] = {find(args, x / 2, y / 2, z / 2),
                             second ? find(args, x / 2 + 1, y / 2, z / 2) : nullptr};
    // Only this thread accesses these elements.
    float4 v = full ? *reinterpret_cast<const float4 *>(row)
                     : make_float4(row[0], 0.0f, second ? row[2] : 0.0f, 0.0f);
    if constexpr (TO_BANDS) {
        *coefficient[0] = v.x;
        if (second)
            *coefficient[1] = v.z;
        return;
    }
    v.x = *coefficient[0];
    v.z = second ? *coefficient[1] : 0.0f;
    if (full) {
        *reinterpret_cast<float4 *>(row) = v;
    } else {
        row[0] = v.x;
        if (second)
            row[2] = v.z;
    }
}

int divide_up(int n, int by)
{
    return (n + by - 1) / by;
}

} // namespace

int wp_cuda_interleave_run(const struct wp_cuda_level *levels, int count,
                      const struct wp_cuda_band *array)
{
    interleave_args args = {};
    if (count < 2 || count - 1 > WP_CUDA_INTERLEAVE_MAX)
        return cudaErrorInvalidValue;
    args.width = levels->width;
    args.height = levels->height;
    args.levels = count - 1;
    args.array = *array;
    for (int l = 1; l < count; l++)
        for (int b = 0; b < WP_OCTET_BANDS; b++)
            args.band[l - 1][b] = levels[l].band[b];
    const dim3 block(32, ROWS);
    const dim3 grid((unsigned)divide_up(levels->width, 32 * COLUMNS),
                    (unsigned)divide_up(levels->height, 2 * ROWS),
                    (unsigned)divide_up(levels->depth, 2));
    if (levels->inverse)
        interleave<true><<<grid, block, 0, wp_stream(*levels)>>>(args);
    else
        interleave<false><<<grid, block, 0, wp_stream(*levels)>>>(args);
    return cudaGetLastError();
}
