// Measurements for some backends only: transforms that overlap, and the mapping of textures to
// CUDA.
#include "bench_item.h"

#include "backend_gl.h"
#include "clock.h"
#include "cuda_backend.h"
#include "threads.h"

#include <stdio.h>

// Number of transforms per run.
enum { COUNT = 9 };

struct flow {
    const struct wp_backend *backend;
    struct wp_exec *const *exec;
    const struct wp_operand *from, *to;
    double first, last; // times at which the first and last download ended
};

bool wp_bench_flows(const struct wp_backend *backend, const struct wp_description *description)
{
    return backend->overlaps && wp_description_levels(description) > 0;
}

static struct wp_exec *exec_of(const struct flow *f, int item)
{
    return f->exec[item % WP_BENCH_FLOW_EXECS];
}

static bool load(void *user, int item, bool *end)
{
    const struct flow *f = user;
    *end = item == COUNT;
    return *end || f->backend->load(exec_of(f, item), f->from);
}

static bool run(void *user, int item, bool *end)
{
    const struct flow *f = user;
    (void)end;
    return f->backend->run(exec_of(f, item), NULL);
}

static bool store(void *user, int item, bool *end)
{
    struct flow *f = user;
    (void)end;
    const bool ok = f->backend->store(exec_of(f, item), f->to);
    f->last = wp_clock_seconds();
    f->first = item == 0 ? f->last : f->first;
    return ok;
}

bool wp_bench_flow_run(const struct wp_backend *backend, struct wp_exec *const exec[],
                       const struct wp_operand *from, const struct wp_operand *to, double *seconds)
{
    struct flow f = {.backend = backend, .exec = exec, .from = from, .to = to};
    struct wp_pipeline_stage stage[] = {
        {.step = load, .slots = WP_BENCH_FLOW_EXECS},
        {.step = run, .slots = WP_BENCH_FLOW_EXECS},
        {.step = store},
    };
    const bool ok = wp_pipeline_run(stage, 3, 1, &f);
    *seconds = (f.last - f.first) / (COUNT - 1);
    return ok;
}

// ---- mapping of textures ----

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
