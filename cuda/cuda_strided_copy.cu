// Copies of samples whose rows are not contiguous. Contiguous rows are copied by the runtime.
#include "cuda_internal.h"

#include <cuda_runtime.h>

namespace {

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

} // namespace

int wp_cuda_strided_copy_run(const struct wp_cuda_band *from, const struct wp_cuda_band *to,
                             const int size[WP_DIMS_MAX], void *stream)
{
    constexpr unsigned MOST = 65535; // blocks along the second and third axis of a grid
    const copy_args args = {*from, *to, size[WP_X], size[WP_Y], size[WP_Z]};
    const dim3 block(32, 8);
    const unsigned across = ((unsigned)size[0] + block.x - 1) / block.x;
    const unsigned down = ((unsigned)size[1] + block.y - 1) / block.y;
    const unsigned slices = (unsigned)size[WP_Z];
    copy_strided<<<dim3(across, down < MOST ? down : MOST, slices < MOST ? slices : MOST), block, 0,
                   static_cast<cudaStream_t>(stream)>>>(args);
    return cudaGetLastError();
}
