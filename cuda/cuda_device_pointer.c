// A transform on memory of the device itself, in a caller's stream.
//
// The levels of an exec say where its kernels read and write, and a launch takes a copy of that: so
// for the time in which one call launches, they say where the caller's memory lies. Kernels of
// methods that `borrow` touch no float beside samples, but they take four side by side at once; a
// part that does not lie so is copied, in the stream, and they work on the exec's own.
#include "cuda_exec.h"
#include "log.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

// One side of a call.
struct side {
    const struct wp_operand *operand;
    bool samples; // else coefficients
    bool lent;    // nothing else may be written where it lies
};

// False after WP_ERROR_USAGE where kernels cannot read what a view of the caller's points to.
static bool check_view(const struct wp_exec *exec, const struct wp_view *view, const char *name)
{
    struct cudaPointerAttributes found = {0};
    const cudaError_t error = cudaPointerGetAttributes(&found, view->data);
    const int number = exec->device->number;
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

static bool check_side(const struct wp_exec *exec, const struct side *side)
{
    if (!side->operand->band)
        return check_view(exec, &side->operand->array,
                          side->samples ? "the image" : "the coefficients");
    for (int i = 0; i < wp_cuda_parts(exec, side->samples); i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, side->operand, side->samples, i);
        char name[64];
        const bool volume = wp_description_depth(&exec->description) > 1;
        snprintf(name, sizeof name, "band %s of level %d",
                 volume ? wp_octet_band_names[part.band] : wp_band_names[part.band], part.level);
        if (!wp_cuda_part_is_empty(&part) && !check_view(exec, &part.theirs, name))
            return false;
    }
    return true;
}

// Whole rows apart, and no rows that are slices of others.
static bool slices_fit(const struct wp_cuda_part *part)
{
    const ptrdiff_t *step = part->theirs.step;
    const ptrdiff_t row = part->size[WP_Y] > 1 ? step[WP_Y] : part->ours.step_y;
    return step[WP_Z] % row == 0 && step[WP_Z] / row >= part->size[WP_Y];
}

// Bands of the mixed layout are never side by side, and kernels take what of them lies anyhow one
// by one. Else what is borrowed must be as the exec's own memory is, so that the very kernels run
// that would run there: others may round otherwise.
static bool may_borrow(const struct wp_exec *exec, const struct side *side,
                       const struct wp_cuda_part *part)
{
    if (!exec->method->borrows || exec->levels == 0 || !side->lent)
        return false;
    if (!side->samples && exec->description.layout == WP_LAYOUT_MIXED)
        return true;
    const ptrdiff_t *step = part->theirs.step;
    return (part->size[WP_X] == 1 || step[WP_X] == 1) &&
           (part->size[WP_Y] == 1 || (step[WP_Y] % 4 == 0 && step[WP_Y] <= INT_MAX)) &&
           (part->size[WP_Z] == 1 || slices_fit(part)) &&
           (uintptr_t)part->theirs.data % 16 == 0;
}

// A distance over which there is no second sample may be any.
static struct wp_cuda_band as_band(const struct wp_view *theirs, const int size[WP_DIMS_MAX],
                                   const struct wp_cuda_band *ours)
{
    return (struct wp_cuda_band){
        .data = theirs->data,
        .step_x = size[WP_X] > 1 ? theirs->step[WP_X] : ours->step_x,
        .step_y = size[WP_Y] > 1 ? theirs->step[WP_Y] : ours->step_y,
        .step_z = size[WP_Z] > 1 ? theirs->step[WP_Z] : ours->step_z,
    };
}

static void borrow_band(struct wp_exec *exec, const struct wp_operand *operand, int level,
                        enum wp_band band)
{
    const struct wp_band_grid grid = wp_description_band(&exec->description, level, band);
    const struct wp_view view = wp_operand_band(&exec->description, operand, level, band, 0);
    struct wp_cuda_band *at = &exec->level[level - 1].band[band];
    if (grid.size[WP_X] > 0 && grid.size[WP_Y] > 0 && grid.size[WP_Z] > 0)
        *at = as_band(&view, grid.size, at);
}

static void borrow(struct wp_exec *exec, const struct side *side, const struct wp_cuda_part *part)
{
    const struct wp_description *d = &exec->description;
    if (side->samples) {
        const struct wp_cuda_band plane = as_band(&part->theirs, part->size, &part->ours);
        exec->level->plane = plane.data;
        exec->level->pitch = (int)plane.step_y;
        exec->level->slice = plane.step_z;
    } else if (part->level) {
        borrow_band(exec, side->operand, part->level, part->band);
    } else {
        for (int i = 0; i < wp_subband_count(d); i++) {
            enum wp_band band;
            const int level = wp_subband_at(d, i, &band);
            borrow_band(exec, side->operand, level, band);
        }
    }
}

// Of the side that goes in, what is not borrowed is copied.
static cudaError_t take(struct wp_exec *exec, const struct side *side, void *stream)
{
    int error = cudaSuccess;
    for (int i = 0; i < wp_cuda_parts(exec, side->samples) && error == cudaSuccess; i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, side->operand, side->samples, i);
        if (may_borrow(exec, side, &part))
            borrow(exec, side, &part);
        else
            error = wp_cuda_copy_part(&part, true, stream);
    }
    return (cudaError_t)error;
}

static void lend(struct wp_exec *exec, const struct side *side)
{
    for (int i = 0; i < wp_cuda_parts(exec, side->samples); i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, side->operand, side->samples, i);
        if (may_borrow(exec, side, &part))
            borrow(exec, side, &part);
    }
}

// Of the side that comes out, when the levels are the exec's own again.
static cudaError_t give(const struct wp_exec *exec, const struct side *side, void *stream)
{
    int error = cudaSuccess;
    for (int i = 0; i < wp_cuda_parts(exec, side->samples) && error == cudaSuccess; i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, side->operand, side->samples, i);
        if (!may_borrow(exec, side, &part))
            error = wp_cuda_copy_part(&part, false, stream);
    }
    return (cudaError_t)error;
}

// Behind all that the exec's memory was last used for: in another stream, or the zeros that it
// began with, in the default one.
static cudaError_t wait(struct wp_exec *exec, void *stream)
{
    cudaError_t error = cudaSuccess;
    if (!exec->there) {
        error = cudaEventCreateWithFlags(&exec->there, cudaEventDisableTiming);
        if (error == cudaSuccess)
            error = cudaEventRecord(exec->there, NULL);
    }
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, exec->there, 0) : error;
}

static bool take_and_launch(struct wp_exec *exec, const struct side *from, const struct side *to,
                            void *stream)
{
    cudaError_t error = take(exec, from, stream);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "copying on the device");
    lend(exec, to);
    wp_cuda_set_stream(exec, stream);
    error = wp_cuda_launch(exec);
    wp_cuda_set_stream(exec, NULL);
    return error == cudaSuccess || wp_cuda_fail_launch(exec, error);
}

static bool put(struct wp_exec *exec, const struct side *from, const struct side *to, void *stream)
{
    cudaError_t error = wait(exec, stream);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "waiting in a stream");
    bool ok = take_and_launch(exec, from, to, stream);
    wp_cuda_set_levels(exec);
    if (ok) {
        error = give(exec, to, stream);
        ok = error == cudaSuccess || wp_cuda_fail(error, "copying on the device");
    }
    // After a failure, too: what was put there before uses the exec's memory.
    error = cudaEventRecord(exec->there, stream);
    return ok && (error == cudaSuccess || wp_cuda_fail(error, "marking the end in a stream"));
}

bool wp_cuda_transform_device(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream)
{
    const bool forward = exec->description.direction == WP_FORWARD;
    // What goes in is copied as a whole before anything comes out where it lies.
    const bool apart = !wp_operand_overlaps(&exec->description, from, to);
    const struct side in = {from, forward, apart}, out = {to, !forward, true};
    int before = 0;
    cudaGetLastError(); // of the caller's, such as that a stream was not ready: launches ask for it
    cudaError_t error = cudaGetDevice(&before);
    if (error == cudaSuccess)
        error = cudaSetDevice(exec->device->number);
    if (error != cudaSuccess)
        return wp_cuda_fail(error, "choosing the device");
    const bool ok =
        check_side(exec, &in) && check_side(exec, &out) && put(exec, &in, &out, stream);
    cudaSetDevice(before);
    return ok;
}

bool wp_cuda_device_pointer_wait(const struct wp_exec *exec)
{
    if (!exec->there)
        return true;
    cudaError_t error = cudaSetDevice(exec->device->number);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(exec->device->way[true], exec->there, 0);
    return error == cudaSuccess || wp_cuda_fail(error, "waiting for a stream");
}

void wp_cuda_device_pointer_end(struct wp_exec *exec)
{
    if (!exec->there)
        return;
    cudaEventSynchronize(exec->there);
    cudaEventDestroy(exec->there);
    exec->there = NULL;
}
