// Any wavelet: one launch a lifting step and axis, in place in device memory. A step reads the
// samples of one parity and changes those of the other, so it needs no second buffer, and
// mirroring or wrapping its sources one by one is exact (plan.h).
#include "cuda_access.cuh"
#include "cuda_internal.h"

namespace {

struct lift_args {
    float *data;
    int step_along, step_across; // floats from sample to sample along the axis, and beside it
    int length, lines;           // samples along the axis, and how many axes
    int parity;                  // of the samples that change
    int extension;
    wp_cuda_step step;
};

// Modulo: a step may reach many periods beyond a short axis.
__device__ int extend_far(int extension, int i, int n)
{
    const int period = extension == WP_EXTEND_WRAP ? n : n > 1 ? 2 * (n - 1) : 1;
    if (extension == WP_EXTEND_MIRROR || extension == WP_EXTEND_WRAP)
        i = (i % period + period) % period;
    return wp_device_extend(extension, i, n);
}

// x runs along rows in both cases, so that a warp's accesses lie side by side.
template <bool VERTICAL>
__global__ void lift(const __grid_constant__ lift_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int n = VERTICAL ? y : x, line = VERTICAL ? x : y;
    if (2 * n + args.parity >= args.length || line >= args.lines)
        return;
    float *base = args.data + (ptrdiff_t)line * args.step_across;
    float sum = base[(ptrdiff_t)(2 * n + args.parity) * args.step_along];
    for (int t = 0; t < args.step.count; t++) {
        const int at = extend_far(args.extension, 2 * (n + args.step.k[t]) + 1 - args.parity,
                                  args.length);
        if (at >= 0)
            sum += args.step.c[t] * base[(ptrdiff_t)at * args.step_along];
    }
    base[(ptrdiff_t)(2 * n + args.parity) * args.step_along] = sum;
}

struct move_args {
    float *plane;
    int pitch, width, height;
    wp_cuda_band band[WP_BAND_COUNT];
    float scale[WP_BAND_COUNT];
};

template <bool TO_BANDS>
__global__ void move(const __grid_constant__ move_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= args.width || y >= args.height)
        return;
    const int b = (x & 1) + 2 * (y & 1);
    float *sample = args.plane + (ptrdiff_t)y * args.pitch + x;
    float *coefficient = args.band[b].data + (x / 2) * args.band[b].step_x +
                         (y / 2) * args.band[b].step_y;
    if (TO_BANDS)
        *coefficient = *sample * args.scale[b];
    else
        *sample = *coefficient * args.scale[b];
}

dim3 grid_for(int width, int height, dim3 block)
{
    return dim3(((unsigned)width + block.x - 1) / block.x,
                ((unsigned)height + block.y - 1) / block.y);
}

void lift_axis(const wp_cuda_level &level, float *data, bool vertical)
{
    const int length = vertical ? level.height : level.width;
    if (length < 2)
        return;
    const dim3 block(32, 8);
    const cudaStream_t stream = wp_stream(level);
    for (int s = 0; s < level.steps; s++) {
        lift_args args = {};
        args.data = data;
        args.step_along = vertical ? level.pitch : 1;
        args.step_across = vertical ? 1 : level.pitch;
        args.length = length;
        args.lines = vertical ? level.width : level.height;
        args.parity = (s % 2 == 0) != level.inverse;
        // What lies beyond an odd length in a wavelet without reach is a detail of zero.
        args.extension = level.extension;
        if (level.extension == WP_EXTEND_CLAMP)
            args.extension = WP_EXTEND_ZERO;
        args.step = level.step[s];
        const int half = (length + 1) / 2;
        if (vertical)
            lift<true><<<grid_for(args.lines, half, block), block, 0, stream>>>(args);
        else
            lift<false><<<grid_for(half, args.lines, block), block, 0, stream>>>(args);
    }
}

} // namespace

int wp_cuda_steps_run(const struct wp_cuda_level *level)
{
    const bool forward = !level->inverse;
    move_args args = {};
    args.plane = forward ? level->scratch : level->plane;
    args.pitch = level->pitch;
    args.width = level->width;
    args.height = level->height;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        args.band[b] = level->band[b];
        args.scale[b] = level->scale[b];
    }
    const dim3 block(32, 8), grid = grid_for(level->width, level->height, block);
    const cudaStream_t stream = wp_stream(*level);
    if (forward) {
        const size_t bytes = (size_t)level->pitch * sizeof(float);
        const cudaError_t error = cudaMemcpy2DAsync(
            level->scratch, bytes, level->plane, bytes, (size_t)level->width * sizeof(float),
            (size_t)level->height, cudaMemcpyDeviceToDevice, stream);
        if (error != cudaSuccess)
            return error;
    } else {
        move<false><<<grid, block, 0, stream>>>(args);
    }
    lift_axis(*level, args.plane, false);
    lift_axis(*level, args.plane, true);
    if (forward)
        move<true><<<grid, block, 0, stream>>>(args);
    return cudaGetLastError();
}
