// The backend "cuda-gl": CUDA kernels on textures of an OpenGL context, which the backend creates
// in its own or the caller's context. The input image may be a texture of the caller.
#include "cuda_backend.h"

#include "backend_gl.h"
#include "clock.h"
#include "cuda_gl.h"
#include "gl_device.h"
#include "log.h"
#include "memory.h"
#include "surfaces.h"

#include <stdlib.h>

struct wp_exec {
    struct wp_gl *gl;
    struct wp_schedule *schedule; // without margins
    struct wp_surfaces surfaces;
    struct wp_cuda_gl *cuda; // NULL until the textures are registered
    unsigned image;          // GL name of the caller's texture that is the input; 0: the surface
    double map, unmap;
};

static struct wp_device *refuse(struct wp_device *device, bool quiet, const char *reason)
{
    if (device)
        wp_gl_device_close(device);
    if (!quiet && reason[0])
        wp_fail(WP_ERROR_UNAVAILABLE,
                "backend 'cuda-gl' is not available (%s)"
                "\nhint: backend 'cuda' copies between the two; 'wavepass info' shows what works",
                reason);
    return NULL;
}

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    if (!wp_cuda_gl_possible(reason, reason_size))
        return refuse(NULL, quiet, reason);
    struct wp_device *device =
        wp_gl_device_open("cuda-gl", false, index, true, reason, reason_size);
    if (!device || wp_cuda_gl_device(reason, reason_size) < 0)
        return refuse(device, quiet, reason);
    return device;
}

static struct wp_device *borrow(struct wp_gl *gl, char *reason, size_t reason_size)
{
    if (!wp_gl_make_current(gl) || wp_cuda_gl_device(reason, reason_size) < 0)
        return NULL;
    return wp_gl_device_borrow(gl, reason, reason_size);
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    if (wp_gl_make_current(exec->gl))
        wp_cuda_gl_destroy(&exec->cuda);
    wp_surfaces_destroy(&exec->surfaces);
    wp_schedule_destroy(&exec->schedule);
    free(exec);
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    (void)variant;
    if (!wp_gl_make_current(device->gl))
        return NULL;
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->gl = device->gl;
    exec->schedule = wp_schedule_fused(description);
    if (exec->schedule && wp_surfaces_create(exec->gl, exec->schedule, &exec->surfaces))
        return exec;
    release(exec);
    return NULL;
}

static int loaded_surface(const struct wp_exec *exec)
{
    return exec->schedule->load[0].surface;
}

// Registers the textures with CUDA, if not done yet.
static bool share(struct wp_exec *exec)
{
    if (exec->cuda || wp_description_levels(&exec->schedule->description) == 0)
        return true;
    char reason[256] = "";
    unsigned *names = wp_allocate((size_t)exec->surfaces.count, sizeof *names, "textures");
    if (!names)
        return false;
    for (int s = 0; s < exec->surfaces.count; s++)
        names[s] = exec->surfaces.texture[s].id;
    if (exec->image)
        names[loaded_surface(exec)] = exec->image;
    exec->cuda = wp_cuda_gl_create(exec->schedule, names, reason, sizeof reason);
    free(names);
    if (!exec->cuda && reason[0])
        wp_fail(WP_ERROR_UNAVAILABLE, "CUDA cannot use the textures (%s)", reason);
    return exec->cuda != NULL;
}

static bool read_from(struct wp_exec *exec, const struct wp_texture *image)
{
    const unsigned id = image ? image->id : 0;
    if (exec->image == id || exec->schedule->description.levels == 0)
        return true;
    if (!wp_gl_make_current(exec->gl))
        return false;
    wp_cuda_gl_destroy(&exec->cuda);
    exec->image = id;
    if (id == 0)
        return true;
    // The surface is not used any more; free its memory.
    wp_texture_destroy(&exec->surfaces.texture[loaded_surface(exec)]);
    if (share(exec))
        return true;
    exec->image = 0;
    return false;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    return wp_surfaces_load(&exec->surfaces, from);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    return wp_surfaces_store(&exec->surfaces, to);
}

// The time of mapping does not include pending work of GL.
static bool run(struct wp_exec *exec, double *seconds)
{
    if (seconds)
        *seconds = 0;
    if (!wp_gl_make_current(exec->gl) || !share(exec))
        return false;
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

static void handover(const struct wp_exec *exec, double *map, double *unmap)
{
    *map = exec->map;
    *unmap = exec->unmap;
}

static const struct wp_surfaces *get_surfaces(const struct wp_exec *exec,
                                              const struct wp_schedule **schedule)
{
    *schedule = exec->schedule;
    return exec->surfaces.halves > 1 ? NULL : &exec->surfaces;
}

// The time of kernels is measured with CUDA events.
static void describe(const struct wp_device *device, struct wp_device_info *info)
{
    wp_gl_device_describe(device, info);
    info->timer = "CUDA events";
    info->wall = false;
}

static bool pack(const struct wp_exec *exec, const struct wp_operand *from)
{
    return wp_surfaces_pack(&exec->surfaces, from);
}

static bool unpack(const struct wp_exec *exec, const struct wp_operand *to)
{
    return wp_surfaces_unpack(&exec->surfaces, to);
}

static const struct wp_backend_bench bench = {
    .facts = wp_gl_device_facts,
    .pack = pack,
    .unpack = unpack,
};

static bool load_texture(struct wp_exec *exec, const struct wp_texture *from, int channel)
{
    return wp_surfaces_load_texture(&exec->surfaces, from, channel);
}

static bool store_texture(struct wp_exec *exec, const struct wp_texture *to, int channel)
{
    return wp_surfaces_store_texture(&exec->surfaces, to, channel);
}

static const struct wp_backend_gl on_textures = {
    .borrow = borrow,
    .surfaces = get_surfaces,
    .load_texture = load_texture,
    .store_texture = store_texture,
    .read_from = read_from,
    .handover = handover,
};

const struct wp_backend wp_backend_cuda_gl = {
    .name = "cuda-gl",
    .summary = "CUDA kernels on OpenGL textures, without a copy between the two",
    .schemeless = true,
    .open = open_device,
    .close = wp_gl_device_close,
    .describe = describe,
    .prepare = prepare,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
    .bench = &bench,
    .gl = &on_textures,
};
