// Any wavelet: one launch per lifting step and axis, in place in device memory. A step reads
// samples of one parity and changes those of the other, so it needs no second buffer, and extension
// sample by sample is exact (schedule.h).
#include "cuda_internal.h"
#include "cuda_launch.cuh"

namespace {

struct lift_args {
    float *data;
    // Strides in floats along the axis, across lines, and across sheets.
    ptrdiff_t step_along, step_across, step_beyond;
    int length, lines, sheets;   // samples per line, lines per sheet, and sheets
    int parity;                  // of the targets
    int extension;
    wp_cuda_step step;
};

// Uses a modulo, because a step may reach many periods beyond a short axis.
__device__ int extend_modulo(int extension, int i, int n)
{
    const int period = extension == WP_EXTEND_WRAP ? n : n > 1 ? 2 * (n - 1) : 1;
    if (extension == WP_EXTEND_MIRROR || extension == WP_EXTEND_WRAP)
        i = (i % period + period) % period;
    return wp_device_extend(extension, i, n);
}

// x runs along rows for both axes, so that accesses of a warp are contiguous.
template <bool VERTICAL, bool ROUNDS>
__global__ void lift(const __grid_constant__ lift_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int n = VERTICAL ? y : x, line = VERTICAL ? x : y;
    if (2 * n + args.parity >= args.length || line >= args.lines)
        return;
    for (int sheet = (int)blockIdx.z; sheet < args.sheets; sheet += (int)gridDim.z) {
        float *base = args.data + line * args.step_across + sheet * args.step_beyond;
        float sum = base[(2 * n + args.parity) * args.step_along];
        for (int t = 0; t < args.step.count; t++) {
            const int at = extend_modulo(args.extension, 2 * (n + args.step.k[t]) + 1 - args.parity,
                                      args.length);
            if (at >= 0)
                sum += args.step.c[t] * base[at * args.step_along];
        }
        base[(2 * n + args.parity) * args.step_along] = ROUNDS ? floorf(sum + args.step.round)
                                                               : sum;
    }
}

struct move_args {
    float *plane;
    int pitch;
    ptrdiff_t slice;
    int width, height, depth;
    int split[WP_DIMS_MAX]; // 1: even and odd samples of the axis are in different bands
    wp_cuda_band band[WP_OCTET_BANDS];
    float scale[WP_OCTET_BANDS];
};

template <bool TO_BANDS>
__global__ void move(const __grid_constant__ move_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= args.width || y >= args.height)
        return;
    const int *split = args.split;
    for (int z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z) {
        const int b = (x & split[WP_X]) + 2 * (y & split[WP_Y]) + 4 * (z & split[WP_Z]);
        const wp_cuda_band &band = args.band[b];
        float *sample = args.plane + z * args.slice + (ptrdiff_t)y * args.pitch + x;
        float *coefficient = band.data + (x >> split[WP_X]) * band.step_x +
                             (y >> split[WP_Y]) * band.step_y + (z >> split[WP_Z]) * band.step_z;
        if (TO_BANDS)
            *coefficient = *sample * args.scale[b];
        else
            *sample = *coefficient * args.scale[b];
    }
}

void launch_lift(const lift_args &args, int axis, bool rounds, cudaStream_t stream)
{
    const dim3 block(32, 8);
    const int half = (args.length + 1) / 2;
    const dim3 grid = axis == WP_X ? wp_grid(block, half, args.lines, args.sheets)
                                   : wp_grid(block, args.lines, half, args.sheets);
    const auto kernel = axis == WP_X ? rounds ? lift<false, true> : lift<false, false>
                                     : rounds ? lift<true, true> : lift<true, false>;
    kernel<<<grid, block, 0, stream>>>(args);
}

// Applies all steps along an axis of the samples of `at`.
void lift_axis(const wp_cuda_level &level, const move_args &at, int axis)
{
    if (!(level.axes >> axis & 1))
        return;
    const ptrdiff_t step[] = {1, at.pitch, at.slice};
    const int size[] = {at.width, at.height, at.depth};
    // Threads of a warp run along x.
    const int across = axis == WP_X ? WP_Y : WP_X, beyond = axis == WP_Z ? WP_Y : WP_Z;
    for (int s = 0; s < level.steps; s++) {
        lift_args args = {};
        args.data = at.plane;
        args.step_along = step[axis];
        args.step_across = step[across];
        args.step_beyond = step[beyond];
        args.length = size[axis];
        args.lines = size[across];
        args.sheets = size[beyond];
        args.parity = (s % 2 == 0) != level.inverse;
        // Without reach, samples outside an odd length are details of zero.
        args.extension = level.extension;
        if (level.extension == WP_EXTEND_CLAMP)
            args.extension = WP_EXTEND_ZERO;
        args.step = level.step[s];
        launch_lift(args, axis, level.reversible, wp_stream(level));
    }
}

// Copies the samples of a forward level, which must not change, to its scratch memory.
cudaError_t copy_samples(const wp_cuda_level &level, const move_args &to)
{
    const size_t from = (size_t)level.pitch * sizeof(float);
    const size_t pitch = (size_t)to.pitch * sizeof(float);
    const size_t bytes = (size_t)level.width * sizeof(float), rows = (size_t)level.height;
    if (level.depth == 1)
        return cudaMemcpy2DAsync(to.plane, pitch, level.plane, from, bytes, rows,
                                 cudaMemcpyDeviceToDevice, wp_stream(level));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(level.plane, from, bytes,
                                      (size_t)(level.slice / level.pitch));
    copy.dstPtr = make_cudaPitchedPtr(to.plane, pitch, bytes, rows);
    copy.extent = make_cudaExtent(bytes, rows, (size_t)level.depth);
    copy.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3DAsync(&copy, wp_stream(level));
}

} // namespace

int wp_cuda_steps_run(const struct wp_cuda_level *level)
{
    const bool forward = !level->inverse;
    move_args args = {};
    args.plane = forward ? level->scratch : level->plane;
    args.pitch = forward ? wp_cuda_pitch(level->width) : level->pitch;
    args.slice = forward ? (ptrdiff_t)args.pitch * level->height : level->slice;
    args.width = level->width;
    args.height = level->height;
    args.depth = level->depth;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        args.split[a] = level->axes >> a & 1;
    for (int b = 0; b < WP_OCTET_BANDS; b++) {
        args.band[b] = level->band[b];
        args.scale[b] = level->scale[b];
    }
    const dim3 block(32, 8), grid = wp_grid(block, level->width, level->height, level->depth);
    const cudaStream_t stream = wp_stream(*level);
    if (forward) {
        const cudaError_t error = copy_samples(*level, args);
        if (error != cudaSuccess)
            return error;
    } else {
        move<false><<<grid, block, 0, stream>>>(args);
    }
    // Steps that round do not commute: forward, y is first (wp_lifting_y_first()).
    const bool y_first = level->reversible && forward;
    lift_axis(*level, args, y_first ? WP_Y : WP_X);
    lift_axis(*level, args, y_first ? WP_X : WP_Y);
    lift_axis(*level, args, WP_Z);
    if (forward)
        move<true><<<grid, block, 0, stream>>>(args);
    return cudaGetLastError();
}
