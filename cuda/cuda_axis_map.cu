// Launches of maps along axes.
#include "cuda_axis_map.cuh"

#include "cuda_launch.cuh"

namespace {

enum { THREADS = 256, LANES = 32 };

template <class FROM, class TO>
__global__ void __launch_bounds__(THREADS) map_axes(const __grid_constant__ wp_map_args args)
{
    wp_map_samples<FROM, TO>(args);
}

template <class FROM, class TO>
int launch(const wp_map_args &args, cudaStream_t stream)
{
    const wp_cuda_axis *axis = args.map.axis;
    const unsigned lanes = axis[1].to < THREADS / LANES ? THREADS : LANES;
    const dim3 block(lanes, THREADS / lanes);
    const int size[] = {wp_divide_up(axis[0].to, WP_MAP_SAMPLES), axis[1].to, axis[2].to};
    map_axes<FROM, TO><<<wp_looped_grid(block, size), block, 0, stream>>>(args);
    return cudaGetLastError();
}

bool is_float(wp_element type)
{
    return type == WP_ELEMENT_F32 || type == WP_ELEMENT_F64;
}

} // namespace

int wp_cuda_map_run(const struct wp_cuda_map *map, void *stream)
{
    const cudaStream_t in = static_cast<cudaStream_t>(stream);
    wp_map_args args = {*map, {}};
    if (map->scale.one > 0)
        args.by = wp_find_reciprocal(map->scale, 0);
    if (!is_float(map->from_type) && !is_float(map->to_type))
        return cudaErrorInvalidValue;
    return wp_with_map_types(*map, [&](auto from, auto to) {
        return launch<decltype(from), decltype(to)>(args, in);
    });
}
