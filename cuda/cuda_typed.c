// Operands of a transform whose elements are not floats. They are copied without conversion; the
// kernel of the level next to the samples reads or writes them, if possible, otherwise one more
// pass converts between elements and floats.
#include "cuda_exec.h"
#include "cuda_jit.h"

static struct wp_cuda_typed *typed_operand(struct wp_exec *exec, bool loads)
{
    return &exec->typed[(exec->description.direction == WP_FORWARD) == loads];
}

static bool is_of_samples(const struct wp_exec *exec, const struct wp_cuda_typed *typed)
{
    return typed == &exec->typed[true];
}

static bool make(struct wp_exec *exec, enum wp_element type, struct wp_cuda_typed *typed)
{
    const struct wp_description *d = &exec->description;
    if (type == WP_ELEMENT_F32)
        return true;
    const int line = WP_CUDA_ELEMENTS_LINE;
    typed->elements.type = type;
    typed->elements.pitch = (d->size[WP_X] + line - 1) / line * line;
    typed->elements.slice = (ptrdiff_t)typed->elements.pitch * d->size[WP_Y];
    // A row of elements is a multiple of floats.
    const size_t elements = (size_t)typed->elements.slice * (size_t)wp_description_depth(d);
    const size_t floats = elements * wp_elements[type].bytes / sizeof(float);
    float *memory = NULL, *lost = NULL;
    if (!wp_cuda_allocate(exec, &memory, floats,
                          is_of_samples(exec, typed) ? "the image's elements"
                                                     : "the coefficients' elements") ||
        !wp_cuda_allocate(exec, &lost, sizeof *typed->lost / sizeof(float), "counts"))
        return false;
    typed->elements.data = memory;
    typed->lost = (struct wp_cuda_lost *)(void *)lost;
    return true;
}

bool wp_cuda_make_typed(struct wp_exec *exec)
{
    struct wp_cuda_typed *samples = &exec->typed[true];
    const bool ok = make(exec, exec->description.coefficients, &exec->typed[false]) &&
                      make(exec, exec->description.samples, samples);
    if (ok && samples->elements.data && wp_cuda_supports_typed(exec))
        samples->kernel = wp_cuda_typed_kernel_create(exec, &samples->elements);
    return ok;
}

void wp_cuda_release_typed(struct wp_exec *exec)
{
    for (int i = 0; i < 2; i++)
        wp_cuda_release_staging(&exec->typed[i]);
    wp_cuda_typed_kernel_destroy(exec->typed[true].kernel);
}

// Sets the scale of the elements. Returns true if the operand's kernel supports it.
static bool set_scale(const struct wp_exec *exec, struct wp_cuda_typed *typed,
                      const struct wp_operand *pixels)
{
    typed->elements.scale = wp_operand_scale(pixels, exec->description.reversible);
    return typed->kernel && wp_cuda_typed_scale_fits(exec->level, &typed->elements);
}

static bool counts_lost(const struct wp_cuda_typed *typed, const struct wp_operand *to)
{
    return to->lost && typed->elements.scale.largest > 0;
}

// Converts between elements and floats of the exec, part by part.
static int convert(const struct wp_exec *exec, const struct wp_cuda_typed *typed, bool reads,
                   struct wp_cuda_lost *lost, cudaStream_t stream)
{
    const bool samples = is_of_samples(exec, typed);
    const struct wp_cuda_elements *all = &typed->elements;
    const struct wp_operand operand = {
        .data = all->data,
        .type = all->type,
        .stride = {1, all->pitch, all->slice},
    };
    float range[2];
    wp_element_range(all->scale, range);
    int error = cudaSuccess;
    for (int i = 0; i < wp_cuda_parts(exec, samples) && error == cudaSuccess; i++) {
        const struct wp_cuda_part part = wp_cuda_device_part(exec, samples, i);
        struct wp_cuda_elements elements = *all;
        if (part.level)
            elements.data =
                wp_operand_band(&exec->description, &operand, part.level, part.band, 0).data;
        if (!wp_cuda_part_is_empty(&part))
            error = reads ? wp_cuda_elements_read(&elements, &part.internal, part.size, stream)
                          : wp_cuda_elements_write(&part.internal, &elements, part.size, range,
                                                   lost, stream);
    }
    return error;
}

bool wp_cuda_load_typed(struct wp_exec *exec, const struct wp_operand *from)
{
    struct wp_cuda_typed *typed = typed_operand(exec, true);
    const cudaStream_t stream = exec->device->copy_stream[true];
    cudaError_t error = cudaSetDevice(exec->device->number);
    typed->direct = set_scale(exec, typed, from);
    const bool copied = wp_cuda_copy_typed(exec, typed, from, true, stream);
    if (copied && error == cudaSuccess && !typed->direct)
        error = (cudaError_t)convert(exec, typed, true, NULL, stream);
    // Also after a failure: the memory is the caller's.
    const cudaError_t end = cudaStreamSynchronize(stream);
    error = error == cudaSuccess ? end : error;
    return copied &&
           (error == cudaSuccess || wp_cuda_fail(error, "bringing elements to the device"));
}

void wp_cuda_expect_typed(struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_cuda_typed *typed = typed_operand(exec, false);
    typed->direct = set_scale(exec, typed, to) && !counts_lost(typed, to);
}

static cudaError_t make_elements(const struct wp_exec *exec, const struct wp_cuda_typed *typed,
                                 const struct wp_operand *to, cudaStream_t stream)
{
    struct wp_cuda_lost *lost = counts_lost(typed, to) ? typed->lost : NULL;
    const cudaError_t error =
        lost ? cudaMemsetAsync(lost, 0, sizeof *lost, stream) : cudaSuccess;
    return error == cudaSuccess ? (cudaError_t)convert(exec, typed, false, lost, stream) : error;
}

static cudaError_t add_lost(const struct wp_cuda_typed *typed, const struct wp_operand *to)
{
    struct wp_cuda_lost lost = {0};
    const cudaError_t error =
        counts_lost(typed, to) ? cudaMemcpy(&lost, typed->lost, sizeof lost, cudaMemcpyDeviceToHost)
                          : cudaSuccess;
    if (error == cudaSuccess && to->lost)
        wp_lost_add(to->lost, (size_t)lost.outside, (size_t)lost.no_number);
    return error;
}

bool wp_cuda_store_typed(struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_cuda_typed *typed = typed_operand(exec, false);
    const cudaStream_t stream = exec->device->copy_stream[false];
    const bool ok = typed->direct;
    cudaError_t error = cudaSetDevice(exec->device->number);
    // wp_cuda_expect_typed() applies to one run only.
    typed->direct = false;
    if (!ok)
        set_scale(exec, typed, to);
    if (error == cudaSuccess && !ok)
        error = make_elements(exec, typed, to, stream);
    const bool copied =
        error == cudaSuccess && wp_cuda_copy_typed(exec, typed, to, false, stream);
    const cudaError_t end = cudaStreamSynchronize(stream);
    error = error == cudaSuccess ? end : error;
    if (copied && error == cudaSuccess)
        error = add_lost(typed, to);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "bringing elements from the device");
    return copied;
}
