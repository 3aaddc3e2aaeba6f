// Errors of the CUDA runtime as errors of the library.
#ifndef WP_CUDA_OK_H
#define WP_CUDA_OK_H

#include "log.h"

#include <cuda_runtime_api.h>

// False after a message if a cudaError_t, which kernel launches return as an int, is an error.
static inline bool wp_cuda_ok(int error, const char *action)
{
    return error == cudaSuccess ||
           wp_fail(error == cudaErrorMemoryAllocation ? WP_ERROR_TOO_LARGE : WP_ERROR_INTERNAL,
                   "%s failed (CUDA: %s)", action, cudaGetErrorString((cudaError_t)error));
}

#endif
