// OpenGL's textures change hands: what it takes CUDA to map them before a transform, and to give
// them back.
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

// Of a transform with a level. False where there is no CUDA that shares textures with OpenGL's
// device, or no memory; `reason` says why, and {0} is left.
bool wp_bench_map_create(const struct wp_description *description, struct wp_bench_map *map,
                         char *reason, size_t reason_size);
void wp_bench_map_destroy(struct wp_bench_map *map); // accepts {0}, leaves {0}

// Both once, in seconds of the computer's clock, with nothing left to do for the GPU before each.
// False after WP_ERROR_INTERNAL.
bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping);

#endif
