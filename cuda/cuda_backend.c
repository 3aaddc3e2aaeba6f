// The CUDA backend: planes and bands in linear device memory. Kernels run in the default stream;
// copies from and to the host run in other streams, which are not synchronized with it. Each call
// waits for the end of its work.
#include "cuda_exec.h"

#include "cuda_backend.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "elements.h"
#include "log.h"
#include "memory.h"

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

static void close_device(struct wp_device *device)
{
    for (int i = 0; i < 2; i++)
        if (device->copy_stream[i])
            cudaStreamDestroy(device->copy_stream[i]);
    free(device);
}

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    struct wp_device *device = wp_allocate(1, sizeof *device, "a device");
    snprintf(reason, reason_size, "%s", "");
    if (!device)
        return NULL;
    device->number = index < 0 ? 0 : index;
    if (check_device(device->number, &device->properties, reason, reason_size) ||
        create_copy_streams(device, reason, reason_size)) {
        close_device(device);
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

static void describe(const struct wp_device *device, struct wp_device_info *info)
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

static void add_facts(const struct wp_device *device,
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

void wp_cuda_exec_destroy(struct wp_exec *exec)
{
    if (!exec)
        return;
    cudaSetDevice(exec->device->number);
    wp_cuda_device_pointer_end(exec);
    if (exec->method_state)
        exec->method->release(exec);
    wp_cuda_release_typed(exec);
    wp_cuda_graph_free(exec);
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
    exec->slice = (ptrdiff_t)exec->pitch * description->size[WP_Y];
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

// Calls the method's prepare(). Destroys the exec after a failure.
static struct wp_exec *finish(struct wp_exec *exec)
{
    const cudaError_t error =
        exec->method->prepare ? (cudaError_t)exec->method->prepare(exec) : cudaSuccess;
    if (error == cudaSuccess)
        return exec;
    if (error == cudaErrorNotSupported) {
        // The method has reported the reason.
    } else if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for '%s' of %dx%d", exec->name,
                exec->description.size[WP_X], exec->description.size[WP_Y]);
    } else {
        wp_cuda_fail(error, "preparing a transform");
    }
    wp_cuda_exec_destroy(exec);
    return NULL;
}

static struct wp_exec *prepare_variant(struct wp_device *device,
                                       const struct wp_description *description,
                                       const struct wp_variant *variant)
{
    struct wp_exec *exec = wp_cuda_exec_create(device, description, variant->name);
    if (!exec)
        return NULL;
    exec->variant = variant;
    exec->method = variant->private_data;
    exec->dense = exec->method->run_operands;
    if (exec->dense) {
        exec->pitch = description->size[WP_X];
        exec->slice = (ptrdiff_t)exec->pitch * description->size[WP_Y];
    }
    if (!wp_cuda_make_memory(exec)) {
        wp_cuda_exec_destroy(exec);
        return NULL;
    }
    return finish(exec);
}

// Reports the error of an attempt. Returns NULL.
static struct wp_exec *fail_again(void)
{
    char error[1024];
    snprintf(error, sizeof error, "%s", wp_last_error_text());
    wp_fail(wp_last_error(), "%s", error);
    return NULL;
}

// No variant supports the types of a description and runs on the device.
static struct wp_exec *fail_types(const struct wp_description *d)
{
    wp_fail(WP_ERROR_UNAVAILABLE,
            "backend 'cuda' cannot transform %dx%dx%d samples of type %s to coefficients of type %s "
            "(%s)\nhint: use f32",
            d->size[WP_X], d->size[WP_Y], wp_description_depth(d), wp_elements[d->samples].name,
            wp_elements[d->coefficients].name,
            wp_cuda_nvrtc_why_not() ? wp_cuda_nvrtc_why_not() : "no variant supports them");
    return NULL;
}

// If no variant is requested and the selected one cannot run, the next one is tried.
static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    if (variant)
        return prepare_variant(device, description, variant);
    variant = wp_cuda_choose(device, description, NULL);
    while (variant && variant->runs_on) {
        wp_begin_attempt();
        struct wp_exec *exec = prepare_variant(device, description, variant);
        wp_end_attempt();
        if (exec)
            return exec;
        const struct wp_variant *next = wp_cuda_choose(device, description, variant);
        if (!next)
            return fail_again();
        wp_log(WP_LOG_INFO, "note: variant '%s' is replaced by a slower one: %s", variant->name,
               wp_last_error_text());
        wp_clear_error();
        variant = next;
    }
    return variant ? prepare_variant(device, description, variant) : fail_types(description);
}

static const struct wp_variant *get_variant(const struct wp_exec *exec)
{
    return exec->variant;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    return wp_cuda_require_operands(exec) && wp_cuda_make_typed(exec) &&
           wp_cuda_device_pointer_wait(exec) &&
           (from->type != WP_ELEMENT_F32 ? wp_cuda_load_typed(exec, from)
                              : wp_cuda_exchange(exec, from,
                                                 exec->description.direction == WP_FORWARD, true,
                                                 NULL));
}

static void expect(struct wp_exec *exec, const struct wp_operand *to)
{
    if (to->type != WP_ELEMENT_F32 && wp_cuda_make_typed(exec))
        wp_cuda_expect_typed(exec, to);
}

static bool store_rect(struct wp_exec *exec, const struct wp_operand *to,
                         const struct wp_sample_rect *within)
{
    return wp_cuda_exchange(exec, to, exec->description.direction == WP_INVERSE, false, within) &&
           wp_cuda_check_guards(exec);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    return to->type != WP_ELEMENT_F32 ? wp_cuda_store_typed(exec, to) && wp_cuda_check_guards(exec)
                           : store_rect(exec, to, NULL);
}

static bool run_all(struct wp_exec *const execs[], int count, double *seconds)
{
    const struct wp_exec *exec = execs[0];
    cudaError_t error = cudaSetDevice(exec->device->number);
    for (int i = 0; i < count && error == cudaSuccess; i++) {
        if (!wp_cuda_require_operands(execs[i]) || !wp_cuda_make_typed(execs[i]))
            return false;
        wp_cuda_graph_make(execs[i]);
    }
    if (error == cudaSuccess)
        error = wp_cuda_timer_begin(&exec->timer);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = wp_cuda_graph_launch(execs[i]);
    if (error == cudaSuccess)
        error = wp_cuda_timer_end(&exec->timer, seconds);
    return error == cudaSuccess || wp_cuda_fail_launch(exec, error);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return run_all(&exec, 1, seconds);
}

static bool pin(struct wp_device *device, void *memory, size_t bytes)
{
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
    if (error == cudaSuccess)
        return true;
    cudaGetLastError();
    wp_log(WP_LOG_VERBOSE, "%zu bytes of host memory cannot be page-locked (CUDA: %s)", bytes,
           cudaGetErrorString(error));
    return false;
}

static void unpin(struct wp_device *device, void *memory)
{
    cudaSetDevice(device->number);
    cudaHostUnregister(memory);
}

static bool can_access(const struct wp_device *device, const void *memory)
{
    struct cudaPointerAttributes attributes;
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaPointerGetAttributes(&attributes, memory);
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

static const struct wp_backend_bench bench = {
    .facts = add_facts,
    .ceilings = wp_cuda_ceilings,
    .ceiling_prepare = wp_cuda_ceiling_prepare,
    .ceiling_run = wp_cuda_ceiling_run,
    .ceiling_release = wp_cuda_ceiling_release,
    .run_all = run_all,
    .cost = wp_cuda_cost,
};

const struct wp_backend wp_backend_cuda = {
    .name = "cuda",
    .reversible = true,
    .elements = WP_ELEMENTS_ALL,
    .coefficients = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_BF16 | 1 << WP_ELEMENT_F64,
    .wide = wp_cuda_is_wide,
    .borders = wp_cuda_borders,
    .packets = wp_cuda_packets,
    .summary = "CUDA kernels in registers, one launch per level",
    .schemeless = true,
    .batches = true,
    .banks = 1U << WP_BANK_UNDECIMATED | 1U << WP_BANK_STARLET,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .variants = wp_cuda_variants,
    .prepare = prepare,
    .variant = get_variant,
    .load = load,
    .expect = expect,
    .run = run,
    .store = store,
    .store_rect = store_rect,
    .transform_device = wp_cuda_transform_device,
    .allocate_memory = wp_cuda_allocate_memory,
    .free_memory = wp_cuda_free_memory,
    .map = wp_cuda_map,
    .mark_stream = wp_cuda_mark_stream,
    .wait_for_mark = wp_cuda_wait_for_mark,
    .free_mark = wp_cuda_free_mark,
    .overlaps = true,
    .pin = pin,
    .unpin = unpin,
    .can_access = can_access,
    .release = wp_cuda_exec_destroy,
    .bench = &bench,
};
