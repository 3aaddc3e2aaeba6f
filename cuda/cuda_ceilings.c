// Copies that no transform can beat.
#include "cuda_exec.h"
#include "memory.h"

#include <stdlib.h>

enum { COPY, KERNEL_COPY, SURFACE_COPY };

const struct wp_ceiling wp_cuda_ceilings[] = {
    [COPY] = {.name = "copy",
              .summary = "cudaMemcpyAsync from one image to another",
              .bytes = 8,
              .fetches = 0},
    // Quicker to start, which is what counts for small images.
    [KERNEL_COPY] = {.name = "kernel-copy",
                     .summary = "a kernel that does the same, 16 bytes a thread",
                     .bytes = 8,
                     .fetches = 0},
    [SURFACE_COPY] = {.name = "surface-copy",
                      .summary = "one RGBA32F surface to another, a quad a thread",
                      .bytes = 8,
                      .fetches = 1},
    {0},
};

struct images {
    void *from, *to;
};

static void release_images(struct wp_exec *exec)
{
    struct images *images = exec->own;
    cudaFree(images->from);
    cudaFree(images->to);
    free(images);
}

static size_t image_bytes(const struct wp_exec *exec)
{
    const size_t unit = 4 * sizeof(float);
    return ((size_t)exec->width * (size_t)exec->height * sizeof(float) + unit - 1) / unit * unit;
}

static int prepare_images(struct wp_exec *exec)
{
    struct images *images = wp_xcalloc(1, sizeof *images);
    exec->own = images;
    cudaError_t error = cudaMalloc(&images->from, image_bytes(exec));
    if (error == cudaSuccess)
        error = cudaMalloc(&images->to, image_bytes(exec));
    if (error == cudaSuccess)
        error = cudaMemset(images->from, 1, image_bytes(exec));
    return (int)error;
}

static int copy_images(const struct wp_exec *exec)
{
    const struct images *images = exec->own;
    return (int)cudaMemcpyAsync(images->to, images->from, image_bytes(exec),
                                cudaMemcpyDeviceToDevice, NULL);
}

static int copy_by_kernel(const struct wp_exec *exec)
{
    const struct images *images = exec->own;
    return wp_cuda_copy_run(images->from, images->to, image_bytes(exec));
}

static void release_surfaces(struct wp_exec *exec)
{
    wp_cuda_surfaces_destroy(exec->own);
}

static int prepare_surfaces(struct wp_exec *exec)
{
    return wp_cuda_surfaces_create((exec->width + 1) / 2, (exec->height + 1) / 2,
                                   (struct wp_cuda_surfaces **)&exec->own);
}

static int copy_surfaces(const struct wp_exec *exec)
{
    return wp_cuda_surfaces_copy(exec->own);
}

static const struct wp_cuda_method methods[] = {
    [COPY] = {.run = copy_images, .prepare = prepare_images, .release = release_images},
    [KERNEL_COPY] = {.run = copy_by_kernel, .prepare = prepare_images, .release = release_images},
    [SURFACE_COPY] = {.run = copy_surfaces,
                      .prepare = prepare_surfaces,
                      .release = release_surfaces},
};

const struct wp_cuda_method *wp_cuda_ceiling_method(const struct wp_ceiling *ceiling)
{
    return &methods[ceiling - wp_cuda_ceilings];
}
