// Copies that no transform can beat.
#include "cuda_exec.h"
#include "cuda_nvtx.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

// How a ceiling runs: its `own`. Functions return a cudaError_t.
struct copy {
    int (*prepare)(struct wp_ceiling_run_state *work);
    int (*run)(const struct wp_ceiling_run_state *work);
    void (*release)(struct wp_ceiling_run_state *work);
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

static void release_images(struct wp_ceiling_run_state *work)
{
    cudaFree(work->from);
    cudaFree(work->to);
}

static size_t image_bytes(const struct wp_ceiling_run_state *work)
{
    const size_t unit = 4 * sizeof(float);
    return ((size_t)work->width * (size_t)work->height * sizeof(float) + unit - 1) / unit * unit;
}

static int prepare_images(struct wp_ceiling_run_state *work)
{
    cudaError_t error = cudaMalloc(&work->from, image_bytes(work));
    if (error == cudaSuccess)
        error = cudaMalloc(&work->to, image_bytes(work));
    if (error == cudaSuccess)
        error = cudaMemset(work->from, 1, image_bytes(work));
    return (int)error;
}

static int copy_images(const struct wp_ceiling_run_state *work)
{
    return (int)cudaMemcpyAsync(work->to, work->from, image_bytes(work), cudaMemcpyDeviceToDevice,
                                NULL);
}

static int copy_by_kernel(const struct wp_ceiling_run_state *work)
{
    return wp_cuda_copy_run(work->from, work->to, image_bytes(work));
}

static void release_surfaces(struct wp_ceiling_run_state *work)
{
    if (work->surfaces)
        wp_cuda_surfaces_destroy(work->surfaces);
}

static int prepare_surfaces(struct wp_ceiling_run_state *work)
{
    return wp_cuda_surfaces_create((work->width + 1) / 2, (work->height + 1) / 2,
                                   &work->surfaces);
}

static int copy_surfaces(const struct wp_ceiling_run_state *work)
{
    return wp_cuda_surfaces_copy(work->surfaces);
}

const struct wp_ceiling wp_cuda_ceilings[] = {
    {.name = "copy",
     .summary = "cudaMemcpyAsync from one image to another",
     .bytes = 8,
     .fetches = 0,
     .private_data = &(const struct copy){prepare_images, copy_images, release_images}},
    // Quicker to start, which is what counts for small images.
    {.name = "kernel-copy",
     .summary = "a kernel that does the same, 16 bytes a thread",
     .bytes = 8,
     .fetches = 0,
     .private_data = &(const struct copy){prepare_images, copy_by_kernel, release_images}},
    {.name = "surface-copy",
     .summary = "one RGBA32F surface to another, a quad a thread",
     .bytes = 8,
     .fetches = 1,
     .private_data = &(const struct copy){prepare_surfaces, copy_surfaces, release_surfaces}},
    {0},
};

static bool fail(const struct wp_ceiling_run_state *work, cudaError_t error)
{
    if (error != cudaErrorMemoryAllocation)
        return wp_fail(WP_ERROR_INTERNAL, "the CUDA ceiling '%s' of %dx%d failed (%s)",
                       work->ceiling->name, work->width, work->height, cudaGetErrorString(error));
    cudaGetLastError();
    return wp_fail(WP_ERROR_TOO_LARGE, "not enough device memory for '%s' of %dx%d",
                   work->ceiling->name, work->width, work->height);
}

struct wp_ceiling_run_state *wp_cuda_ceiling_prepare(struct wp_device *device,
                                                const struct wp_ceiling *ceiling, int width,
                                                int height)
{
    struct wp_ceiling_run_state *work = wp_allocate(1, sizeof *work, "a copy");
    if (!work)
        return NULL;
    *work = (struct wp_ceiling_run_state){
        .device = device,
        .ceiling = ceiling,
        .copy = ceiling->private_data,
        .width = width,
        .height = height,
    };
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_create(&work->timer);
    if (error == cudaSuccess)
        error = (cudaError_t)work->copy->prepare(work);
    if (error == cudaSuccess)
        return work;
    fail(work, error);
    wp_cuda_ceiling_release(work);
    return NULL;
}

bool wp_cuda_ceiling_run(struct wp_ceiling_run_state *const works[], int count, double *seconds)
{
    const struct wp_ceiling_run_state *work = works[0];
    cudaError_t error = cudaSetDevice(work->device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_begin(&work->timer);
    wp_cuda_range_begin(work->ceiling->name);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = (cudaError_t)works[i]->copy->run(works[i]);
    wp_cuda_range_end();
    if (error == cudaSuccess)
        error = wp_cuda_timer_end(&work->timer, seconds);
    return error == cudaSuccess || fail(work, error);
}

bool wp_cuda_ceiling_buffers(const struct wp_ceiling_run_state *work, void *side[2])
{
    if (work->surfaces) {
        wp_cuda_surfaces_arrays(work->surfaces, side);
    } else {
        side[0] = work->from;
        side[1] = work->to;
    }
    return work->surfaces != NULL;
}

void wp_cuda_ceiling_release(struct wp_ceiling_run_state *work)
{
    if (!work)
        return;
    cudaSetDevice(work->device->number);
    work->copy->release(work);
    wp_cuda_timer_destroy(&work->timer);
    free(work);
}
