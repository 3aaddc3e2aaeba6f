// Errors of the CUDA runtime as errors of the library.
#ifndef WP_CUDA_OK_H
#define WP_CUDA_OK_H

#include "log.h"

#include <cuda_runtime_api.h>

// False after a message if a call of the runtime failed.
static inline bool wp_cuda_ok(cudaError_t error, const char *action)
{
    return error == cudaSuccess ||
           wp_fail(error == cudaErrorMemoryAllocation ? WP_ERROR_TOO_LARGE : WP_ERROR_INTERNAL,
                   "%s failed (CUDA: %s)", action, cudaGetErrorString(error));
}

// The same for a launch of kernels, which returns a cudaError_t as an int.
static inline bool wp_cuda_launched(int error, const char *action)
{
    return wp_cuda_ok((cudaError_t)error, action);
}

#endif
