#include "cuda_ok.h"

#include "log.h"

#include <cuda_runtime_api.h>

bool wp_cuda_solver_ok(int error, const char *action)
{
    return error == cudaSuccess ||
           wp_fail(error == cudaErrorMemoryAllocation ? WP_ERROR_TOO_LARGE : WP_ERROR_INTERNAL,
                   "%s failed (CUDA: %s)", action, cudaGetErrorString((cudaError_t)error));
}
