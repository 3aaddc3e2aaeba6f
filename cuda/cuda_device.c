// Devices of the CUDA backend: opening, facts about them, and time, measured with two events.
#include "cuda_exec.h"
#include "cuda_level.h"
#include "cuda_kernel.h"
#include "log.h"
#include "memory.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINIMUM_MAJOR = 7, MINIMUM_MINOR = 5 }; // compute capability that this build requires

// Returns NULL, or the reason why device `number` cannot be used.
static const char *check_device(int number, struct cudaDeviceProp *properties, char *reason,
                                size_t reason_size)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && number >= count) {
        snprintf(reason, reason_size, "there %s %d CUDA device%s, numbered from 0",
                 count == 1 ? "is" : "are", count, WP_PLURAL(count));
        return reason;
    }
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(properties, number);
    if (error == cudaSuccess &&
        (properties->major < MINIMUM_MAJOR ||
         (properties->major == MINIMUM_MAJOR && properties->minor < MINIMUM_MINOR))) {
        snprintf(reason, reason_size, "%s has compute capability %d.%d, this build requires %d.%d",
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

// Returns NULL, or the reason for a failure.
static const char *create_copy_streams(struct wp_device *device, char *reason, size_t reason_size)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 2 && error == cudaSuccess; i++)
        error = cudaStreamCreateWithFlags(&device->copy_stream[i], cudaStreamNonBlocking);
    if (error == cudaSuccess)
        return NULL;
    cudaGetLastError();
    snprintf(reason, reason_size, "CUDA: %s", cudaGetErrorString(error));
    return reason;
}

struct wp_device *wp_cuda_open(int index, bool quiet, char *reason, size_t reason_size)
{
    struct wp_device *device = wp_allocate(1, sizeof *device, "a device");
    snprintf(reason, reason_size, "%s", "");
    if (!device)
        return NULL;
    device->number = index < 0 ? 0 : index;
    if (check_device(device->number, &device->properties, reason, reason_size) ||
        create_copy_streams(device, reason, reason_size)) {
        wp_cuda_close(device);
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE,
                    "backend 'cuda' is not available (%s)"
                    "\nhint: 'wavepass info' shows what works; backend 'cpu' needs no GPU",
                    reason);
        return NULL;
    }
    const char *guard = getenv("WAVEPASS_CUDA_GUARD");
    device->guard = guard && strcmp(guard, "") != 0 && strcmp(guard, "0") != 0;
    return device;
}

void wp_cuda_close(struct wp_device *device)
{
    for (int i = 0; i < 2; i++)
        if (device->copy_stream[i])
            cudaStreamDestroy(device->copy_stream[i]);
    free(device);
}

void wp_cuda_describe(const struct wp_device *device, struct wp_device_info *info)
{
    *info = (struct wp_device_info){.timer = "CUDA events",
                                    .cache = (size_t)device->properties.l2CacheSize};
    snprintf(info->name, sizeof info->name, "%.127s", device->properties.name);
}

static int attribute(const struct wp_device *device, enum cudaDeviceAttr name)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, device->number) == cudaSuccess ? value : 0;
}

void wp_cuda_facts(const struct wp_device *device,
                   void (*add)(void *user, const char *key, const char *value), void *user)
{
    const struct cudaDeviceProp *p = &device->properties;
    char text[64];
    int version = 0;
    if (cudaDriverGetVersion(&version) == cudaSuccess) {
        snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        add(user, "cuda_driver", text);
    }
    if (cudaRuntimeGetVersion(&version) == cudaSuccess) {
        snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        add(user, "cuda_runtime", text);
    }
    const int nvrtc = wp_cuda_nvrtc_version();
    if (nvrtc)
        snprintf(text, sizeof text, "%d.%d", nvrtc / 1000, nvrtc % 1000 / 10);
    add(user, "nvrtc", nvrtc ? text : wp_cuda_nvrtc_why_not());
    const struct {
        const char *key;
        double value;
        const char *unit;
    } numbers[] = {
        {"multiprocessors", p->multiProcessorCount, ""},
        {"clock_max", attribute(device, cudaDevAttrClockRate) / 1e3, " MHz"},
        {"memory_clock_max", attribute(device, cudaDevAttrMemoryClockRate) / 1e3, " MHz"},
        {"memory_bus", p->memoryBusWidth, " bit"},
        {"memory", (double)p->totalGlobalMem / (1 << 20), " MiB"},
        {"l2_cache", (double)p->l2CacheSize / (1 << 20), " MiB"},
        {"shared_memory_per_block", (double)p->sharedMemPerBlockOptin / (1 << 10), " KiB"},
    };
    snprintf(text, sizeof text, "%d.%d", p->major, p->minor);
    add(user, "compute_capability", text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(text, sizeof text, "%.0f%s", numbers[i].value, numbers[i].unit);
        add(user, numbers[i].key, text);
    }
    add(user, "ecc", p->ECCEnabled ? "on" : "off");
}

cudaError_t wp_cuda_timer_create(struct wp_cuda_timer *timer)
{
    const cudaError_t error = cudaEventCreate(&timer->start);
    return error == cudaSuccess ? cudaEventCreate(&timer->stop) : error;
}

void wp_cuda_timer_destroy(struct wp_cuda_timer *timer)
{
    if (timer->start)
        cudaEventDestroy(timer->start);
    if (timer->stop)
        cudaEventDestroy(timer->stop);
    *timer = (struct wp_cuda_timer){0};
}

cudaError_t wp_cuda_timer_begin(const struct wp_cuda_timer *timer)
{
    return cudaEventRecord(timer->start, NULL);
}

cudaError_t wp_cuda_timer_end(const struct wp_cuda_timer *timer, double *seconds)
{
    float milliseconds = 0;
    cudaError_t error = cudaEventRecord(timer->stop, NULL);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(timer->stop);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, timer->start, timer->stop);
    if (seconds)
        *seconds = 1e-3 * (double)milliseconds;
    return error;
}
