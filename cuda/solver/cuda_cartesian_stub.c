// The model on a device, of a build without CUDA: no engine calls it.
#include "cuda_cartesian.h"

#include <stddef.h>

bool wp_cuda_cartesian_forward(struct wp_cuda_cartesian **there,
                               const struct wp_cartesian_data *parts, const float *image,
                               float *data, void *stream)
{
    (void)there, (void)parts, (void)image, (void)data, (void)stream;
    return false;
}

bool wp_cuda_cartesian_adjoint(struct wp_cuda_cartesian **there,
                               const struct wp_cartesian_data *parts, const float *data,
                               float *image, void *stream)
{
    (void)there, (void)parts, (void)data, (void)image, (void)stream;
    return false;
}

void wp_cuda_cartesian_destroy(struct wp_cuda_cartesian **there)
{
    *there = NULL;
}
