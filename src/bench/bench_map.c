#include "bench_map.h"

#include "backend_gl.h"
#include "cuda_backend.h"

#include <stdio.h>

static const struct wp_backend *const backend = &wp_backend_cuda_gl;

bool wp_bench_map_create(const struct wp_description *description, struct wp_bench_map *map,
                         char *reason, size_t reason_size)
{
    *map = (struct wp_bench_map){
        .device = backend->open(-1, true, reason, reason_size),
        .description = *description,
    };
    if (!map->device)
        return false;
    backend->describe(map->device, &map->info);
    map->exec = backend->prepare(map->device, description, NULL);
    // The first run registers the textures.
    if (map->exec && backend->run(map->exec, NULL))
        return true;
    snprintf(reason, reason_size, "no memory for the textures, or CUDA does not support them");
    wp_bench_map_destroy(map);
    return false;
}

void wp_bench_map_destroy(struct wp_bench_map *map)
{
    if (map->device) {
        backend->release(map->exec);
        backend->close(map->device);
    }
    *map = (struct wp_bench_map){0};
}

bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping)
{
    // The transform in between is not timed. It makes CUDA use the textures before they are
    // unmapped.
    if (!backend->run(map->exec, NULL))
        return false;
    backend->gl->handover(map->exec, mapping, unmapping);
    return true;
}
