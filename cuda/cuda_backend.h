// What the benchmark needs of the backend beyond struct wp_backend.
#ifndef WP_CUDA_BACKEND_H
#define WP_CUDA_BACKEND_H

#include "backends.h"

// Queues what run() runs in the default stream, without waiting for its end. False after
// WP_ERROR_INTERNAL. `exec` must be one of wp_backend_cuda.
bool wp_cuda_exec_launch(struct wp_exec *exec);

#endif
