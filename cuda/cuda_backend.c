// The CUDA backend: planes and bands in linear device memory. Kernels run in the default stream;
// copies from and to the host run in other streams, which are not synchronized with it. Each call
// waits for the end of its work.
#include "cuda_exec.h"

#include "cuda_backend.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

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
    if (!wp_cuda_make_memory(exec) || !wp_cuda_make_typed(exec)) {
        wp_cuda_exec_destroy(exec);
        return NULL;
    }
    return finish(exec);
}

// If no variant is requested and the selected one cannot run, the next one is tried.
static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    if (variant)
        return prepare_variant(device, description, variant);
    variant = wp_cuda_choose(device, description, NULL);
    while (variant->runs_on) {
        wp_begin_attempt();
        struct wp_exec *exec = prepare_variant(device, description, variant);
        wp_end_attempt();
        if (exec)
            return exec;
        wp_log(WP_LOG_INFO, "note: variant '%s' is replaced by a slower one: %s", variant->name,
               wp_last_error_text());
        wp_clear_error();
        variant = wp_cuda_choose(device, description, variant);
    }
    return prepare_variant(device, description, variant);
}

static const struct wp_variant *get_variant(const struct wp_exec *exec)
{
    return exec->variant;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    return wp_cuda_device_pointer_wait(exec) &&
           (from->type != WP_ELEMENT_F32 ? wp_cuda_load_typed(exec, from)
                              : wp_cuda_exchange(exec, from,
                                                 exec->description.direction == WP_FORWARD, true,
                                                 NULL));
}

static void expect(struct wp_exec *exec, const struct wp_operand *to)
{
    if (to->type != WP_ELEMENT_F32)
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
    for (int i = 0; i < count && error == cudaSuccess; i++)
        wp_cuda_graph_make(execs[i]);
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
    .reversible = true,
    .elements = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_U8 | 1 << WP_ELEMENT_U16,
    .coefficients = 1 << WP_ELEMENT_F16,
    .summary = "CUDA kernels in registers, one launch per level",
    .schemeless = true,
    .open = wp_cuda_open,
    .close = wp_cuda_close,
    .describe = wp_cuda_describe,
    .variants = wp_cuda_variants,
    .prepare = prepare,
    .variant = get_variant,
    .load = load,
    .expect = expect,
    .run = run,
    .store = store,
    .store_rect = store_rect,
    .transform_device = wp_cuda_transform_device,
    .overlaps = true,
    .pin = wp_cuda_pin,
    .unpin = wp_cuda_unpin,
    .can_access = wp_cuda_reaches,
    .release = wp_cuda_exec_destroy,
    .bench = &bench,
};
