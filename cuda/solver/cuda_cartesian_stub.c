// The model on a device in a build without CUDA; never called.
#include "cuda_cartesian.h"

#include <stddef.h>

bool wp_cuda_cartesian_forward(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *image,
                               float *data, void *stream)
{
    (void)state, (void)model, (void)image, (void)data, (void)stream;
    return false;
}

bool wp_cuda_cartesian_adjoint(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *data,
                               float *image, void *stream)
{
    (void)state, (void)model, (void)data, (void)image, (void)stream;
    return false;
}

void wp_cuda_cartesian_destroy(struct wp_cuda_cartesian **state)
{
    *state = NULL;
}
