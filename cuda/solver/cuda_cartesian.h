// The model of Cartesian k-space on memory of a CUDA device.
#ifndef WP_CUDA_CARTESIAN_H
#define WP_CUDA_CARTESIAN_H

#include "cartesian.h"

#include <stdbool.h>

struct wp_cuda_cartesian; // its memory there, made by the first call

// As wp_reconstruct_model has them. False after an error; in a build without CUDA always.
bool wp_cuda_cartesian_forward(struct wp_cuda_cartesian **there,
                               const struct wp_cartesian_data *parts, const float *image,
                               float *data, void *stream);
bool wp_cuda_cartesian_adjoint(struct wp_cuda_cartesian **there,
                               const struct wp_cartesian_data *parts, const float *data,
                               float *image, void *stream);
void wp_cuda_cartesian_destroy(struct wp_cuda_cartesian **there); // accepts NULL, clears it

#endif
