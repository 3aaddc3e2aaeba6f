#include "shared.h"

#include "clock.h"
#include "cuda_gl.h"
#include "gl_device.h"
#include "log.h"
#include "memory.h"
#include "program.h"
#include "surfaces.h"

#include <stdlib.h>

struct wp_exec {
    struct wp_gl *gl;
    struct wp_plan *plan; // without margins
    struct wp_surfaces surfaces;
    struct wp_cuda_gl *cuda;
    unsigned image; // GL name of the texture that stands for the surface that is loaded, or 0
    double map, unmap;
};

const struct wp_backend *wp_view_backend(int number)
{
    int count = 0;
    while (wp_backends[count])
        count++;
    return number < count ? wp_backends[number] : number == count ? &wp_backend_cuda_gl : NULL;
}

void wp_shared_times(const struct wp_exec *exec, double *map, double *unmap)
{
    *map = exec->map;
    *unmap = exec->unmap;
}

// The viewer lends its context; see wp_devices_probe().
static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    (void)index, (void)quiet, (void)reason, (void)reason_size;
    return NULL;
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    if (wp_gl_make_current(exec->gl))
        wp_cuda_gl_destroy(&exec->cuda);
    wp_surfaces_destroy(&exec->surfaces);
    wp_plan_destroy(&exec->plan);
    free(exec);
}

static bool share(struct wp_exec *exec)
{
    char reason[256] = "";
    unsigned *names = wp_xcalloc((size_t)exec->plan->surface_count, sizeof *names);
    for (int s = 0; s < exec->plan->surface_count; s++)
        names[s] = exec->surfaces.texture[s].id;
    if (exec->image)
        names[exec->plan->load[0].surface] = exec->image;
    exec->cuda = wp_cuda_gl_create(exec->plan, names, reason, sizeof reason);
    free(names);
    return exec->cuda ||
           wp_fail(WP_ERROR_UNAVAILABLE, "CUDA cannot take the textures (%s)", reason);
}

bool wp_shared_read(struct wp_exec *exec, const struct wp_texture *image)
{
    const unsigned id = image ? image->id : 0;
    if (exec->image == id)
        return true;
    wp_cuda_gl_destroy(&exec->cuda);
    exec->image = id;
    if (id == 0 || share(exec))
        return true;
    exec->image = 0;
    return false;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant)
{
    (void)variant;
    if (!wp_gl_make_current(device->gl))
        return NULL;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->gl = device->gl;
    exec->plan = wp_plan_create_fused(&plan->params);
    if (!exec->plan || !wp_surfaces_create(exec->gl, exec->plan, &exec->surfaces)) {
        release(exec);
        return NULL;
    }
    if (plan->params.levels == 0)
        return exec;
    // Forward the image's texture takes the place of the surface, and is not here yet.
    if (plan->params.direction == WP_FORWARD)
        wp_texture_destroy(&exec->surfaces.texture[exec->plan->load[0].surface]);
    else if (!share(exec)) {
        release(exec);
        return NULL;
    }
    return exec;
}

// What GL has yet to do is not part of the time that mapping takes.
static bool run(struct wp_exec *exec, double *seconds)
{
    if (!exec->cuda)
        return true; // no level
    if (!wp_gl_finish(exec->gl))
        return false;
    const double start = wp_clock_seconds();
    if (!wp_cuda_gl_map(exec->cuda))
        return false;
    exec->map = wp_clock_seconds() - start;
    const bool ok = wp_cuda_gl_run(exec->cuda, seconds);
    const double done = wp_clock_seconds();
    if (!wp_cuda_gl_unmap(exec->cuda))
        return false;
    exec->unmap = wp_clock_seconds() - done;
    return ok;
}

static const struct wp_surfaces *get_surfaces(const struct wp_exec *exec,
                                              const struct wp_plan **plan)
{
    *plan = exec->plan;
    return &exec->surfaces;
}

const struct wp_backend wp_backend_cuda_gl = {
    .name = "cuda-gl",
    .summary = "CUDA kernels on the shaders' own textures",
    .schemeless = true,
    .open = open_device,
    .close = wp_gl_device_close,
    .describe = wp_gl_device_describe,
    .prepare = prepare,
    .run = run,
    .surfaces = get_surfaces, // in place of load and store, which nobody calls then
    .release = release,
};
