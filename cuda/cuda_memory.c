// Device memory, with canaries around buffers if the device has `guard`; time on the device.
#include "cuda_exec.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

enum { ZONE = 4096, CANARY = 0xA5, NOT_A_NUMBER = 0xFF }; // bytes; byte values

bool wp_cuda_fail(cudaError_t error, const char *label)
{
    return wp_fail(WP_ERROR_INTERNAL, "%s failed (CUDA: %s)", label, cudaGetErrorString(error));
}

int wp_cuda_pitch(int width)
{
    enum { LINE = 32 };
    return (width + LINE - 1) / LINE * LINE;
}

static cudaError_t fill(const struct wp_cuda_buffer *buffer, bool guard)
{
    const size_t bytes = buffer->floats * sizeof(float);
    cudaError_t error = cudaMemset(buffer->data, guard ? NOT_A_NUMBER : 0, bytes);
    if (guard && error == cudaSuccess)
        error = cudaMemset(buffer->memory, CANARY, ZONE);
    if (guard && error == cudaSuccess)
        error = cudaMemset((char *)buffer->data + bytes, CANARY, ZONE);
    return error == cudaSuccess ? cudaStreamSynchronize(NULL) : error;
}

bool wp_cuda_fail_allocation(cudaError_t error, size_t bytes, const char *label)
{
    size_t available = 0, total = 0;
    if (error != cudaErrorMemoryAllocation)
        return wp_cuda_fail(error, "allocating device memory");
    cudaGetLastError();
    cudaMemGetInfo(&available, &total);
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "not enough device memory for %s (%zu bytes requested, %zu free)"
                   "\nhint: use a smaller image, or backend 'cpu'",
                   label, bytes, available);
}

cudaError_t wp_cuda_fill_unset(void *memory, size_t bytes)
{
    const cudaError_t error = cudaMemset(memory, NOT_A_NUMBER, bytes);
    return error == cudaSuccess ? cudaStreamSynchronize(NULL) : error;
}

bool wp_cuda_allocate(struct wp_exec *exec, float **memory, size_t floats, const char *label)
{
    if (floats == 0)
        return true;
    struct wp_cuda_buffer buffer = {.floats = floats};
    const bool guard = exec->device->guard;
    const size_t bytes = floats * sizeof(float) + (guard ? 2 * ZONE : 0);
    cudaError_t error = cudaMalloc(&buffer.memory, bytes);
    if (error != cudaSuccess)
        return wp_cuda_fail_allocation(error, bytes, label);
    buffer.data = (float *)((char *)buffer.memory + (guard ? ZONE : 0));
    exec->buffer[exec->buffers++] = buffer;
    *memory = buffer.data;
    error = fill(&buffer, guard);
    return error == cudaSuccess || wp_cuda_fail(error, "filling device memory");
}

// The number of bytes of a zone that have changed.
static int count_damage(const void *zone)
{
    unsigned char bytes[ZONE];
    if (cudaMemcpy(bytes, zone, ZONE, cudaMemcpyDeviceToHost) != cudaSuccess)
        return ZONE;
    int damage = 0;
    for (int i = 0; i < ZONE; i++)
        damage += bytes[i] != CANARY;
    return damage;
}

bool wp_cuda_check_guards(const struct wp_exec *exec)
{
    for (int i = 0; i < exec->buffers && exec->device->guard; i++) {
        const struct wp_cuda_buffer *buffer = &exec->buffer[i];
        const int before = count_damage(buffer->memory);
        const int after = count_damage(buffer->data + buffer->floats);
        if (before || after)
            return wp_fail(WP_ERROR_INTERNAL,
                           "the CUDA kernel '%s' of %dx%d wrote outside its memory "
                           "(%d bytes before and %d after a buffer of %zu)",
                           exec->name, exec->description.size[WP_X],
                           exec->description.size[WP_Y], before, after,
                           buffer->floats * sizeof(float));
    }
    return true;
}

void wp_cuda_free_buffers(struct wp_exec *exec)
{
    while (exec->buffers > 0)
        cudaFree(exec->buffer[--exec->buffers].memory);
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
