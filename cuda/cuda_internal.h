// What the files of kernels share.
#ifndef WP_CUDA_INTERNAL_H
#define WP_CUDA_INTERNAL_H

#include "cuda_level.h"

#ifdef __cplusplus
extern "C" {
#endif

int wp_cuda_lifting_run(const struct wp_cuda_level *level);
int wp_cuda_steps_run(const struct wp_cuda_level *level);

#ifdef __cplusplus
}
#endif

#endif
