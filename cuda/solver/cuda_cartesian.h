// The model of Cartesian k-space in memory of a CUDA device.
#ifndef WP_CUDA_CARTESIAN_H
#define WP_CUDA_CARTESIAN_H

#include "engine.h"

#include <stdbool.h>

struct wp_cuda_cartesian; // its device memory, allocated by the first call

// Functions of wp_reconstruct_model. False after an error; always false in a build without CUDA.
bool wp_cuda_cartesian_forward(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *image,
                               float *data, void *stream);
bool wp_cuda_cartesian_adjoint(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *data,
                               float *image, void *stream);
void wp_cuda_cartesian_destroy(struct wp_cuda_cartesian **state); // accepts NULL, clears it

#endif
