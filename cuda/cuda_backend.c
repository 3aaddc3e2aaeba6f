// The CUDA backend: planes and bands in linear device memory.
#include "backends.h"
#include "cuda_exec.h"
#include "cuda_ranges.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

void wp_cuda_exec_destroy(struct wp_exec *exec)
{
    if (!exec)
        return;
    cudaSetDevice(exec->device->number);
    if (exec->own)
        exec->method->release(exec);
    wp_cuda_free_buffers(exec);
    if (exec->start)
        cudaEventDestroy(exec->start);
    if (exec->stop)
        cudaEventDestroy(exec->stop);
    free(exec->level);
    free(exec);
}

static struct wp_exec *make_exec(struct wp_device *device, const struct wp_cuda_method *method,
                                 const char *name, int width, int height)
{
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->device = device;
    exec->method = method;
    exec->name = name;
    exec->width = width;
    exec->height = height;
    exec->pitch = wp_cuda_pitch(width);
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaEventCreate(&exec->start);
    if (error == cudaSuccess)
        error = cudaEventCreate(&exec->stop);
    if (error == cudaSuccess)
        return exec;
    wp_cuda_fail(error, "preparing a transform");
    wp_cuda_exec_destroy(exec);
    return NULL;
}

// What the method wants of its own.
static struct wp_exec *finish(struct wp_exec *exec)
{
    const cudaError_t error =
        exec->method->prepare ? (cudaError_t)exec->method->prepare(exec) : cudaSuccess;
    if (error == cudaSuccess)
        return exec;
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        wp_fail(WP_ERROR_TOO_LARGE, "not enough device memory for '%s' of %dx%d", exec->name,
                exec->width, exec->height);
    } else {
        wp_cuda_fail(error, "preparing a transform");
    }
    wp_cuda_exec_destroy(exec);
    return NULL;
}

struct wp_exec *wp_cuda_exec_create(struct wp_device *device, const struct wp_plan *plan)
{
    struct wp_exec *exec =
        make_exec(device, NULL, "shared textures", plan->params.width, plan->params.height);
    if (!exec)
        return NULL;
    exec->plan = plan;
    wp_cuda_make_levels(exec);
    return exec;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant)
{
    if (!variant)
        variant = wp_cuda_choose(plan);
    struct wp_exec *exec = make_exec(device, wp_cuda_variant_method(variant), variant->name,
                                     plan->params.width, plan->params.height);
    if (!exec)
        return NULL;
    exec->plan = plan;
    exec->variant = variant;
    wp_cuda_make_levels(exec);
    if (!wp_cuda_make_memory(exec)) {
        wp_cuda_exec_destroy(exec);
        return NULL;
    }
    return finish(exec);
}

static const struct wp_variant *get_variant(const struct wp_exec *exec)
{
    return exec->variant;
}

static struct wp_exec *prepare_ceiling(struct wp_device *device, const struct wp_ceiling *ceiling,
                                       int width, int height)
{
    struct wp_exec *exec =
        make_exec(device, wp_cuda_ceiling_method(ceiling), ceiling->name, width, height);
    return exec ? finish(exec) : NULL;
}

// One band, or the whole plane, between host and device.
static cudaError_t transfer(float *host, int host_width, float *device, ptrdiff_t pitch, int width,
                            int height, bool to_device)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    const size_t host_pitch = (size_t)host_width * sizeof(float);
    const size_t device_pitch = (size_t)pitch * sizeof(float), row = (size_t)width * sizeof(float);
    return to_device ? cudaMemcpy2D(device, device_pitch, host, host_pitch, row, (size_t)height,
                                    cudaMemcpyHostToDevice)
                     : cudaMemcpy2D(host, host_pitch, device, device_pitch, row, (size_t)height,
                                    cudaMemcpyDeviceToHost);
}

static cudaError_t transfer_bands(const struct wp_exec *exec, float *host, bool to_device)
{
    const struct wp_plan_params *params = &exec->plan->params;
    for (int l = 0; l < params->levels; l++) {
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            if (b == WP_BAND_LL && l + 1 < params->levels)
                continue;
            const struct wp_band_view view = wp_band_view(
                params->width, params->height, l + 1, (enum wp_band)b, WP_LAYOUT_MALLAT);
            const struct wp_cuda_band *band = &exec->level[l].band[b];
            const cudaError_t error = transfer(host + view.offset, params->width, band->data,
                                               band->step_y, view.width, view.height, to_device);
            if (error != cudaSuccess)
                return error;
        }
    }
    return cudaSuccess;
}

// Samples where `samples`, else coefficients.
static bool exchange(const struct wp_exec *exec, float *host, bool samples, bool to_device)
{
    const struct wp_plan_params *params = &exec->plan->params;
    cudaError_t error = cudaSetDevice(exec->device->number);
    if (error == cudaSuccess) {
        if (samples || params->levels == 0)
            error = transfer(host, params->width, exec->plane, exec->pitch, params->width,
                             params->height, to_device);
        else if (params->layout == WP_LAYOUT_MIXED)
            error = transfer(host, params->width, exec->coefficients, exec->pitch, params->width,
                             params->height, to_device);
        else
            error = transfer_bands(exec, host, to_device);
    }
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}

static bool load(struct wp_exec *exec, const float *plane)
{
    // Nothing is written to the host's plane on the way to the device.
    return exchange(exec, (float *)plane, exec->plan->params.direction == WP_FORWARD, true);
}

static bool store(struct wp_exec *exec, float *plane)
{
    return exchange(exec, plane, exec->plan->params.direction == WP_INVERSE, false) &&
           wp_cuda_check_guards(exec);
}

static bool fail_run(const struct wp_exec *exec, cudaError_t error)
{
    if (!exec->plan)
        return wp_fail(WP_ERROR_INTERNAL, "the CUDA ceiling '%s' of %dx%d failed (%s)", exec->name,
                       exec->width, exec->height, cudaGetErrorString(error));
    const struct wp_plan_params *params = &exec->plan->params;
    return wp_fail(WP_ERROR_INTERNAL,
                   "the CUDA kernel '%s' of %s %s, %d levels of %dx%d, failed (%s)", exec->name,
                   params->wavelet->name,
                   wp_direction_names[params->direction], params->levels,
                   params->width, params->height, cudaGetErrorString(error));
}

static bool launch(const struct wp_exec *exec)
{
    cudaError_t error = cudaSetDevice(exec->device->number);
    wp_cuda_range_begin(exec->name);
    if (error == cudaSuccess && (!exec->plan || exec->levels > 0))
        error = (cudaError_t)exec->method->run(exec);
    wp_cuda_range_end();
    return error == cudaSuccess || fail_run(exec, error);
}

static bool run_all(struct wp_exec *const execs[], int count, double *seconds)
{
    const struct wp_exec *exec = execs[0];
    float milliseconds = 0;
    cudaError_t error = cudaSetDevice(exec->device->number);
    if (error == cudaSuccess)
        error = cudaEventRecord(exec->start, NULL);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        if (!launch(execs[i]))
            return false;
    if (error == cudaSuccess)
        error = cudaEventRecord(exec->stop, NULL);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(exec->stop);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, exec->start, exec->stop);
    if (error != cudaSuccess)
        return fail_run(exec, error);
    if (seconds)
        *seconds = 1e-3 * (double)milliseconds;
    return true;
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return run_all(&exec, 1, seconds);
}

const struct wp_backend wp_backend_cuda = {
    .name = "cuda",
    .summary = "CUDA kernels in registers, one launch a level",
    .schemeless = true,
    .open = wp_cuda_open,
    .close = wp_cuda_close,
    .describe = wp_cuda_describe,
    .facts = wp_cuda_facts,
    .variants = wp_cuda_variants,
    .prepare = prepare,
    .variant = get_variant,
    .ceilings = wp_cuda_ceilings,
    .prepare_ceiling = prepare_ceiling,
    .load = load,
    .run = run,
    .run_all = run_all,
    .cost = wp_cuda_cost,
    .store = store,
    .release = wp_cuda_exec_destroy,
};
