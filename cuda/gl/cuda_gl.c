#include "cuda_gl.h"

#include "cuda_backend.h"
#include "cuda_exec.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"

#include <GL/glew.h> // before any other header of GL
#include <cuda_gl_interop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A texture that is registered with CUDA.
struct shared_texture {
    unsigned texture;
    int width, height; // minimum size in quads
    int layers;        // 1, or the minimum number of layers of an array texture
    int first;         // index of the surface of layer 0
    struct cudaGraphicsResource *resource;
};

// The position of quad (0, 0) of a level.
struct location {
    int shared, x, y;
};

// Octets of a volume in textures: the samples, or the coefficients of a level.
struct exchange {
    int shared[2]; // of even and of odd slices
    bool loads;    // copied before the transform; otherwise after it
    struct wp_cuda_octets octets;
};

enum { EXCHANGES_MAX = 1 + WP_CUDA_LEVELS_MAX, SHARED_MAX = 2 * EXCHANGES_MAX };

struct wp_cuda_gl {
    struct wp_device *device;
    struct wp_exec *exec; // levels, linear memory, events
    bool mapped;
    int count;
    struct shared_texture shared[SHARED_MAX];
    int surfaces;                 // number of layers of all textures
    cudaSurfaceObject_t *surface; // 0 while not mapped
    struct location pixels, coefficients[WP_CUDA_LEVELS_MAX];
    float *low[WP_CUDA_LEVELS_MAX + 1]; // LL between levels l - 1 and l; NULL for level 0
    // Volumes use the exec's memory; octets are copied through a table of surfaces on the device.
    float *table;
    int exchanges;
    struct exchange exchange[EXCHANGES_MAX];
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

static bool refuse(char *reason, size_t reason_size, const char *action, cudaError_t error)
{
    cudaGetLastError();
    snprintf(reason, reason_size, "%s failed (CUDA: %s)", action, cudaGetErrorString(error));
    return false;
}

static int halved(int n)
{
    return n / 2 + n % 2;
}

// Registers the texture of a transfer, if it is not registered yet. Returns its index, or -1.
static int share(struct wp_cuda_gl *gl, const struct wp_transfer *transfer, unsigned texture,
                 char *reason, size_t reason_size)
{
    const bool deep = transfer->octets.count > 0;
    int s = 0;
    while (s < gl->count && gl->shared[s].texture != texture)
        s++;
    struct shared_texture *shared = &gl->shared[s];
    if (s == gl->count) {
        shared->texture = texture;
        const cudaError_t error = cudaGraphicsGLRegisterImage(
            &shared->resource, texture, deep ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D,
            cudaGraphicsRegisterFlagsSurfaceLoadStore);
        if (error != cudaSuccess) {
            refuse(reason, reason_size, "registering a texture with CUDA", error);
            return -1;
        }
        gl->count++;
    }
    shared->width = wp_max(shared->width, transfer->x + halved(transfer->width));
    shared->height = wp_max(shared->height, transfer->y + halved(transfer->height));
    shared->layers = wp_max(shared->layers, deep ? transfer->z + halved(transfer->depth) : 1);
    return s;
}

static bool add_location(struct wp_cuda_gl *gl, const struct wp_transfer *transfer,
                         const unsigned *texture, struct location *location, char *reason,
                         size_t reason_size)
{
    const int s = share(gl, transfer, texture[transfer->surface], reason, reason_size);
    *location = (struct location){.shared = s, .x = transfer->x, .y = transfer->y};
    return s >= 0;
}

// One list of transfers has one entry, the pixels; the other one entry per level, found by its
// size.
static bool add_locations(struct wp_cuda_gl *gl, const struct wp_schedule *schedule,
                          const unsigned *texture, char *reason, size_t reason_size)
{
    const bool inverse = schedule->description.direction == WP_INVERSE;
    const struct wp_transfer *pixels = inverse ? schedule->store : schedule->load;
    const struct wp_transfer *bands = inverse ? schedule->load : schedule->store;
    const int count = inverse ? schedule->load_count : schedule->store_count;
    if (!add_location(gl, pixels, texture, &gl->pixels, reason, reason_size))
        return false;
    for (int p = 0; p < count; p++) {
        int l = 0;
        while (l + 1 < gl->exec->levels && (gl->exec->level[l].width != bands[p].width ||
                                            gl->exec->level[l].height != bands[p].height))
            l++;
        if (!add_location(gl, &bands[p], texture, &gl->coefficients[l], reason, reason_size))
            return false;
    }
    return true;
}

// The array of a component of a transfer in the exec's memory.
static struct wp_cuda_component find_component(const struct wp_exec *exec,
                                               const struct wp_transfer_band *band)
{
    const struct wp_band_grid grid =
        wp_description_band(&exec->description, band->level, band->band);
    const struct wp_cuda_band base =
        band->level ? exec->level[band->level - 1].band[band->band]
                    : (struct wp_cuda_band){exec->plane, 1, exec->pitch, exec->slice};
    const ptrdiff_t step[] = {base.step_x, base.step_y, base.step_z};
    struct wp_cuda_component component = {
        .at = {base.data, band->every[WP_X] * base.step_x, band->every[WP_Y] * base.step_y,
               band->every[WP_Z] * base.step_z},
    };
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        component.at.data += band->first[a] * step[a];
        component.size[a] = (grid.size[a] - band->first[a] + band->every[a] - 1) / band->every[a];
    }
    return component;
}

static bool add_exchange(struct wp_cuda_gl *gl, const struct wp_transfer *transfer, bool loads,
                         const unsigned *texture, char *reason, size_t reason_size)
{
    struct exchange *e = &gl->exchange[gl->exchanges++];
    e->loads = loads;
    e->octets = (struct wp_cuda_octets){
        .at = {transfer->x, transfer->y, transfer->z},
        .size = {halved(transfer->width), halved(transfer->height), halved(transfer->depth)},
    };
    for (int c = 0; c < WP_OCTET_BANDS; c++)
        if (transfer->used[c])
            e->octets.component[c] = find_component(gl->exec, &transfer->band[c]);
    for (int odd = 0; odd < 2; odd++) {
        e->shared[odd] =
            share(gl, transfer, texture[2 * transfer->surface + odd], reason, reason_size);
        if (e->shared[odd] < 0)
            return false;
    }
    return true;
}

static bool add_exchanges(struct wp_cuda_gl *gl, const struct wp_schedule *schedule,
                          const unsigned *texture, char *reason, size_t reason_size)
{
    bool ok = true;
    for (int p = 0; p < schedule->load_count && ok; p++)
        ok = add_exchange(gl, &schedule->load[p], true, texture, reason, reason_size);
    for (int p = 0; p < schedule->store_count && ok; p++)
        ok = add_exchange(gl, &schedule->store[p], false, texture, reason, reason_size);
    return ok;
}

// Allocates linear memory for LL bands between levels, and planes for levels that cannot run on
// surfaces.
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

static bool make_surfaces(struct wp_cuda_gl *gl)
{
    for (int s = 0; s < gl->count; s++) {
        gl->shared[s].first = gl->surfaces;
        gl->surfaces += gl->shared[s].layers;
    }
    gl->surface = wp_allocate((size_t)gl->surfaces, sizeof *gl->surface, "surfaces");
    return gl->surface != NULL;
}

static bool make_table(struct wp_cuda_gl *gl)
{
    const size_t floats = sizeof *gl->surface / sizeof(float);
    return wp_cuda_allocate(gl->exec, &gl->table, (size_t)gl->surfaces * floats, "surfaces");
}

static bool set_up(struct wp_cuda_gl *gl, const struct wp_schedule *schedule,
                   const unsigned *texture, char *reason, size_t reason_size)
{
    const int number = wp_cuda_gl_device(reason, reason_size);
    if (number < 0)
        return false;
    gl->device = wp_backend_cuda.open(number, true, reason, reason_size);
    if (!gl->device)
        return false;
    if (wp_description_depth(&schedule->description) > 1) {
        gl->exec = wp_backend_cuda.prepare(gl->device, &schedule->description, NULL);
        return gl->exec && wp_cuda_require_operands(gl->exec) &&
               add_exchanges(gl, schedule, texture, reason, reason_size) && make_surfaces(gl) &&
               make_table(gl);
    }
    gl->exec = wp_cuda_exec_create(gl->device, &schedule->description, "shared textures");
    return gl->exec && add_locations(gl, schedule, texture, reason, reason_size) &&
           make_surfaces(gl) && make_memory(gl);
}

struct wp_cuda_gl *wp_cuda_gl_create(const struct wp_schedule *schedule, const unsigned *texture,
                                     char *reason, size_t reason_size)
{
    struct wp_cuda_gl *gl = wp_allocate(1, sizeof *gl, "shared textures");
    snprintf(reason, reason_size, "%s", "");
    if (gl && !set_up(gl, schedule, texture, reason, reason_size))
        wp_cuda_gl_destroy(&gl);
    return gl;
}

static void drop_surfaces(struct wp_cuda_gl *gl)
{
    for (int i = 0; i < gl->surfaces; i++) {
        if (gl->surface[i])
            cudaDestroySurfaceObject(gl->surface[i]);
        gl->surface[i] = 0;
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
    free(gl->surface);
    wp_cuda_exec_destroy(gl->exec);
    if (gl->device)
        wp_backend_cuda.close(gl->device);
    free(gl);
}

static void list_resources(const struct wp_cuda_gl *gl, struct cudaGraphicsResource *list[])
{
    for (int s = 0; s < gl->count; s++)
        list[s] = gl->shared[s].resource;
}

// The array may change at each map, so it is queried and checked each time. Each layer of an array
// texture is a CUDA array.
static cudaError_t open_layer(const struct shared_texture *shared, int layer,
                              cudaSurfaceObject_t *surface)
{
    cudaArray_t array = NULL;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;
    unsigned flags = 0;
    cudaError_t error = cudaGraphicsSubResourceGetMappedArray(&array, shared->resource,
                                                              (unsigned)layer, 0);
    if (error == cudaSuccess)
        error = cudaArrayGetInfo(&format, &extent, &flags, array);
    if (error == cudaSuccess &&
        (format.f != cudaChannelFormatKindFloat || format.x != 32 || format.y != 32 ||
         format.z != 32 || format.w != 32 || extent.width < (size_t)shared->width ||
         extent.height < (size_t)shared->height))
        error = cudaErrorInvalidSurface;
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray,
                                              .res.array.array = array};
    return error == cudaSuccess ? cudaCreateSurfaceObject(surface, &resource) : error;
}

static cudaError_t open_surfaces(struct wp_cuda_gl *gl)
{
    cudaError_t error = cudaSuccess;
    for (int s = 0; s < gl->count; s++)
        for (int l = 0; l < gl->shared[s].layers && error == cudaSuccess; l++)
            error = open_layer(&gl->shared[s], l, &gl->surface[gl->shared[s].first + l]);
    if (error == cudaSuccess && gl->table)
        error = cudaMemcpyAsync(gl->table, gl->surface, (size_t)gl->surfaces * sizeof *gl->surface,
                                cudaMemcpyHostToDevice, NULL);
    return error;
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
    error = open_surfaces(gl);
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

static struct wp_cuda_quads quads_of(const struct wp_cuda_gl *gl, const struct location *location)
{
    return (struct wp_cuda_quads){gl->surface[gl->shared[location->shared].first], location->x,
                                  location->y};
}

static cudaError_t exchange(const struct wp_cuda_gl *gl, bool loads)
{
    int error = cudaSuccess;
    for (int i = 0; i < gl->exchanges && error == cudaSuccess; i++) {
        const struct exchange *e = &gl->exchange[i];
        struct wp_cuda_octets octets = e->octets;
        const unsigned long long *table = (const unsigned long long *)(const void *)gl->table;
        for (int odd = 0; odd < 2; odd++)
            octets.surface[odd] = table + gl->shared[e->shared[odd]].first;
        if (e->loads == loads)
            error = wp_cuda_octets_run(&octets, !loads, gl->exec->level->stream);
    }
    return (cudaError_t)error;
}

static cudaError_t launch_volume(const struct wp_cuda_gl *gl)
{
    cudaError_t error = exchange(gl, true);
    if (error == cudaSuccess)
        error = wp_cuda_launch(gl->exec);
    return error == cudaSuccess ? exchange(gl, false) : error;
}

static cudaError_t launch(const struct wp_cuda_gl *gl)
{
    if (gl->exchanges)
        return launch_volume(gl);
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
