// Errors of the CUDA runtime as errors of the library.
#ifndef WP_CUDA_OK_H
#define WP_CUDA_OK_H

#include <stdbool.h>

// False after a message if a cudaError_t, which kernel launches return as an int, is an error.
bool wp_cuda_solver_ok(int error, const char *action);

#endif
