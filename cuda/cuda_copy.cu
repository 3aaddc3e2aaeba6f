// Copies on the device: of samples whose rows are not contiguous (the runtime copies others), of
// octets between surfaces and arrays, of bands between rectangles and the mixed layout; and the
// ceilings.
#include "cuda_internal.h"
#include "cuda_launch.cuh"

#include <cuda_runtime.h>
#include <stdlib.h>

struct wp_cuda_surfaces {
    int width, height;
    cudaArray_t array[2];
    cudaSurfaceObject_t surface[2];
};

namespace {

const dim3 BLOCK(32, 8);

struct copy_args {
    wp_cuda_band from, to;
    int width, height, depth;
};

__global__ void copy_strided(const __grid_constant__ copy_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (x >= args.width)
        return;
    for (int z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z)
        for (int y = (int)(blockIdx.y * blockDim.y + threadIdx.y); y < args.height;
             y += (int)(gridDim.y * blockDim.y))
            args.to.data[x * args.to.step_x + y * args.to.step_y + z * args.to.step_z] =
                args.from.data[x * args.from.step_x + y * args.from.step_y +
                               z * args.from.step_z];
}

__device__ bool has(const wp_cuda_component &c, int x, int y, int z)
{
    return x < c.size[0] && y < c.size[1] && z < c.size[2];
}

__device__ float *find(const wp_cuda_component &c, int x, int y, int z)
{
    return c.at.data + x * c.at.step_x + y * c.at.step_y + z * c.at.step_z;
}

template <bool TO_SURFACES>
__global__ void exchange(const __grid_constant__ wp_cuda_octets octets)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int odd = (int)(blockIdx.z & 1), z = (int)(blockIdx.z >> 1);
    if (x >= octets.size[0] || y >= octets.size[1])
        return;
    const wp_cuda_component *const of = octets.component + WP_BAND_COUNT * odd;
    const cudaSurfaceObject_t surface = octets.surface[odd][octets.at[2] + z];
    const int column = (octets.at[0] + x) * (int)sizeof(float4);
    float4 quad = make_float4(0, 0, 0, 0);
    if (!TO_SURFACES)
        quad = surf2Dread<float4>(surface, column, octets.at[1] + y);
    float *const value = &quad.x;
#pragma unroll
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        if (!has(of[c], x, y, z))
            continue;
        float *const sample = find(of[c], x, y, z);
        if (TO_SURFACES)
            value[c] = *sample;
        else
            *sample = value[c];
    }
    if (TO_SURFACES)
        surf2Dwrite(quad, surface, column, octets.at[1] + y);
}

// The LLL band of the first level is every other column of every other row of every other slice. A
// thread processes four columns of such a row, two of which are high coefficients of the first
// level; it writes these back unchanged, so that complete rows are read and written.
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

__global__ void copy_quads(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height)
        surf2Dwrite(surf2Dread<float4>(from, x * (int)sizeof(float4), y), to,
                    x * (int)sizeof(float4), y);
}

__global__ void copy_memory(const float4 *from, float4 *to, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

} // namespace

int wp_cuda_strided_copy_run(const struct wp_cuda_band *from, const struct wp_cuda_band *to,
                             const int size[WP_DIMS_MAX], void *stream)
{
    const copy_args args = {*from, *to, size[WP_X], size[WP_Y], size[WP_Z]};
    copy_strided<<<wp_looped_grid(BLOCK, size), BLOCK, 0,
                   static_cast<cudaStream_t>(stream)>>>(args);
    return cudaGetLastError();
}

int wp_cuda_octets_run(const struct wp_cuda_octets *octets, bool to_surfaces, void *stream)
{
    const dim3 grid = wp_grid(BLOCK, octets->size[0], octets->size[1], 2 * octets->size[2]);
    const auto kernel = to_surfaces ? exchange<true> : exchange<false>;
    kernel<<<grid, BLOCK, 0, static_cast<cudaStream_t>(stream)>>>(*octets);
    return cudaGetLastError();
}

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
    const dim3 grid((unsigned)wp_divide_up(levels->width, 32 * COLUMNS),
                    (unsigned)wp_divide_up(levels->height, 2 * ROWS),
                    (unsigned)wp_divide_up(levels->depth, 2));
    const auto kernel = levels->inverse ? interleave<true> : interleave<false>;
    kernel<<<grid, dim3(32, ROWS), 0, wp_stream(*levels)>>>(args);
    return cudaGetLastError();
}

int wp_cuda_copy_run(const void *from, void *to, size_t bytes)
{
    const unsigned block = 256;
    const size_t count = bytes / sizeof(float4);
    copy_memory<<<(unsigned)((count + block - 1) / block), block>>>(
        static_cast<const float4 *>(from), static_cast<float4 *>(to), count);
    return cudaGetLastError();
}

int wp_cuda_surfaces_create(int width, int height, struct wp_cuda_surfaces **result)
{
    wp_cuda_surfaces *s = static_cast<wp_cuda_surfaces *>(calloc(1, sizeof(wp_cuda_surfaces)));
    *result = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    s->width = width;
    s->height = height;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    for (int i = 0; i < 2; i++) {
        cudaError_t error = cudaMallocArray(&s->array[i], &format, (size_t)width, (size_t)height,
                                            cudaArraySurfaceLoadStore);
        if (error != cudaSuccess)
            return error;
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = s->array[i];
        error = cudaCreateSurfaceObject(&s->surface[i], &resource);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

void wp_cuda_surfaces_destroy(struct wp_cuda_surfaces *s)
{
    for (int i = 0; i < 2; i++) {
        if (s->surface[i])
            cudaDestroySurfaceObject(s->surface[i]);
        if (s->array[i])
            cudaFreeArray(s->array[i]);
    }
    free(s);
}

int wp_cuda_surfaces_copy(const struct wp_cuda_surfaces *s)
{
    copy_quads<<<wp_grid(BLOCK, s->width, s->height), BLOCK>>>(s->surface[0], s->surface[1],
                                                               s->width, s->height);
    return cudaGetLastError();
}

void wp_cuda_surfaces_arrays(const struct wp_cuda_surfaces *s, void *array[2])
{
    for (int i = 0; i < 2; i++)
        array[i] = s->array[i];
}
