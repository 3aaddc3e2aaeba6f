#include "cuda_octets.h"

#include <cuda_runtime.h>

namespace {

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

} // namespace

int wp_cuda_octets_run(const struct wp_cuda_octets *octets, bool to_surfaces, void *stream)
{
    const dim3 block(32, 8);
    const dim3 grid(((unsigned)octets->size[0] + block.x - 1) / block.x,
                    ((unsigned)octets->size[1] + block.y - 1) / block.y,
                    2 * (unsigned)octets->size[2]);
    if (to_surfaces)
        exchange<true><<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(*octets);
    else
        exchange<false><<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(*octets);
    return cudaGetLastError();
}
