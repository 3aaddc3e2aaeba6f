// Launches of the kernels in cuda_temporal.cuh, each of which is compiled when first used.
#include "cuda_internal.h"
#include "cuda_jit.h"
#include "cuda_launch.cuh"
#include "cuda_temporal.cuh"

#include <cstdio>

namespace {

static_assert(WP_CUDA_TEMPORAL_MAX == 1 << WP_LINE_LEVELS, "the number of levels of most slices");

// Runs level after level, if a kernel cannot be compiled.
cudaError_t run_levels(const wp_cuda_level *levels, int count)
{
    int error = cudaSuccess;
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = wp_cuda_lines_run(&levels[levels->inverse ? count - 1 - i : i]);
    return static_cast<cudaError_t>(error);
}

template <class SHAPE, int N, bool FULL>
const wp_cuda_kernel *find_kernel()
{
    static wp_cuda_jit_slot slot;
    char shape[64], arguments[96], function[128];
    wp_name_shape<SHAPE>(shape, sizeof shape);
    snprintf(arguments, sizeof arguments, "wp_line_args<%s>", shape);
    snprintf(function, sizeof function, "wp_lift_lines<%s, %d, %s>", shape, N,
             FULL ? "true" : "false");
    wp_cuda_jit_params params = {};
    params.name = function;
    params.header = "cuda_temporal.cuh";
    params.arguments = arguments;
    params.function = function;
    params.threads = WP_LINE_THREADS;
    return wp_cuda_jit_get(&slot, &params);
}

template <class SHAPE, int N>
cudaError_t launch(const wp_cuda_level *levels, int count)
{
    wp_line_args<SHAPE> args = {};
    args.width = levels->width;
    args.height = levels->height;
    args.depth = levels->depth;
    args.wrap = levels->extension == WP_EXTEND_WRAP;
    args.repeat = levels->extension == WP_EXTEND_CLAMP;
    args.samples = {levels->plane, 1, levels->pitch, levels->slice};
    args.low = levels[count - 1].band[0];
    for (; args.levels < count && levels[args.levels].depth > 1; args.levels++) {
        const wp_cuda_level &level = levels[args.levels];
        args.high[args.levels] = level.band[WP_BAND_COUNT];
        args.scale[args.levels][0] = level.scale[0];
        args.scale[args.levels][1] = level.scale[WP_BAND_COUNT];
    }
    SHAPE::fill(*levels, &args.table);
    const wp_cuda_kernel *jit =
        args.depth == N ? find_kernel<SHAPE, N, true>() : find_kernel<SHAPE, N, false>();
    if (!jit)
        return run_levels(levels, count);
    const size_t lines = (size_t)args.width * (size_t)args.height;
    const unsigned grid[3] = {(unsigned)((lines + WP_LINE_THREADS - 1) / WP_LINE_THREADS), 1, 1};
    return static_cast<cudaError_t>(
        wp_cuda_jit_launch(jit, grid, WP_LINE_THREADS / 32, &args, levels->stream));
}

} // namespace

bool wp_cuda_temporal_covers(const struct wp_cuda_level *levels, int count)
{
    if (count < 1 || levels->depth < 2 || levels->depth > WP_CUDA_TEMPORAL_MAX)
        return false;
    for (int l = 0; l < count; l++)
        if ((levels[l].axes & ~(1U << WP_Z)) || levels[l].width != levels->width ||
            levels[l].height != levels->height)
            return false;
    return wp_is_covered(*levels);
}

int wp_cuda_temporal_run(const struct wp_cuda_level *levels, int count)
{
    return wp_if_covered(*levels, cudaErrorInvalidValue, [&](auto shape) {
        using SHAPE = decltype(shape);
        return levels->depth <= 8    ? launch<SHAPE, 8>(levels, count)
               : levels->depth <= 16 ? launch<SHAPE, 16>(levels, count)
                                     : launch<SHAPE, 32>(levels, count);
    });
}
