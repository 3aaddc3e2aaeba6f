// Transforms between arrays in device memory, in the caller's stream.
//
// The levels of an exec refer to the memory that kernels access, and a launch copies these
// references. While a call launches, they refer to the caller's memory, if the method `borrows` it
// and its arrays meet the kernels' requirements (may_borrow()). Other parts are copied in the
// stream, from or to the exec's own memory.
#include "cuda_exec.h"
#include "log.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

// An operand of a call.
struct io {
    const struct wp_operand *operand;
    bool samples; // else coefficients
    bool borrowable;    // its memory may be accessed until the call's work is done
};

cudaError_t wp_cuda_select(const struct wp_device *device, int *before)
{
    cudaGetLastError(); // clears an error of the caller, such as cudaErrorNotReady
    const cudaError_t error = cudaGetDevice(before);
    return error == cudaSuccess ? cudaSetDevice(device->number) : error;
}

bool wp_cuda_check_pointer(const struct wp_device *device, const void *data, const char *name)
{
    struct cudaPointerAttributes found = {0};
    const cudaError_t error = cudaPointerGetAttributes(&found, data);
    const int number = device->number;
    if (error == cudaSuccess && (found.type == cudaMemoryTypeManaged ||
                                 (found.type == cudaMemoryTypeDevice && found.device == number)))
        return true;
    char other[96];
    if (error != cudaSuccess) {
        cudaGetLastError();
        snprintf(other, sizeof other, "CUDA: %s", cudaGetErrorString(error));
    } else if (found.type == cudaMemoryTypeDevice) {
        snprintf(other, sizeof other, "it is on device %d", found.device);
    } else {
        snprintf(other, sizeof other, "it is on the host");
    }
    return wp_fail(WP_ERROR_USAGE, "the pointer to %s is not to memory of CUDA device %d (%s)",
                   name, number, other);
}

static bool check_io(const struct wp_exec *exec, const struct io *io)
{
    if (!io->operand->band)
        return wp_cuda_check_pointer(exec->device, io->operand->data,
                                     io->samples ? "the image" : "the coefficients");
    for (int i = 0; i < wp_cuda_parts(exec, io->samples); i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, io->operand, io->samples, i);
        char name[64];
        const bool volume =
            wp_description_depth(&exec->description) > 1 && exec->description.levels_z > 0;
        snprintf(name, sizeof name, "band %s of level %d",
                 volume ? wp_octet_band_names[part.band] : wp_band_names[part.band], part.level);
        if (!wp_cuda_part_is_empty(&part) &&
            !wp_cuda_check_pointer(exec->device, part.caller.data, name))
            return false;
    }
    return true;
}

// True if slices are a multiple of rows apart and do not overlap.
static bool slices_fit(const struct wp_cuda_part *part)
{
    const ptrdiff_t *step = part->caller.stride;
    const ptrdiff_t row = part->size[WP_Y] > 1 ? step[WP_Y] : part->internal.step_y;
    return step[WP_Z] % row == 0 && step[WP_Z] / row >= part->size[WP_Y];
}

// Bands of the mixed layout are accessed element by element, so any strides are supported. Other
// arrays must be aligned as the exec's own memory is, so that the same kernels run: others may
// round differently.
static bool may_borrow(const struct wp_exec *exec, const struct io *io,
                       const struct wp_cuda_part *part)
{
    if (!exec->method->borrows || exec->levels == 0 || !io->borrowable ||
        io->operand->type != WP_ELEMENT_F32)
        return false;
    const ptrdiff_t *step = part->caller.stride;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if (part->size[a] > 1 && step[a] <= 0)
            return false;
    if (!io->samples && exec->description.layout == WP_LAYOUT_MIXED)
        return true;
    return (part->size[WP_X] == 1 || step[WP_X] == 1) &&
           (part->size[WP_Y] == 1 || (step[WP_Y] % 4 == 0 && step[WP_Y] <= INT_MAX)) &&
           (part->size[WP_Z] == 1 || slices_fit(part)) &&
           (uintptr_t)part->caller.data % 16 == 0;
}

// The exec's strides replace those of axes with one sample, which may have any value.
static struct wp_cuda_band as_band(const struct wp_operand *caller, const int size[WP_DIMS_MAX],
                                   const struct wp_cuda_band *internal)
{
    return (struct wp_cuda_band){
        .data = caller->data,
        .step_x = size[WP_X] > 1 ? caller->stride[WP_X] : internal->step_x,
        .step_y = size[WP_Y] > 1 ? caller->stride[WP_Y] : internal->step_y,
        .step_z = size[WP_Z] > 1 ? caller->stride[WP_Z] : internal->step_z,
    };
}

static void borrow_band(struct wp_exec *exec, const struct wp_operand *operand, int level,
                        enum wp_band band)
{
    const struct wp_band_grid grid = wp_description_band(&exec->description, level, band);
    const struct wp_operand view = wp_operand_band(&exec->description, operand, level, band, 0);
    struct wp_cuda_band *at = &exec->level[level - 1].band[band];
    if (grid.size[WP_X] > 0 && grid.size[WP_Y] > 0 && grid.size[WP_Z] > 0)
        *at = as_band(&view, grid.size, at);
}

static void borrow(struct wp_exec *exec, const struct io *io, const struct wp_cuda_part *part)
{
    const struct wp_description *d = &exec->description;
    if (io->samples) {
        const struct wp_cuda_band plane = as_band(&part->caller, part->size, &part->internal);
        exec->level->plane = plane.data;
        exec->level->column = plane.step_x;
        exec->level->pitch = (int)plane.step_y;
        exec->level->slice = plane.step_z;
    } else if (part->level) {
        borrow_band(exec, io->operand, part->level, part->band);
    } else {
        for (int i = 0; i < wp_subband_count(d); i++) {
            enum wp_band band;
            const int level = wp_subband_at(d, i, &band);
            borrow_band(exec, io->operand, level, band);
        }
    }
}

// Borrows the parts that may be borrowed, if `borrows` is set, and copies the others, if `copies`
// is set.
static cudaError_t visit_parts(struct wp_exec *exec, const struct io *io, bool borrows, bool copies,
                               bool to_exec, void *stream)
{
    int error = cudaSuccess;
    for (int i = 0; i < wp_cuda_parts(exec, io->samples) && error == cudaSuccess; i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, io->operand, io->samples, i);
        const bool borrowed = may_borrow(exec, io, &part);
        if (borrowed && borrows)
            borrow(exec, io, &part);
        else if (!borrowed && copies)
            error = wp_cuda_copy_part(exec, &part, to_exec, stream);
    }
    return (cudaError_t)error;
}

// The default stream of the process, which exists as long as the device does: work in it can be
// waited for at any later time, unlike in a stream that the caller may destroy.
static bool is_default(const void *stream)
{
    return !stream || stream == (const void *)cudaStreamLegacy;
}

// Records the event after the latest work, unless it is: in the default stream, as is the
// initialization of the exec's memory.
static cudaError_t require_event(struct wp_exec *exec)
{
    cudaError_t error = cudaSuccess;
    if (exec->stream_event && !exec->in_default_stream)
        return cudaSuccess;
    if (!exec->stream_event)
        error = cudaEventCreateWithFlags(&exec->stream_event, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventRecord(exec->stream_event, NULL);
    if (error == cudaSuccess)
        exec->in_default_stream = false;
    return error;
}

// Makes the stream wait for the latest work in the exec's memory: in another stream, or its
// initialization in the default stream.
static cudaError_t wait_for_exec(struct wp_exec *exec, void *stream)
{
    if (is_default(stream) && (exec->in_default_stream || !exec->stream_event))
        return cudaSuccess; // work in one stream is in order
    const cudaError_t error = require_event(exec);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, exec->stream_event, 0) : error;
}

static cudaError_t mark_work(struct wp_exec *exec, void *stream)
{
    exec->in_default_stream = is_default(stream);
    return exec->in_default_stream ? cudaSuccess : cudaEventRecord(exec->stream_event, stream);
}

static bool load_and_launch(struct wp_exec *exec, const struct io *from, const struct io *to,
                            void *stream)
{
    cudaError_t error = visit_parts(exec, from, true, true, true, stream);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "copying on the device");
    visit_parts(exec, to, true, false, false, stream);
    wp_cuda_set_stream(exec, stream);
    error = wp_cuda_launch(exec);
    wp_cuda_set_stream(exec, NULL);
    return error == cudaSuccess || wp_cuda_fail_launch(exec, error);
}

// True if method->run_operands() may access the operand directly.
static bool is_direct(const struct wp_exec *exec, const struct io *io)
{
    return exec->levels > 0 && io->borrowable &&
           io->operand->type == wp_cuda_operand_type(exec, io->samples);
}

// Copies an operand from or to the exec's own memory.
static cudaError_t copy_operand(struct wp_exec *exec, const struct io *io, bool to_exec,
                                void *stream)
{
    return visit_parts(exec, io, false, true, to_exec, stream);
}

static bool run_on_operands(struct wp_exec *exec, const struct io *from, const struct io *to,
                            void *stream)
{
    const bool direct[2] = {is_direct(exec, from), is_direct(exec, to)};
    const struct wp_operand in =
        direct[0] ? *from->operand : wp_cuda_own_operand(exec, from->samples);
    const struct wp_operand out = direct[1] ? *to->operand : wp_cuda_own_operand(exec, to->samples);
    cudaError_t error = direct[0] ? cudaSuccess : copy_operand(exec, from, true, stream);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "copying on the device");
    wp_cuda_set_stream(exec, stream);
    if (exec->levels > 0)
        error = (cudaError_t)exec->method->run_operands(exec, &in, &out);
    wp_cuda_set_stream(exec, NULL);
    if (error != cudaSuccess)
        return wp_cuda_fail_launch(exec, error);
    error = direct[1] ? cudaSuccess : copy_operand(exec, to, false, stream);
    return error == cudaSuccess || wp_cuda_fail(error, "copying on the device");
}

static bool run_on_levels(struct wp_exec *exec, const struct io *from, const struct io *to,
                          void *stream)
{
    const bool ok = load_and_launch(exec, from, to, stream);
    wp_cuda_set_levels(exec);
    const cudaError_t error = ok ? visit_parts(exec, to, false, true, false, stream) : cudaSuccess;
    return ok && (error == cudaSuccess || wp_cuda_fail(error, "copying on the device"));
}

static bool enqueue(struct wp_exec *exec, const struct io *from, const struct io *to, void *stream)
{
    cudaError_t error = wait_for_exec(exec, stream);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "waiting in a stream");
    const bool ok = exec->method->run_operands ? run_on_operands(exec, from, to, stream)
                                               : run_on_levels(exec, from, to, stream);
    // Also after a failure: work that was enqueued uses the exec's memory.
    error = mark_work(exec, stream);
    return ok && (error == cudaSuccess || wp_cuda_fail(error, "marking the end in a stream"));
}

// Allocates the exec's memory for parts that are copied.
static bool require_memory(struct wp_exec *exec, const struct io *io)
{
    bool borrows = true;
    if (exec->method->run_operands && !is_direct(exec, io) && wp_cuda_is_native(exec, io->samples))
        return wp_fail(WP_ERROR_USAGE, "operands of type %s whose addresses overlap are not "
                       "supported in CUDA memory",
                       wp_elements[io->operand->type].name);
    if (exec->method->run_operands)
        return is_direct(exec, io) || (wp_cuda_require_operands(exec) && wp_cuda_make_typed(exec));
    for (int i = 0; i < wp_cuda_parts(exec, io->samples) && borrows; i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, io->operand, io->samples, i);
        borrows = may_borrow(exec, io, &part);
    }
    return borrows || wp_cuda_require_operands(exec);
}

bool wp_cuda_transform_device(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream)
{
    const bool forward = exec->description.direction == WP_FORWARD;
    // If the operands overlap, the input is copied completely before the output is written.
    const bool apart = !wp_operand_overlaps(&exec->description, from, to);
    const struct io in = {from, forward, apart}, out = {to, !forward, true};
    int before = 0;
    const cudaError_t error = wp_cuda_select(exec->device, &before);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "choosing the device");
    const bool ok = check_io(exec, &in) && check_io(exec, &out) && require_memory(exec, &in) &&
                    require_memory(exec, &out) && enqueue(exec, &in, &out, stream);
    cudaSetDevice(before);
    return ok;
}

bool wp_cuda_device_pointer_wait(struct wp_exec *exec)
{
    if (!exec->stream_event && !exec->in_default_stream)
        return true;
    cudaError_t error = cudaSetDevice(exec->device->number);
    if (error == cudaSuccess)
        error = require_event(exec);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(exec->device->copy_stream[true], exec->stream_event, 0);
    return error == cudaSuccess || wp_cuda_fail(error, "waiting for a stream");
}

void wp_cuda_device_pointer_end(struct wp_exec *exec)
{
    if (exec->in_default_stream)
        cudaStreamSynchronize(NULL);
    else if (exec->stream_event)
        cudaEventSynchronize(exec->stream_event);
    if (exec->stream_event)
        cudaEventDestroy(exec->stream_event);
    exec->stream_event = NULL;
    exec->in_default_stream = false;
}
