// Copies of elements between the device and a caller's memory on the host. Contiguous rows are
// copied directly. Others are gathered or scattered by threads in strips, while the previous strip
// is transferred.
#include "cuda_exec.h"
#include "log.h"
#include "threads.h"

enum {
    STRIP_BYTES = 4 << 20,
    PART_ROWS = 16, // rows per call of a thread
};

struct copy {
    struct wp_cuda_typed *typed;
    const struct wp_operand *caller;
    bool to_device;
    cudaStream_t stream;
    int width, height, rows; // rows of all slices
    size_t bytes;            // of an element
    int strip_rows;
};

static cudaError_t copy_slices(const struct copy *c)
{
    const struct wp_cuda_elements *internal = &c->typed->elements;
    const size_t width = (size_t)c->width * c->bytes,
                 our_pitch = (size_t)internal->pitch * c->bytes;
    // With one row, the caller's stride is ignored: it may have any value.
    const size_t their_pitch =
        c->height > 1 ? (size_t)c->caller->stride[WP_Y] * c->bytes : width;
    cudaError_t error = cudaSuccess;
    for (int z = 0; z < c->rows / c->height && error == cudaSuccess; z++) {
        void *our = (char *)internal->data + (size_t)(z * internal->slice) * c->bytes;
        void *their = wp_operand_at(c->caller, z * c->caller->stride[WP_Z]);
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
        void *caller = wp_operand_at(c->caller, row % c->height * c->caller->stride[WP_Y] +
                                                   row / c->height * c->caller->stride[WP_Z]);
        if (c->to_device)
            wp_elements_copy(c->bytes, internal, 1, caller, c->caller->stride[WP_X],
                             (size_t)c->width);
        else
            wp_elements_copy(c->bytes, caller, c->caller->stride[WP_X], internal, 1,
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
    const struct wp_cuda_elements *internal = &c->typed->elements;
    const size_t width = (size_t)c->width * c->bytes, pitch = (size_t)internal->pitch * c->bytes;
    const size_t rows = (size_t)(strip.end - strip.first);
    char *our = (char *)internal->data + (size_t)strip.first * pitch;
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
            error = i < 2 ? cudaSuccess : wait_for_strip(c, i);
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

void wp_cuda_release_staging(struct wp_cuda_typed *typed)
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
    wp_cuda_release_staging(typed);
    if (error != cudaErrorMemoryAllocation)
        return wp_cuda_fail(error, "preparing a copy");
    cudaGetLastError();
    return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for staging buffers (%zu bytes each)",
                   bytes);
}

bool wp_cuda_copy_typed(const struct wp_exec *exec, struct wp_cuda_typed *typed,
                        const struct wp_operand *caller, bool to_device, cudaStream_t stream)
{
    const struct wp_description *d = &exec->description;
    struct copy c = {
        .typed = typed,
        .caller = caller,
        .to_device = to_device,
        .stream = stream,
        .width = d->size[WP_X],
        .height = d->size[WP_Y],
        .rows = d->size[WP_Y] * wp_description_depth(d),
        .bytes = wp_elements[typed->elements.type].bytes,
    };
    const bool in_rows = caller->stride[WP_X] == 1 || c.width == 1;
    const size_t row = (size_t)c.width * c.bytes;
    c.strip_rows = row < STRIP_BYTES ? (int)(STRIP_BYTES / row) : 1;
    if (!in_rows && !make_strips(typed, (size_t)c.strip_rows * row))
        return false;
    const cudaError_t error = in_rows ? copy_slices(&c) : copy_strips(&c);
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}
