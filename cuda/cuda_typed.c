// Operands of a transform whose elements are not floats. They are copied without conversion; the
// kernel of the level next to the samples reads or writes them, if possible, otherwise one more
// pass converts between elements and floats.
//
// Contiguous rows of the caller are copied directly. Others are gathered or scattered by threads in
// strips, while the previous strip is transferred.
#include "cuda_exec.h"
#include "cuda_jit.h"
#include "log.h"
#include "threads.h"

enum {
    STRIP_BYTES = 4 << 20,
    PART_ROWS = 16, // rows per call of a thread
};

// A copy of an array, or of a band.
struct copy {
    struct wp_cuda_typed *typed;
    struct wp_operand caller, internal;
    bool to_device;
    cudaStream_t stream;
    int width, height, rows; // rows of all slices
    size_t bytes;            // of an element
    int strip_rows;
};

static cudaError_t copy_slices(const struct copy *c)
{
    const size_t width = (size_t)c->width * c->bytes,
                 our_pitch = (size_t)c->internal.stride[WP_Y] * c->bytes;
    // With one row, the caller's stride is ignored: it may have any value.
    const size_t their_pitch =
        c->height > 1 ? (size_t)c->caller.stride[WP_Y] * c->bytes : width;
    cudaError_t error = cudaSuccess;
    for (int z = 0; z < c->rows / c->height && error == cudaSuccess; z++) {
        void *our = wp_operand_at(&c->internal, z * c->internal.stride[WP_Z]);
        void *their = wp_operand_at(&c->caller, z * c->caller.stride[WP_Z]);
        error = c->to_device
                    ? cudaMemcpy2DAsync(our, our_pitch, their, their_pitch, width,
                                        (size_t)c->height, cudaMemcpyHostToDevice, c->stream)
                    : cudaMemcpy2DAsync(their, their_pitch, our, our_pitch, width,
                                        (size_t)c->height, cudaMemcpyDeviceToHost, c->stream);
    }
    return error;
}

// Rows of a copy in a staging buffer.
struct strip {
    const struct copy *copy;
    char *data;
    int first, end; // rows
};

static struct strip strip_at(const struct copy *c, int i)
{
    const int first = i * c->strip_rows, rest = c->rows - first;
    return (struct strip){c, c->typed->staging[i % 2].data, first,
                          first + (rest < c->strip_rows ? rest : c->strip_rows)};
}

static void move_rows(void *user, int part, int thread)
{
    (void)thread;
    const struct strip *strip = user;
    const struct copy *c = strip->copy;
    const int first = strip->first + part * PART_ROWS;
    for (int row = first; row < first + PART_ROWS && row < strip->end; row++) {
        char *internal = strip->data + (size_t)(row - strip->first) * (size_t)c->width * c->bytes;
        void *caller = wp_operand_at(&c->caller, row % c->height * c->caller.stride[WP_Y] +
                                                    row / c->height * c->caller.stride[WP_Z]);
        if (c->to_device)
            wp_elements_copy(c->bytes, internal, 1, caller, c->caller.stride[WP_X],
                             (size_t)c->width);
        else
            wp_elements_copy(c->bytes, caller, c->caller.stride[WP_X], internal, 1,
                             (size_t)c->width);
    }
}

static void move_strip(const struct copy *c, int i)
{
    struct strip strip = strip_at(c, i);
    wp_threads_share(wp_threads_count(), (strip.end - strip.first + PART_ROWS - 1) / PART_ROWS,
                     move_rows, &strip);
}

static cudaError_t send_strip(const struct copy *c, int i)
{
    const struct strip strip = strip_at(c, i);
    const size_t width = (size_t)c->width * c->bytes,
                 pitch = (size_t)c->internal.stride[WP_Y] * c->bytes;
    const size_t rows = (size_t)(strip.end - strip.first);
    void *our = wp_operand_at(&c->internal, strip.first * c->internal.stride[WP_Y]);
    const cudaError_t error =
        c->to_device ? cudaMemcpy2DAsync(our, pitch, strip.data, width, width, rows,
                                         cudaMemcpyHostToDevice, c->stream)
                     : cudaMemcpy2DAsync(strip.data, width, our, pitch, width, rows,
                                         cudaMemcpyDeviceToHost, c->stream);
    return error == cudaSuccess ? cudaEventRecord(c->typed->staging[i % 2].copied, c->stream)
                                : error;
}

static cudaError_t wait_for_strip(const struct copy *c, int i)
{
    return cudaEventSynchronize(c->typed->staging[i % 2].copied);
}

static cudaError_t copy_strips(const struct copy *c)
{
    const int strips = (c->rows + c->strip_rows - 1) / c->strip_rows;
    cudaError_t error = c->to_device ? cudaSuccess : send_strip(c, 0);
    for (int i = 0; i < strips && error == cudaSuccess; i++) {
        if (c->to_device) {
            error = wait_for_strip(c, i); // also for that of an earlier array
            if (error == cudaSuccess)
                move_strip(c, i);
            if (error == cudaSuccess)
                error = send_strip(c, i);
        } else {
            error = i + 1 < strips ? send_strip(c, i + 1) : cudaSuccess;
            if (error == cudaSuccess)
                error = wait_for_strip(c, i);
            if (error == cudaSuccess)
                move_strip(c, i);
        }
    }
    return error;
}

static void release_staging(struct wp_cuda_typed *typed)
{
    for (int i = 0; i < 2; i++) {
        if (typed->staging[i].copied)
            cudaEventDestroy(typed->staging[i].copied);
        cudaFreeHost(typed->staging[i].data);
        typed->staging[i] = (struct wp_cuda_staging){0};
    }
}

// Creates both staging buffers, or none.
static bool make_strips(struct wp_cuda_typed *typed, size_t bytes)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 2 && error == cudaSuccess && !typed->staging[1].copied; i++) {
        error = cudaMallocHost(&typed->staging[i].data, bytes);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&typed->staging[i].copied, cudaEventDisableTiming);
    }
    if (error == cudaSuccess)
        return true;
    release_staging(typed);
    if (error != cudaErrorMemoryAllocation)
        return wp_cuda_fail(error, "preparing a copy");
    cudaGetLastError();
    return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for staging buffers (%zu bytes each)",
                   bytes);
}

// Copies an array, or a band. Strips cross slices only where these follow one another in the exec's
// memory.
static cudaError_t copy_array(struct copy c)
{
    const ptrdiff_t *our = c.internal.stride;
    const bool in_rows = (c.caller.stride[WP_X] == 1 || c.width == 1) &&
                         (c.caller.stride[WP_Y] > 0 || c.height == 1);
    if (in_rows)
        return copy_slices(&c);
    const int slices = our[WP_Z] == our[WP_Y] * c.height ? 1 : c.rows / c.height;
    cudaError_t error = cudaSuccess;
    c.strip_rows = STRIP_BYTES / (c.width * (int)c.bytes);
    c.strip_rows = c.strip_rows > 0 ? c.strip_rows : 1;
    c.rows /= slices;
    for (int z = 0; z < slices && error == cudaSuccess; z++) {
        error = copy_strips(&c);
        c.caller = wp_operand_advance(&c.caller, WP_Z, 1, NULL);
        c.internal = wp_operand_advance(&c.internal, WP_Z, 1, NULL);
    }
    return error;
}

static bool needs_strips(const struct wp_operand *array)
{
    bool needs = array->stride[WP_X] != 1 || array->stride[WP_Y] <= 0;
    for (int i = 0; i < array->bands && array->band; i++)
        needs = needs || array->band[i].stride[WP_X] != 1 || array->band[i].stride[WP_Y] <= 0;
    return needs;
}

// The array of an operand in the exec's memory.
static struct wp_operand internal_of(const struct wp_cuda_typed *typed)
{
    const struct wp_cuda_elements *elements = &typed->elements;
    return (struct wp_operand){
        .data = elements->data,
        .type = elements->type,
        .stride = {1, elements->pitch, elements->slice},
    };
}

// Copies elements between an operand and the caller's memory on the host, in a stream. Returns
// without waiting only if rows of the caller are contiguous. False after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL.
static bool copy_typed(const struct wp_exec *exec, struct wp_cuda_typed *typed,
                       const struct wp_operand *caller, bool to_device, cudaStream_t stream)
{
    const struct wp_description *d = &exec->description;
    const struct wp_operand internal = internal_of(typed);
    const size_t bytes = wp_elements[typed->elements.type].bytes;
    const size_t row = (size_t)d->size[WP_X] * bytes;
    cudaError_t error = cudaSuccess;
    if (needs_strips(caller) && !make_strips(typed, row < STRIP_BYTES ? STRIP_BYTES : row))
        return false;
    for (int i = 0; i < (caller->band ? wp_subband_count(d) : 1) && error == cudaSuccess; i++) {
        struct copy c = {
            .typed = typed,
            .caller = *caller,
            .internal = internal,
            .to_device = to_device,
            .stream = stream,
            .width = d->size[WP_X],
            .height = d->size[WP_Y],
            .rows = d->size[WP_Y] * wp_description_depth(d),
            .bytes = bytes,
        };
        if (caller->band) {
            enum wp_band band;
            const int level = wp_subband_at(d, i, &band);
            const struct wp_band_grid grid = wp_description_band(d, level, band);
            c.caller = wp_operand_band(d, caller, level, band, 0);
            c.internal = wp_operand_band(d, &internal, level, band, 0);
            c.width = grid.size[WP_X];
            c.height = grid.size[WP_Y];
            c.rows = grid.size[WP_Y] * grid.size[WP_Z];
        }
        if (c.width > 0 && c.rows > 0)
            error = copy_array(c);
    }
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}

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
    if (type == WP_ELEMENT_F32 || typed->elements.data)
        return true;
    const int line = WP_CUDA_ELEMENTS_LINE;
    typed->elements.type = type;
    typed->elements.pitch = wp_cuda_is_native(exec, is_of_samples(exec, typed))
                                ? d->size[WP_X]
                                : (d->size[WP_X] + line - 1) / line * line;
    typed->elements.slice = typed->elements.pitch * d->size[WP_Y];
    const size_t elements = (size_t)typed->elements.slice * (size_t)wp_description_depth(d);
    const size_t floats =
        (elements * wp_elements[type].bytes + sizeof(float) - 1) / sizeof(float);
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
    const bool made = samples->elements.data;
    const bool ok = make(exec, exec->description.coefficients, &exec->typed[false]) &&
                      make(exec, exec->description.samples, samples);
    if (ok && !made && samples->elements.data && wp_cuda_supports_typed(exec))
        samples->kernel = wp_cuda_typed_kernel_create(exec, &samples->elements);
    return ok;
}

void wp_cuda_release_typed(struct wp_exec *exec)
{
    for (int i = 0; i < 2; i++)
        release_staging(&exec->typed[i]);
    wp_cuda_typed_kernel_destroy(exec->typed[true].kernel);
}

// Sets the scale of the elements. Returns true if kernels access them directly.
static bool set_scale(const struct wp_exec *exec, struct wp_cuda_typed *typed,
                      const struct wp_operand *pixels)
{
    typed->elements.scale = wp_operand_scale(pixels, exec->description.reversible);
    return wp_cuda_is_native(exec, is_of_samples(exec, typed)) ||
           (typed->kernel && wp_cuda_typed_scale_fits(exec->level, &typed->elements));
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
    const struct wp_operand operand = internal_of(typed);
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
    const bool copied = copy_typed(exec, typed, from, true, stream);
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
    const bool copied = error == cudaSuccess && copy_typed(exec, typed, to, false, stream);
    const cudaError_t end = cudaStreamSynchronize(stream);
    error = error == cudaSuccess ? end : error;
    if (copied && error == cudaSuccess)
        error = add_lost(typed, to);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "bringing elements from the device");
    return copied;
}
