// Copies that bound the speed of transforms: the ceilings of the backend.
#include "cuda_exec.h"
#include "cuda_nvtx.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

// How a ceiling runs; its private data. Functions return a cudaError_t.
struct copy {
    int (*prepare)(struct wp_ceiling_run_state *state);
    int (*run)(const struct wp_ceiling_run_state *state);
    void (*release)(struct wp_ceiling_run_state *state);
};

struct wp_ceiling_run_state {
    const struct wp_device *device;
    const struct wp_ceiling *ceiling;
    const struct copy *copy;
    int width, height;
    void *from, *to;
    struct wp_cuda_surfaces *surfaces;
    struct wp_cuda_timer timer;
};

static void release_images(struct wp_ceiling_run_state *state)
{
    cudaFree(state->from);
    cudaFree(state->to);
}

static size_t image_bytes(const struct wp_ceiling_run_state *state)
{
    const size_t unit = 4 * sizeof(float);
    return ((size_t)state->width * (size_t)state->height * sizeof(float) + unit - 1) / unit * unit;
}

static int prepare_images(struct wp_ceiling_run_state *state)
{
    cudaError_t error = cudaMalloc(&state->from, image_bytes(state));
    if (error == cudaSuccess)
        error = cudaMalloc(&state->to, image_bytes(state));
    if (error == cudaSuccess)
        error = cudaMemset(state->from, 1, image_bytes(state));
    return (int)error;
}

static int copy_images(const struct wp_ceiling_run_state *state)
{
    return (int)cudaMemcpyAsync(state->to, state->from, image_bytes(state),
                                cudaMemcpyDeviceToDevice, NULL);
}

static int copy_by_kernel(const struct wp_ceiling_run_state *state)
{
    return wp_cuda_copy_run(state->from, state->to, image_bytes(state));
}

static void release_surfaces(struct wp_ceiling_run_state *state)
{
    if (state->surfaces)
        wp_cuda_surfaces_destroy(state->surfaces);
}

static int prepare_surfaces(struct wp_ceiling_run_state *state)
{
    return wp_cuda_surfaces_create((state->width + 1) / 2, (state->height + 1) / 2,
                                   &state->surfaces);
}

static int copy_surfaces(const struct wp_ceiling_run_state *state)
{
    return wp_cuda_surfaces_copy(state->surfaces);
}

const struct wp_ceiling wp_cuda_ceilings[] = {
    {.name = "copy",
     .summary = "cudaMemcpyAsync from one image to another",
     .bytes = 8,
     .fetches = 0,
     .private_data = &(const struct copy){prepare_images, copy_images, release_images}},
    // Its launch takes less time, which matters for small images.
    {.name = "kernel-copy",
     .summary = "a kernel that does the same, 16 bytes per thread",
     .bytes = 8,
     .fetches = 0,
     .private_data = &(const struct copy){prepare_images, copy_by_kernel, release_images}},
    {.name = "surface-copy",
     .summary = "one RGBA32F surface to another, one quad per thread",
     .bytes = 8,
     .fetches = 1,
     .private_data = &(const struct copy){prepare_surfaces, copy_surfaces, release_surfaces}},
    {0},
};

static bool fail(const struct wp_ceiling_run_state *state, cudaError_t error)
{
    if (error != cudaErrorMemoryAllocation)
        return wp_fail(WP_ERROR_INTERNAL, "the CUDA ceiling '%s' of %dx%d failed (%s)",
                       state->ceiling->name, state->width, state->height,
                       cudaGetErrorString(error));
    cudaGetLastError();
    return wp_fail(WP_ERROR_TOO_LARGE, "not enough device memory for '%s' of %dx%d",
                   state->ceiling->name, state->width, state->height);
}

struct wp_ceiling_run_state *wp_cuda_ceiling_prepare(struct wp_device *device,
                                                const struct wp_ceiling *ceiling, int width,
                                                int height)
{
    struct wp_ceiling_run_state *state = wp_allocate(1, sizeof *state, "a copy");
    if (!state)
        return NULL;
    *state = (struct wp_ceiling_run_state){
        .device = device,
        .ceiling = ceiling,
        .copy = ceiling->private_data,
        .width = width,
        .height = height,
    };
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_create(&state->timer);
    if (error == cudaSuccess)
        error = (cudaError_t)state->copy->prepare(state);
    if (error == cudaSuccess)
        return state;
    fail(state, error);
    wp_cuda_ceiling_release(state);
    return NULL;
}

bool wp_cuda_ceiling_run(struct wp_ceiling_run_state *const states[], int count, double *seconds)
{
    const struct wp_ceiling_run_state *state = states[0];
    cudaError_t error = cudaSetDevice(state->device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_begin(&state->timer);
    wp_cuda_range_begin(state->ceiling->name);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = (cudaError_t)states[i]->copy->run(states[i]);
    wp_cuda_range_end();
    if (error == cudaSuccess)
        error = wp_cuda_timer_end(&state->timer, seconds);
    return error == cudaSuccess || fail(state, error);
}

bool wp_cuda_ceiling_buffers(const struct wp_ceiling_run_state *state, void *buffer[2])
{
    if (state->surfaces) {
        wp_cuda_surfaces_arrays(state->surfaces, buffer);
    } else {
        buffer[0] = state->from;
        buffer[1] = state->to;
    }
    return state->surfaces != NULL;
}

void wp_cuda_ceiling_release(struct wp_ceiling_run_state *state)
{
    if (!state)
        return;
    cudaSetDevice(state->device->number);
    state->copy->release(state);
    wp_cuda_timer_destroy(&state->timer);
    free(state);
}
