#include "bench_map.h"

#include "clock.h"
#include "cuda_gl.h"
#include "log.h"
#include "memory.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static bool share(struct wp_bench_map *map, char *reason, size_t reason_size)
{
    unsigned *names = wp_xcalloc((size_t)map->plan->surface_count, sizeof *names);
    for (int s = 0; s < map->plan->surface_count; s++)
        names[s] = map->surfaces.texture[s].id;
    map->cuda = wp_cuda_gl_create(map->plan, names, reason, reason_size);
    free(names);
    return map->cuda != NULL;
}

bool wp_bench_map_create(const struct wp_plan_params *params, struct wp_bench_map *map,
                         char *reason, size_t reason_size)
{
    *map = (struct wp_bench_map){
        .device = wp_gl_device_open("cuda-gl", false, WP_GL_ANY, true, reason, reason_size),
    };
    bool ok = map->device && wp_cuda_gl_device(reason, reason_size) >= 0;
    if (ok) {
        wp_gl_device_describe(map->device, &map->info);
        map->plan = wp_plan_create_fused(params);
        ok = map->plan && wp_surfaces_create(map->device->gl, map->plan, &map->surfaces);
        if (!ok)
            snprintf(reason, reason_size, "no memory for the textures");
    }
    ok = ok && share(map, reason, reason_size);
    if (!ok)
        wp_bench_map_destroy(map);
    return ok;
}

void wp_bench_map_destroy(struct wp_bench_map *map)
{
    if (map->cuda && wp_gl_make_current(map->device->gl))
        wp_cuda_gl_destroy(&map->cuda);
    wp_surfaces_destroy(&map->surfaces);
    wp_plan_destroy(&map->plan);
    if (map->device)
        wp_gl_device_close(map->device);
    *map = (struct wp_bench_map){0};
}

bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping)
{
    // The transform in between is not timed, but CUDA has used the textures when it gives them
    // back.
    if (!wp_gl_make_current(map->device->gl) || !wp_gl_finish(map->device->gl))
        return false;
    const double begin = wp_clock_seconds();
    if (!wp_cuda_gl_map(map->cuda))
        return false;
    *mapping = wp_clock_seconds() - begin;
    const bool ok = wp_cuda_gl_run(map->cuda, NULL);
    const double done = wp_clock_seconds();
    if (!wp_cuda_gl_unmap(map->cuda) || !ok)
        return false;
    *unmapping = wp_clock_seconds() - done;
    return true;
}
