// What the CUDA runtime says of a call, as the library tells it.
#ifndef WP_CUDA_OK_H
#define WP_CUDA_OK_H

#include <stdbool.h>

// Of a cudaError_t, which is an int where kernels are launched. False after a message.
bool wp_cuda_solver_ok(int error, const char *what);

#endif
