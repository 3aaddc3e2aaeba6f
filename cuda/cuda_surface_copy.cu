// Kernels of the ceilings: a copy of device memory, and one between surfaces.
#include "cuda_internal.h"

#include <cuda_runtime.h>
#include <stdlib.h>

struct wp_cuda_surfaces {
    int width, height;
    cudaArray_t array[2];
    cudaSurfaceObject_t surface[2];
};

namespace {

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
    const dim3 block(32, 8);
    const dim3 grid(((unsigned)s->width + block.x - 1) / block.x,
                    ((unsigned)s->height + block.y - 1) / block.y);
    copy_quads<<<grid, block>>>(s->surface[0], s->surface[1], s->width, s->height);
    return cudaGetLastError();
}

void wp_cuda_surfaces_arrays(const struct wp_cuda_surfaces *s, void *array[2])
{
    for (int i = 0; i < 2; i++)
        array[i] = s->array[i];
}
