#include "cuda_gl.h"

#include "cuda_exec.h"
#include "log.h"
#include "memory.h"

#include <GL/glew.h> // before any other header of GL
#include <cuda_gl_interop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A texture that is registered; mapped where `surface` is set.
struct shared_texture {
    unsigned texture;
    int width, height; // quads that are wanted of it
    struct cudaGraphicsResource *resource;
    cudaSurfaceObject_t surface;
};

// Where quad (0, 0) of a level lies.
struct place {
    int shared, x, y;
};

enum { SHARED_MAX = 1 + WP_CUDA_LEVELS_MAX };

struct wp_cuda_gl {
    struct wp_device *device;
    struct wp_exec *exec; // levels, linear memory, events
    bool mapped;
    int count;
    struct shared_texture shared[SHARED_MAX];
    struct place pixels, coefficients[WP_CUDA_LEVELS_MAX];
    float *low[WP_CUDA_LEVELS_MAX + 1]; // of level l, where it is between two levels
};

bool wp_cuda_gl_possible(char *reason, size_t reason_size)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return true;
    cudaGetLastError();
    snprintf(reason, reason_size, "no CUDA device (%s)",
             error == cudaSuccess ? "none listed" : cudaGetErrorString(error));
    return false;
}

int wp_cuda_gl_device(char *reason, size_t reason_size)
{
    unsigned count = 0;
    int device = -1;
    const cudaError_t error = cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll);
    if (error == cudaSuccess && count > 0)
        return device;
    cudaGetLastError();
    snprintf(reason, reason_size, "the OpenGL context does not render on a CUDA device (%s)",
             error == cudaSuccess ? "none listed" : cudaGetErrorString(error));
    return -1;
}

static bool refuse(char *reason, size_t reason_size, const char *what, cudaError_t error)
{
    cudaGetLastError();
    snprintf(reason, reason_size, "%s failed (CUDA: %s)", what, cudaGetErrorString(error));
    return false;
}

// Registers a port's surface, or finds it among those that are.
static bool add_place(struct wp_cuda_gl *gl, const struct wp_port *port, const unsigned *texture,
                      struct place *place, char *reason, size_t reason_size)
{
    const int width = port->x + (port->width + 1) / 2, height = port->y + (port->height + 1) / 2;
    int s = 0;
    while (s < gl->count && gl->shared[s].texture != texture[port->surface])
        s++;
    struct shared_texture *shared = &gl->shared[s];
    if (s == gl->count) {
        shared->texture = texture[port->surface];
        const cudaError_t error =
            cudaGraphicsGLRegisterImage(&shared->resource, shared->texture, GL_TEXTURE_2D,
                                        cudaGraphicsRegisterFlagsSurfaceLoadStore);
        if (error != cudaSuccess)
            return refuse(reason, reason_size, "registering a texture with CUDA", error);
        gl->count++;
    }
    shared->width = width > shared->width ? width : shared->width;
    shared->height = height > shared->height ? height : shared->height;
    *place = (struct place){.shared = s, .x = port->x, .y = port->y};
    return true;
}

// Of each list of ports one holds the pixels; the others hold a level each, known by its size.
static bool add_places(struct wp_cuda_gl *gl, const struct wp_plan *plan, const unsigned *texture,
                       char *reason, size_t reason_size)
{
    const bool inverse = plan->description.direction == WP_INVERSE;
    const struct wp_port *pixels = inverse ? plan->store : plan->load;
    const struct wp_port *bands = inverse ? plan->load : plan->store;
    const int count = inverse ? plan->load_count : plan->store_count;
    if (!add_place(gl, pixels, texture, &gl->pixels, reason, reason_size))
        return false;
    for (int p = 0; p < count; p++) {
        int l = 0;
        while (l + 1 < gl->exec->levels && (gl->exec->level[l].width != bands[p].width ||
                                            gl->exec->level[l].height != bands[p].height))
            l++;
        if (!add_place(gl, &bands[p], texture, &gl->coefficients[l], reason, reason_size))
            return false;
    }
    return true;
}

// Linear memory for LL bands between levels; planes for levels that cannot run on surfaces.
static bool make_memory(struct wp_cuda_gl *gl)
{
    struct wp_exec *exec = gl->exec;
    bool linear = false;
    for (int l = 0; l < exec->levels; l++) {
        const struct wp_cuda_shared one = {.from.surface = 1, .to.surface = 2};
        linear = linear || !wp_cuda_shared_is_direct(&exec->level[l], &one);
    }
    linear = linear || gl->pixels.shared == gl->coefficients[0].shared;
    size_t low = 0;
    for (int l = 1; l < exec->levels; l++)
        low += (size_t)wp_cuda_pitch(exec->level[l].width) * (size_t)exec->level[l].height;
    const size_t pixels = (size_t)exec->pitch * (size_t)exec->description.size[WP_Y];
    if (!wp_cuda_allocate(exec, &exec->between, low, "the levels between") ||
        !wp_cuda_allocate(exec, &exec->plane, linear ? pixels : 0, "the image") ||
        !wp_cuda_allocate(exec, &exec->scratch, linear ? pixels : 0, "the coefficients"))
        return false;
    float *next = exec->between;
    for (int l = 0; l < exec->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        level->pitch = wp_cuda_pitch(level->width);
        level->plane = exec->plane;
        level->scratch = exec->scratch;
        if (l > 0) {
            gl->low[l] = level->plane = next;
            next += (size_t)level->pitch * (size_t)level->height;
        }
    }
    return true;
}

static bool set_up(struct wp_cuda_gl *gl, const struct wp_plan *plan, const unsigned *texture,
                   char *reason, size_t reason_size)
{
    const int number = wp_cuda_gl_device(reason, reason_size);
    if (number < 0)
        return false;
    gl->device = wp_cuda_open(number, true, reason, reason_size);
    if (!gl->device)
        return false;
    gl->exec = wp_cuda_exec_create(gl->device, &plan->description, "shared textures");
    return gl->exec && add_places(gl, plan, texture, reason, reason_size) && make_memory(gl);
}

struct wp_cuda_gl *wp_cuda_gl_create(const struct wp_plan *plan, const unsigned *texture,
                                     char *reason, size_t reason_size)
{
    struct wp_cuda_gl *gl = wp_allocate(1, sizeof *gl, "shared textures");
    snprintf(reason, reason_size, "%s", "");
    if (gl && !set_up(gl, plan, texture, reason, reason_size))
        wp_cuda_gl_destroy(&gl);
    return gl;
}

static void drop_surfaces(struct wp_cuda_gl *gl)
{
    for (int s = 0; s < gl->count; s++) {
        if (gl->shared[s].surface)
            cudaDestroySurfaceObject(gl->shared[s].surface);
        gl->shared[s].surface = 0;
    }
}

void wp_cuda_gl_destroy(struct wp_cuda_gl **slot)
{
    struct wp_cuda_gl *gl = *slot;
    *slot = NULL;
    if (!gl)
        return;
    if (gl->mapped)
        wp_cuda_gl_unmap(gl);
    for (int s = 0; s < gl->count; s++)
        cudaGraphicsUnregisterResource(gl->shared[s].resource);
    wp_cuda_exec_destroy(gl->exec);
    if (gl->device)
        wp_cuda_close(gl->device);
    free(gl);
}

static void list_resources(const struct wp_cuda_gl *gl, struct cudaGraphicsResource *list[])
{
    for (int s = 0; s < gl->count; s++)
        list[s] = gl->shared[s].resource;
}

// After each map the array may be another one, so it is fetched and looked at anew.
static cudaError_t open_surface(struct shared_texture *shared)
{
    cudaArray_t array = NULL;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;
    unsigned flags = 0;
    cudaError_t error = cudaGraphicsSubResourceGetMappedArray(&array, shared->resource, 0, 0);
    if (error == cudaSuccess)
        error = cudaArrayGetInfo(&format, &extent, &flags, array);
    if (error == cudaSuccess &&
        (format.f != cudaChannelFormatKindFloat || format.x != 32 || format.y != 32 ||
         format.z != 32 || format.w != 32 || extent.width < (size_t)shared->width ||
         extent.height < (size_t)shared->height))
        error = cudaErrorInvalidSurface;
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray,
                                              .res.array.array = array};
    return error == cudaSuccess ? cudaCreateSurfaceObject(&shared->surface, &resource) : error;
}

bool wp_cuda_gl_map(struct wp_cuda_gl *gl)
{
    struct cudaGraphicsResource *list[SHARED_MAX];
    if (gl->mapped)
        return true;
    list_resources(gl, list);
    cudaError_t error = cudaSetDevice(gl->device->number);
    if (error == cudaSuccess)
        error = cudaGraphicsMapResources(gl->count, list, NULL);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "mapping textures");
    gl->mapped = true;
    for (int s = 0; s < gl->count && error == cudaSuccess; s++)
        error = open_surface(&gl->shared[s]);
    if (error == cudaSuccess)
        return true;
    wp_cuda_gl_unmap(gl);
    return wp_cuda_fail(error, "opening a mapped texture");
}

bool wp_cuda_gl_unmap(struct wp_cuda_gl *gl)
{
    struct cudaGraphicsResource *list[SHARED_MAX];
    if (!gl->mapped)
        return true;
    drop_surfaces(gl);
    list_resources(gl, list);
    gl->mapped = false;
    const cudaError_t error = cudaGraphicsUnmapResources(gl->count, list, NULL);
    return error == cudaSuccess || wp_cuda_fail(error, "unmapping textures");
}

static struct wp_cuda_quads quads_of(const struct wp_cuda_gl *gl, const struct place *place)
{
    return (struct wp_cuda_quads){gl->shared[place->shared].surface, place->x, place->y};
}

static cudaError_t launch(const struct wp_cuda_gl *gl)
{
    const int levels = gl->exec->levels;
    int error = cudaSuccess;
    for (int i = 0; i < levels && error == cudaSuccess; i++) {
        const bool inverse = gl->exec->level->inverse;
        const int l = inverse ? levels - 1 - i : i;
        const struct wp_cuda_quads pixels = quads_of(gl, &gl->pixels), none = {0};
        const struct wp_cuda_quads bands = quads_of(gl, &gl->coefficients[l]);
        const struct wp_cuda_quads samples = l == 0 ? pixels : none;
        const bool between = l + 1 < levels;
        const struct wp_cuda_shared shared = {
            .from = inverse ? bands : samples,
            .to = inverse ? samples : bands,
            .low = between ? gl->low[l + 1] : NULL,
            .low_pitch = between ? gl->exec->level[l + 1].pitch : 0,
        };
        error = wp_cuda_shared_run(&gl->exec->level[l], &shared);
    }
    return (cudaError_t)error;
}

bool wp_cuda_gl_run(struct wp_cuda_gl *gl, double *seconds)
{
    const bool mapped = gl->mapped;
    if (!wp_cuda_gl_map(gl))
        return false;
    cudaError_t error = wp_cuda_timer_begin(&gl->exec->timer);
    if (error == cudaSuccess)
        error = launch(gl);
    if (error == cudaSuccess)
        error = wp_cuda_timer_end(&gl->exec->timer, seconds);
    const bool unmapped = mapped || wp_cuda_gl_unmap(gl);
    return error == cudaSuccess ? unmapped : wp_cuda_fail(error, "a transform of shared textures");
}
