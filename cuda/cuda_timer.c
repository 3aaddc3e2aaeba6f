// Time on the device, measured with two events.
#include "cuda_exec.h"

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
