// The CUDA backend: planes and bands in linear device memory.
#include "cuda_exec.h"

#include "cuda_backend.h"
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
    wp_cuda_timer_destroy(&exec->timer);
    free(exec->level);
    free(exec);
}

struct wp_exec *wp_cuda_exec_create(struct wp_device *device,
                                    const struct wp_description *description, const char *name)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->device = device;
    exec->name = name;
    exec->wavelet = *description->wavelet;
    exec->description = *description;
    exec->description.wavelet = &exec->wavelet;
    exec->pitch = wp_cuda_pitch(description->size[WP_X]);
    if (!wp_cuda_make_levels(exec)) {
        wp_cuda_exec_destroy(exec);
        return NULL;
    }
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_create(&exec->timer);
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
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for '%s' of %dx%d", exec->name,
                exec->description.size[WP_X], exec->description.size[WP_Y]);
    } else {
        wp_cuda_fail(error, "preparing a transform");
    }
    wp_cuda_exec_destroy(exec);
    return NULL;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    if (!variant)
        variant = wp_cuda_choose(description);
    struct wp_exec *exec = wp_cuda_exec_create(device, description, variant->name);
    if (!exec)
        return NULL;
    exec->variant = variant;
    exec->method = variant->own;
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

// An array in device memory.
struct rectangle {
    float *data;
    ptrdiff_t pitch;
    int width, height;
};

// Between it and a caller's view, on the host or the device: the runtime knows which.
static cudaError_t transfer(const struct wp_view *view, const struct rectangle *r, bool to_device)
{
    if (r->width == 0 || r->height == 0)
        return cudaSuccess;
    const size_t device_pitch = (size_t)r->pitch * sizeof(float);
    // Samples that do not lie side by side go a column at a time.
    const bool rows = view->step[WP_X] == 1;
    const size_t width = (rows ? (size_t)r->width : 1) * sizeof(float);
    // The distance to a second row may be any where there is none.
    const size_t pitch = r->height > 1 ? (size_t)view->step[WP_Y] * sizeof(float) : width;
    cudaError_t error = cudaSuccess;
    for (int x = 0; x < (rows ? 1 : r->width) && error == cudaSuccess; x++) {
        float *theirs = view->data + x * view->step[WP_X], *ours = r->data + x;
        error = to_device ? cudaMemcpy2D(ours, device_pitch, theirs, pitch, width,
                                         (size_t)r->height, cudaMemcpyDefault)
                          : cudaMemcpy2D(theirs, pitch, ours, device_pitch, width,
                                         (size_t)r->height, cudaMemcpyDefault);
    }
    return error;
}

static cudaError_t transfer_bands(const struct wp_exec *exec, const struct wp_place *place,
                                  bool to_device)
{
    const struct wp_description *d = &exec->description;
    cudaError_t error = cudaSuccess;
    for (int l = 1; l <= d->levels; l++) {
        for (int b = l < d->levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++) {
            const struct wp_view view = wp_place_band(d, place, l, (enum wp_band)b, 0);
            const struct wp_band_grid grid = wp_description_band(d, l, (enum wp_band)b);
            const struct wp_cuda_band *band = &exec->level[l - 1].band[b];
            const struct rectangle r = {band->data, band->step_y, grid.size[WP_X],
                                        grid.size[WP_Y]};
            if (error == cudaSuccess)
                error = transfer(&view, &r, to_device);
        }
    }
    return error;
}

// Samples where `samples`, else coefficients.
static bool exchange(const struct wp_exec *exec, const struct wp_place *place, bool samples,
                     bool to_device)
{
    const struct wp_description *d = &exec->description;
    cudaError_t error = cudaSetDevice(exec->device->number);
    const bool whole = samples || d->levels == 0;
    const struct rectangle r = {whole ? exec->plane : exec->coefficients, exec->pitch,
                                d->size[WP_X], d->size[WP_Y]};
    if (error == cudaSuccess)
        error = whole || d->layout == WP_LAYOUT_MIXED ? transfer(&place->array, &r, to_device)
                                                      : transfer_bands(exec, place, to_device);
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}

static bool load(struct wp_exec *exec, const struct wp_place *from)
{
    return exchange(exec, from, exec->description.direction == WP_FORWARD, true);
}

static bool store(struct wp_exec *exec, const struct wp_place *to)
{
    return exchange(exec, to, exec->description.direction == WP_INVERSE, false) &&
           wp_cuda_check_guards(exec);
}

static bool fail_run(const struct wp_exec *exec, cudaError_t error)
{
    const struct wp_description *d = &exec->description;
    return wp_fail(WP_ERROR_INTERNAL,
                   "the CUDA kernel '%s' of %s %s, %d levels of %dx%d, failed (%s)", exec->name,
                   d->wavelet->name, wp_direction_names[d->direction], d->levels,
                   d->size[WP_X], d->size[WP_Y], cudaGetErrorString(error));
}

static cudaError_t launch(const struct wp_exec *exec)
{
    wp_cuda_range_begin(exec->name);
    const int error = exec->levels > 0 ? exec->method->run(exec) : cudaSuccess;
    wp_cuda_range_end();
    return (cudaError_t)error;
}

static bool run_all(struct wp_exec *const execs[], int count, double *seconds)
{
    const struct wp_exec *exec = execs[0];
    cudaError_t error = cudaSetDevice(exec->device->number);
    if (error == cudaSuccess)
        error = wp_cuda_timer_begin(&exec->timer);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = launch(execs[i]);
    if (error == cudaSuccess)
        error = wp_cuda_timer_end(&exec->timer, seconds);
    return error == cudaSuccess || fail_run(exec, error);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return run_all(&exec, 1, seconds);
}

static const struct wp_backend_bench bench = {
    .facts = wp_cuda_facts,
    .ceilings = wp_cuda_ceilings,
    .ceiling_prepare = wp_cuda_ceiling_prepare,
    .ceiling_run = wp_cuda_ceiling_run,
    .ceiling_release = wp_cuda_ceiling_release,
    .run_all = run_all,
    .cost = wp_cuda_cost,
};

const struct wp_backend wp_backend_cuda = {
    .name = "cuda",
    .summary = "CUDA kernels in registers, one or two levels a launch",
    .schemeless = true,
    .open = wp_cuda_open,
    .close = wp_cuda_close,
    .describe = wp_cuda_describe,
    .variants = wp_cuda_variants,
    .prepare = prepare,
    .variant = get_variant,
    .load = load,
    .run = run,
    .store = store,
    .release = wp_cuda_exec_destroy,
    .bench = &bench,
};
