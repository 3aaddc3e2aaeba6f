// The CUDA engine in a build without CUDA, and the model on a device, which is never called.
#include "cuda_cartesian.h"
#include "engine.h"
#include "log.h"

static struct wp_engine *open_engine(const struct wp_task *task)
{
    (void)task;
    wp_fail(WP_ERROR_UNAVAILABLE, "backend 'cuda' is not available (not in this build: %s)"
                                  "\nhint: backend 'cpu' needs no GPU", WP_CUDA_MISSING);
    return NULL;
}

// Other members are never called, because open() always fails.
const struct wp_engine_kind wp_engine_cuda = {.name = "cuda", .open = open_engine};

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
