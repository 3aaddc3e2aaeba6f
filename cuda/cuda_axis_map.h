// Maps along axes (axis_map.h) on device memory.
#ifndef WP_CUDA_AXIS_MAP_H
#define WP_CUDA_AXIS_MAP_H

#include "elements.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wp_cuda_axis_entry {
    int from;
    double weight;
};

// The map of an axis as in struct wp_axis_map, with its tables in device memory, and the strides of
// both operands.
struct wp_cuda_axis {
    int to, run, count, source;
    const int *begin;
    const struct wp_cuda_axis_entry *entry;
    ptrdiff_t from_step, to_step;
};

enum { WP_CUDA_MAP_AXES = 4 }; // x, y, z and planes

// One of the types is f32 or f64. `scale` is that of the integers of either operand. The first axis is
// that of neighboring threads, the second one should be the longest of the others.
struct wp_cuda_map {
    struct wp_cuda_axis axis[WP_CUDA_MAP_AXES];
    const void *from;
    void *to;
    enum wp_element from_type, to_type;
    struct wp_element_scale scale;
};

// The tables of maps: their bytes, and the tables themselves, to be copied to maps->on_device.
struct wp_axis_maps;
size_t wp_cuda_map_bytes(const struct wp_axis_maps *maps);
void wp_cuda_map_write(const struct wp_axis_maps *maps, void *memory);
// The arguments for operands, with tables in maps->on_device.
struct wp_cuda_map wp_cuda_map_make(const struct wp_axis_maps *maps, const struct wp_operand *from,
                                    const struct wp_operand *to);

// Launches a map in a cudaStream_t on the current device. The operands must not overlap. Returns a
// cudaError_t, cudaErrorInvalidValue if no type is f32 or f64.
int wp_cuda_map_run(const struct wp_cuda_map *map, void *stream);

#ifdef __cplusplus
}
#endif

#endif
