// The CUDA backend: planes and bands in linear device memory, a launch a level. It takes the
// transform from the plan's parameters; the plan's passes are those of fragment shaders.
#include "cuda_backend.h"
#include "cuda_level.h"
#include "log.h"
#include "memory.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WP_CUDA_EXTEND_MIRROR == (int)WP_EXTEND_MIRROR &&
                   (int)WP_CUDA_EXTEND_WRAP == (int)WP_EXTEND_WRAP &&
                   (int)WP_CUDA_EXTEND_CLAMP == (int)WP_EXTEND_CLAMP &&
                   (int)WP_CUDA_EXTEND_ZERO == (int)WP_EXTEND_ZERO,
               "cuda_level.h repeats enum wp_extension");

enum { MINIMUM_MAJOR = 7, MINIMUM_MINOR = 5 }; // of the compute capability this is compiled for

struct wp_device {
    int number;
    char name[128];
    size_t cache; // of level 2, in bytes
};

struct wp_exec {
    int device;
    const struct wp_plan *plan;
    struct wp_cuda_level *level;
    float *plane;        // the samples
    float *coefficients; // every band in a rectangle of its own, or the plane of the mixed layout
    float *between;      // LL bands that are inputs of a next level; NULL where there is none
    float *scratch;      // NULL where no level needs it
    int pitch;           // of `plane` and of coefficients in the mixed layout
    cudaEvent_t start, stop;
};

// Rows begin at a multiple of this many floats: whole 128-byte lines.
static int pitch_of(int width)
{
    enum { LINE = 32 };
    return (width + LINE - 1) / LINE * LINE;
}

static bool fail_cuda(cudaError_t error, const char *what)
{
    return wp_fail(WP_ERROR_INTERNAL, "%s failed (CUDA: %s)", what, cudaGetErrorString(error));
}

// NULL, or why device `number` cannot be used.
static const char *check_device(int number, struct cudaDeviceProp *properties, char *reason,
                                size_t reason_size)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && number >= count) {
        snprintf(reason, reason_size, "there %s %d CUDA device%s, numbered from 0",
                 count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
        return reason;
    }
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(properties, number);
    if (error == cudaSuccess &&
        (properties->major < MINIMUM_MAJOR ||
         (properties->major == MINIMUM_MAJOR && properties->minor < MINIMUM_MINOR))) {
        snprintf(reason, reason_size, "%s has compute capability %d.%d, this build needs %d.%d",
                 properties->name, properties->major, properties->minor, (int)MINIMUM_MAJOR,
                 (int)MINIMUM_MINOR);
        return reason;
    }
    if (error == cudaSuccess)
        error = cudaSetDevice(number);
    if (error == cudaSuccess)
        error = (cudaError_t)wp_cuda_probe();
    if (error == cudaSuccess)
        return NULL;
    cudaGetLastError();
    snprintf(reason, reason_size, "CUDA: %s", cudaGetErrorString(error));
    return reason;
}

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    struct cudaDeviceProp properties;
    const int number = index < 0 ? 0 : index;
    snprintf(reason, reason_size, "%s", "");
    if (check_device(number, &properties, reason, reason_size)) {
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE,
                    "backend 'cuda' is not available (%s)"
                    "\nhint: 'wavepass info' shows what works; -b cpu needs no GPU",
                    reason);
        return NULL;
    }
    struct wp_device *device = wp_xcalloc(1, sizeof *device);
    device->number = number;
    device->cache = (size_t)properties.l2CacheSize;
    snprintf(device->name, sizeof device->name, "%.127s", properties.name);
    return device;
}

static void close_device(struct wp_device *device)
{
    free(device);
}

static void describe(const struct wp_device *device, struct wp_device_info *info)
{
    *info = (struct wp_device_info){.timer = "CUDA events", .cache = device->cache};
    memcpy(info->name, device->name, sizeof info->name);
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    cudaSetDevice(exec->device);
    cudaFree(exec->plane);
    cudaFree(exec->coefficients);
    cudaFree(exec->between);
    cudaFree(exec->scratch);
    if (exec->start)
        cudaEventDestroy(exec->start);
    if (exec->stop)
        cudaEventDestroy(exec->stop);
    free(exec->level);
    free(exec);
}

static bool allocate(float **memory, size_t floats, const char *what)
{
    if (floats == 0)
        return true;
    const cudaError_t error = cudaMalloc((void **)memory, floats * sizeof(float));
    if (error == cudaSuccess)
        return true;
    *memory = NULL;
    cudaGetLastError();
    if (error != cudaErrorMemoryAllocation)
        return fail_cuda(error, "allocating device memory");
    size_t available = 0, total = 0;
    cudaMemGetInfo(&available, &total);
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "not enough device memory for %s (%zu bytes asked for, %zu free)"
                   "\nhint: a smaller image, or -b cpu",
                   what, floats * sizeof(float), available);
}

static void set_step(struct wp_cuda_step *step, const struct wp_filter *filter, double sign)
{
    step->count = filter->count;
    for (int t = 0; t < filter->count; t++) {
        step->k[t] = filter->tap[t].k;
        step->c[t] = (float)(sign * filter->tap[t].c);
    }
}

static void set_steps(struct wp_cuda_level *level, const struct wp_plan_params *params)
{
    const struct wp_wavelet *wavelet = params->wavelet;
    level->inverse = params->direction == WP_INVERSE;
    level->steps = 2 * wavelet->pairs;
    for (int p = 0; p < wavelet->pairs; p++) {
        if (!level->inverse) {
            set_step(&level->step[2 * p], &wavelet->pair[p].predict, 1);
            set_step(&level->step[2 * p + 1], &wavelet->pair[p].update, 1);
        } else {
            const int q = wavelet->pairs - 1 - p;
            set_step(&level->step[2 * p], &wavelet->pair[q].update, -1);
            set_step(&level->step[2 * p + 1], &wavelet->pair[q].predict, -1);
        }
    }
    if (params->border == WP_BORDER_PERIODIC)
        level->extension = WP_CUDA_EXTEND_WRAP;
    else if (wavelet->symmetry == WP_SYMMETRY_WHOLE)
        level->extension = WP_CUDA_EXTEND_MIRROR;
    else
        level->extension = level->inverse ? WP_CUDA_EXTEND_ZERO : WP_CUDA_EXTEND_CLAMP;
}

// A component's gain: of each axis that is longer than one sample.
static void set_scale(struct wp_cuda_level *level, const struct wp_plan_params *params)
{
    const double zeta = params->norm == WP_NORM_NONE ? 1.0 : params->wavelet->zeta;
    const double root = params->norm == WP_NORM_ORTHONORMAL ? sqrt(2.0) : 1.0;
    const double gain[2] = {root / zeta, zeta / root};
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const double scale = (level->width > 1 ? gain[b & 1] : 1.0) *
                             (level->height > 1 ? gain[b >> 1] : 1.0);
        level->scale[b] = (float)(level->inverse ? 1.0 / scale : scale);
    }
}

// Offsets of bands in memory that is not there yet: counted by a first walk with base NULL.
struct arena {
    float *base;
    size_t used;
};

static struct wp_cuda_band take_band(struct arena *arena, int width, int height)
{
    const struct wp_cuda_band band = {
        .data = arena->base ? arena->base + arena->used : NULL,
        .step_x = 1,
        .step_y = pitch_of(width),
    };
    arena->used += (size_t)pitch_of(width) * (size_t)height;
    return band;
}

static void set_bands(struct wp_exec *exec, struct arena *coefficients, struct arena *between)
{
    const struct wp_plan_params *params = &exec->plan->params;
    for (int l = 0; l < params->levels; l++) {
        struct wp_cuda_level *level = &exec->level[l];
        level->plane = exec->plane;
        level->pitch = exec->pitch;
        if (l > 0) {
            level->plane = level[-1].band[WP_BAND_LL].data;
            level->pitch = (int)level[-1].band[WP_BAND_LL].step_y;
        }
        level->scratch = exec->scratch;
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            const bool inner = b == WP_BAND_LL && l + 1 < params->levels;
            struct wp_band_view view = wp_band_view(exec->pitch, params->height, l + 1,
                                                    (enum wp_band)b, WP_LAYOUT_MIXED);
            if (inner || params->layout == WP_LAYOUT_MALLAT) {
                view = wp_band_view(params->width, params->height, l + 1, (enum wp_band)b,
                                    WP_LAYOUT_MALLAT);
                level->band[b] = take_band(inner ? between : coefficients, view.width,
                                           view.height);
            } else {
                level->band[b] = (struct wp_cuda_band){
                    .data = coefficients->base ? coefficients->base + view.offset : NULL,
                    .step_x = view.step_x,
                    .step_y = view.step_y,
                };
            }
        }
    }
    if (params->layout == WP_LAYOUT_MIXED)
        coefficients->used = (size_t)exec->pitch * (size_t)params->height;
}

static bool make_memory(struct wp_exec *exec)
{
    const struct wp_plan_params *params = &exec->plan->params;
    const size_t pixels = (size_t)exec->pitch * (size_t)params->height;
    struct arena coefficients = {0}, between = {0};
    set_bands(exec, &coefficients, &between);
    bool scratch = false;
    for (int l = 0; l < params->levels; l++)
        scratch = scratch || (!exec->level[l].inverse &&
                              wp_cuda_level_kernel(&exec->level[l]) == WP_CUDA_KERNEL_STEPS);
    if (!allocate(&exec->plane, pixels, "the image") ||
        !allocate(&exec->coefficients, params->levels ? coefficients.used : 0,
                  "the coefficients") ||
        !allocate(&exec->between, between.used, "the levels between") ||
        !allocate(&exec->scratch, scratch ? pixels : 0, "the lifting steps"))
        return false;
    coefficients = (struct arena){.base = exec->coefficients};
    between = (struct arena){.base = exec->between};
    set_bands(exec, &coefficients, &between);
    return true;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant)
{
    (void)variant;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->device = device->number;
    exec->plan = plan;
    exec->pitch = pitch_of(plan->params.width);
    exec->level = wp_xcalloc((size_t)plan->params.levels, sizeof *exec->level);
    for (int l = 0; l < plan->params.levels; l++) {
        exec->level[l].width = wp_level_size(plan->params.width, l);
        exec->level[l].height = wp_level_size(plan->params.height, l);
        set_steps(&exec->level[l], &plan->params);
        set_scale(&exec->level[l], &plan->params);
    }
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaEventCreate(&exec->start);
    if (error == cudaSuccess)
        error = cudaEventCreate(&exec->stop);
    if (error != cudaSuccess)
        fail_cuda(error, "preparing a transform");
    if (error != cudaSuccess || !make_memory(exec)) {
        release(exec);
        return NULL;
    }
    return exec;
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
    cudaError_t error = cudaSetDevice(exec->device);
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
           fail_cuda(error, to_device ? "copying to the device" : "copying from the device");
}

static bool load(struct wp_exec *exec, const float *plane)
{
    // Nothing is written to the host's plane on the way to the device.
    return exchange(exec, (float *)plane, exec->plan->params.direction == WP_FORWARD, true);
}

static bool store(struct wp_exec *exec, float *plane)
{
    return exchange(exec, plane, exec->plan->params.direction == WP_INVERSE, false);
}

static cudaError_t launch_all(const struct wp_exec *exec)
{
    const int levels = exec->plan->params.levels;
    const bool inverse = exec->plan->params.direction == WP_INVERSE;
    const int fused = wp_cuda_fused_levels(exec->level, levels);
    cudaError_t error = cudaSuccess;
    if (fused && !inverse)
        error = (cudaError_t)wp_cuda_fused_run(exec->level, fused);
    for (int i = fused; i < levels && error == cudaSuccess; i++) {
        const struct wp_cuda_level *level = &exec->level[inverse ? levels - 1 - (i - fused) : i];
        error = (cudaError_t)wp_cuda_level_run(level, wp_cuda_level_kernel(level));
    }
    if (fused && inverse && error == cudaSuccess)
        error = (cudaError_t)wp_cuda_fused_run(exec->level, fused);
    return error;
}

static bool fail_run(const struct wp_exec *exec, cudaError_t error)
{
    const struct wp_plan_params *params = &exec->plan->params;
    return wp_fail(WP_ERROR_INTERNAL, "the CUDA kernel of %s %s, %d levels of %dx%d, failed (%s)",
                   params->wavelet->name,
                   params->direction == WP_FORWARD ? "forward" : "inverse", params->levels,
                   params->width, params->height, cudaGetErrorString(error));
}

bool wp_cuda_exec_launch(struct wp_exec *exec)
{
    cudaError_t error = cudaSetDevice(exec->device);
    if (error == cudaSuccess)
        error = launch_all(exec);
    return error == cudaSuccess || fail_run(exec, error);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    float milliseconds = 0;
    cudaError_t error = cudaSetDevice(exec->device);
    if (error == cudaSuccess)
        error = cudaEventRecord(exec->start, NULL);
    if (error == cudaSuccess)
        error = launch_all(exec);
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

const struct wp_backend wp_backend_cuda = {
    .name = "cuda",
    .summary = "CUDA kernels in registers, one launch a level",
    .schemeless = true,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .prepare = prepare,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
};
