// Measures how long CUDA takes to map OpenGL textures before a transform and to unmap them.
#ifndef WP_BENCH_MAP_H
#define WP_BENCH_MAP_H

#include "backend.h"

// A transform of the backend cuda-gl.
struct wp_bench_map {
    struct wp_device *device;
    struct wp_device_info info;
    struct wp_description description;
    struct wp_exec *exec;
};

// Prepares a transform, which must have at least one level. False, with the reason and *map {0}, if
// CUDA and OpenGL do not share a device, or memory is exhausted.
bool wp_bench_map_create(const struct wp_description *description, struct wp_bench_map *map,
                         char *reason, size_t reason_size);
void wp_bench_map_destroy(struct wp_bench_map *map); // accepts {0}, leaves {0}

// Measures both once, in seconds of the computer's clock, with an idle GPU before each. False after
// WP_ERROR_INTERNAL.
bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping);

#endif
