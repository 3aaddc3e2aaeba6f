// Copies between an exec's memory and a caller's, on the host or on the device.
#include "cuda_exec.h"

#include <stdlib.h>

static bool is_one_part(const struct wp_exec *exec, bool samples)
{
    return samples || exec->levels == 0 || exec->description.layout == WP_LAYOUT_MIXED ||
           exec->description.bank == WP_BANK_PACKETS;
}

int wp_cuda_parts(const struct wp_exec *exec, bool samples)
{
    return is_one_part(exec, samples) ? 1 : wp_subband_count(&exec->description);
}

struct wp_cuda_part wp_cuda_device_part(const struct wp_exec *exec, bool samples, int index)
{
    const struct wp_description *d = &exec->description;
    if (is_one_part(exec, samples))
        return (struct wp_cuda_part){
            .internal = {samples || exec->levels == 0 ? exec->plane : exec->coefficients, 1,
                     exec->pitch, exec->slice},
            .size = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)},
        };
    enum wp_band band;
    const int level = wp_subband_at(d, index, &band);
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    return (struct wp_cuda_part){
        .level = level,
        .band = band,
        .internal = exec->level[level - 1].band[band],
        .size = {grid.size[WP_X], grid.size[WP_Y], grid.size[WP_Z]},
    };
}

struct wp_cuda_part wp_cuda_get_part(const struct wp_exec *exec, const struct wp_operand *operand,
                                     bool samples, int index)
{
    struct wp_cuda_part part = wp_cuda_device_part(exec, samples, index);
    part.caller = part.level
                      ? wp_operand_band(&exec->description, operand, part.level, part.band, 0)
                      : *operand;
    return part;
}

bool wp_cuda_part_is_empty(const struct wp_cuda_part *part)
{
    return part->size[WP_X] == 0 || part->size[WP_Y] == 0 || part->size[WP_Z] == 0;
}

// Slices of contiguous rows, at both ends of a copy.
struct rows {
    float *to, *from;
    size_t to_pitch, from_pitch, width; // in bytes
    size_t to_slice, from_slice;        // in bytes
    size_t height, depth;
};

static struct rows rows_of(const struct wp_cuda_part *part, int columns, bool to_device)
{
    const size_t width = (size_t)columns * sizeof(float);
    const size_t internal = (size_t)part->internal.step_y * sizeof(float);
    // With one row, the caller's stride is ignored: it may have any value.
    const size_t caller =
        part->size[WP_Y] > 1 ? (size_t)part->caller.stride[WP_Y] * sizeof(float) : width;
    const size_t our_slice = (size_t)part->internal.step_z * sizeof(float);
    const size_t their_slice = (size_t)part->caller.stride[WP_Z] * sizeof(float);
    return (struct rows){
        .to = to_device ? part->internal.data : part->caller.data,
        .from = to_device ? part->caller.data : part->internal.data,
        .to_pitch = to_device ? internal : caller,
        .from_pitch = to_device ? caller : internal,
        .to_slice = to_device ? our_slice : their_slice,
        .from_slice = to_device ? their_slice : our_slice,
        .width = width,
        .height = (size_t)part->size[WP_Y],
        .depth = (size_t)part->size[WP_Z],
    };
}

// True if the distance of slices is a multiple of rows, which the runtime requires.
static bool is_of_rows(size_t slice, size_t pitch, size_t height)
{
    return slice >= pitch * height && slice % pitch == 0;
}

static cudaError_t copy_slices(const struct rows *r, void *stream)
{
    const struct cudaMemcpy3DParms copy = {
        .srcPtr = {r->from, r->from_pitch, r->width, r->from_slice / r->from_pitch},
        .dstPtr = {r->to, r->to_pitch, r->width, r->to_slice / r->to_pitch},
        .extent = {r->width, r->height, r->depth},
        .kind = cudaMemcpyDefault,
    };
    return cudaMemcpy3DAsync(&copy, stream);
}

// Asynchronous in a stream. The runtime determines the memory of each pointer.
static cudaError_t copy_rows(const struct rows *r, void *stream)
{
    if (r->depth > 1 && is_of_rows(r->to_slice, r->to_pitch, r->height) &&
        is_of_rows(r->from_slice, r->from_pitch, r->height))
        return copy_slices(r, stream);
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < r->depth && error == cudaSuccess; z++)
        error = cudaMemcpy2DAsync((char *)r->to + z * r->to_slice, r->to_pitch,
                                  (const char *)r->from + z * r->from_slice, r->from_pitch,
                                  r->width, r->height, cudaMemcpyDefault, stream);
    return error;
}

// The runtime requires increasing addresses: rows and slices that are not reversed or repeated.
static bool increases(const struct wp_cuda_part *part)
{
    return (part->size[WP_Y] == 1 || part->caller.stride[WP_Y] > 0) &&
           (part->size[WP_Z] == 1 || part->caller.stride[WP_Z] > 0);
}

static bool is_in_rows(const struct wp_cuda_part *part)
{
    return increases(part) && (part->caller.stride[WP_X] == 1 || part->size[WP_X] == 1);
}

static cudaError_t transfer(const struct wp_cuda_part *part, bool to_device, void *stream);

// Copies between the caller's samples, in the host's memory, and an array without gaps.
static void gather(const struct wp_cuda_part *part, float *dense, bool write)
{
    const int *size = part->size;
    for (int row = 0; row < size[WP_Y] * size[WP_Z]; row++) {
        const ptrdiff_t at = row % size[WP_Y] * part->caller.stride[WP_Y] +
                             row / size[WP_Y] * part->caller.stride[WP_Z];
        float *samples = dense + (ptrdiff_t)row * size[WP_X];
        if (write)
            wp_operand_write(&wp_element_rows, &part->caller, at, samples, false, size[WP_X]);
        else
            wp_operand_read(&wp_element_rows, samples, &part->caller, at, false, size[WP_X]);
    }
}

// Transfers by way of an array without gaps.
static cudaError_t transfer_gathered(const struct wp_cuda_part *part, bool to_device, void *stream)
{
    struct wp_cuda_part gathered = *part;
    const ptrdiff_t width = part->size[WP_X], slice = width * part->size[WP_Y];
    float *dense = malloc((size_t)slice * (size_t)part->size[WP_Z] * sizeof *dense);
    if (!dense)
        return cudaErrorMemoryAllocation;
    gathered.caller = (struct wp_operand){.data = dense, .stride = {1, width, slice}};
    if (to_device)
        gather(part, dense, false);
    cudaError_t error = transfer(&gathered, to_device, stream);
    const cudaError_t end = cudaStreamSynchronize((cudaStream_t)stream);
    error = error == cudaSuccess ? end : error;
    if (!to_device && error == cudaSuccess)
        gather(part, dense, true);
    free(dense);
    return error;
}

static cudaError_t transfer(const struct wp_cuda_part *part, bool to_device, void *stream)
{
    if (!increases(part))
        return transfer_gathered(part, to_device, stream);
    // Samples that are not contiguous are copied column by column.
    const bool in_rows = is_in_rows(part);
    struct rows r = rows_of(part, in_rows ? part->size[WP_X] : 1, to_device);
    const ptrdiff_t caller = part->caller.stride[WP_X], to = to_device ? 1 : caller,
                    from = to_device ? caller : 1;
    cudaError_t error = cudaSuccess;
    for (int x = 0; x < (in_rows ? 1 : part->size[WP_X]) && error == cudaSuccess; x++) {
        error = copy_rows(&r, stream);
        r.to += to;
        r.from += from;
    }
    return error;
}

// Reduces a part to the samples or coefficients inside `within`.
static void narrow(const struct wp_exec *exec, struct wp_cuda_part *part,
                   const struct wp_sample_rect *within)
{
    struct wp_description d = exec->description;
    ptrdiff_t internal[] = {1, part->internal.step_y};
    for (int a = 0; a < 2; a++) {
        const int first = within->from[a] >> part->level;
        d.size[a] = within->to[a];
        part->caller = wp_operand_advance(&part->caller, a, first, NULL);
        part->internal.data += first * internal[a];
        part->size[a] = -first;
    }
    const struct wp_band_grid grid =
        part->level ? wp_description_band(&d, part->level, part->band) : (struct wp_band_grid){0};
    for (int a = 0; a < 2; a++)
        part->size[a] += part->level ? grid.size[a] : d.size[a];
}

bool wp_cuda_exchange(const struct wp_exec *exec, const struct wp_operand *operand, bool samples,
                      bool to_device, const struct wp_sample_rect *within)
{
    const cudaStream_t stream = exec->device->copy_stream[to_device];
    cudaError_t error = cudaSetDevice(exec->device->number);
    for (int i = 0; i < wp_cuda_parts(exec, samples) && error == cudaSuccess; i++) {
        struct wp_cuda_part part = wp_cuda_get_part(exec, operand, samples, i);
        if (within)
            narrow(exec, &part, within);
        if (!wp_cuda_part_is_empty(&part))
            error = transfer(&part, to_device, stream);
    }
    // Also after a failure: the memory is the caller's.
    const cudaError_t end = cudaStreamSynchronize(stream);
    error = error == cudaSuccess ? end : error;
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}

static int convert_part(const struct wp_exec *exec, const struct wp_cuda_part *part,
                        bool to_internal, void *stream)
{
    const struct wp_operand *caller = &part->caller;
    const struct wp_cuda_elements elements = {
        .type = caller->type,
        .data = caller->data,
        .column = part->size[WP_X] > 1 ? caller->stride[WP_X] : 1,
        .pitch = caller->stride[WP_Y],
        .slice = caller->stride[WP_Z],
        .scale = wp_operand_scale(caller, exec->description.reversible),
    };
    return to_internal
               ? wp_cuda_elements_read(&elements, &part->internal, part->size, stream)
               : wp_cuda_elements_write(&part->internal, &elements, part->size, NULL, NULL, stream);
}

int wp_cuda_copy_part(const struct wp_exec *exec, const struct wp_cuda_part *part, bool to_internal,
                      void *stream)
{
    if (wp_cuda_part_is_empty(part))
        return cudaSuccess;
    if (part->caller.type != WP_ELEMENT_F32)
        return convert_part(exec, part, to_internal, stream);
    if (!is_in_rows(part)) {
        const struct wp_cuda_band caller = {part->caller.data, part->caller.stride[WP_X],
                                            part->caller.stride[WP_Y], part->caller.stride[WP_Z]};
        return to_internal ? wp_cuda_strided_copy_run(&caller, &part->internal, part->size, stream)
                       : wp_cuda_strided_copy_run(&part->internal, &caller, part->size, stream);
    }
    const struct rows r = rows_of(part, part->size[WP_X], to_internal);
    return (int)copy_rows(&r, stream);
}
