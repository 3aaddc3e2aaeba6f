// A step of descent on a CUDA device (see cpu_engine.c). Its length stays on the device.
#include "cuda_engine.h"

static bool forward(struct wp_engine *e, const float *image, float *data)
{
    const struct wp_reconstruct_model *model = e->task.model;
    return model->forward_cuda(model->user, image, data, e->stream);
}

static bool adjoint(struct wp_engine *e, const float *data, float *image)
{
    const struct wp_reconstruct_model *model = e->task.model;
    return model->adjoint_cuda(model->user, data, image, e->stream);
}

static bool add(struct wp_engine *e, float *a, const float *b, float by, const float *step,
                size_t floats)
{
    return wp_cuda_solver_ok(wp_axpy_run(a, b, by, step, (long long)floats, e->stream),
                             "adding images");
}

static size_t data_floats(const struct wp_engine *e)
{
    return 2 * e->task.model->values;
}

bool wp_cuda_begin_descent(struct wp_engine *e)
{
    if (!e->task.model->diagonalises)
        return forward(e, e->u, e->data) && adjoint(e, e->data, e->v);
    return wp_cufft_run(e->fft, false, e->u, e->v, e->stream) &&
           wp_cuda_solver_ok(wp_multiply_run(NULL, e->v, false, false, (float)e->shape.unitary,
                                             e->v, (long long)e->shape.samples, e->stream),
                             "scaling");
}

// Computes the residual divided by M in r and z; partial sums in `rest` and `sums`.
static bool precondition(struct wp_engine *e)
{
    const bool in_k_space = e->task.model->diagonalises;
    const struct wp_descend_args args = {
        .at = wp_cuda_frequencies(e),
        .h = e->h,
        .v = in_k_space ? e->v : NULL,
        .r = e->r,
        .z = e->z,
        .scale = (float)e->shape.unitary,
        .normal_gamma = e->task.form == WP_FORM_EXACT ? 0 : (float)e->task.gamma,
        .rest = e->rest,
        .normal = e->sums,
    };
    const size_t floats = 2 * e->shape.samples;
    return (in_k_space || (add(e, e->r, e->h, (float)e->task.mu, NULL, floats) &&
                           add(e, e->r, e->v, -(float)e->task.mu, NULL, floats))) &&
           wp_cufft_run(e->fft, false, e->r, e->r, e->stream) &&
           wp_cuda_solver_ok(wp_descend_run(&args, e->stream), "a step of descent") &&
           wp_cufft_run(e->fft, true, e->z, e->z, e->stream);
}

// Computes K z, and K'K z in r.
static bool apply_model(struct wp_engine *e)
{
    return forward(e, e->z, e->data_z) && adjoint(e, e->data_z, e->r) &&
           wp_cuda_solver_ok(wp_distance_run(e->data_z, NULL, (long long)data_floats(e),
                                             e->data_sums, e->stream), "a step's data");
}

// Computes the length of the step in `step`.
static bool measure(struct wp_engine *e)
{
    const bool exact = e->task.form == WP_FORM_EXACT, in_k_space = e->task.model->diagonalises;
    return (!exact || wp_cuda_wavelet_power(e)) && (in_k_space || apply_model(e)) &&
           wp_cuda_solver_ok(wp_step_run(e->rest, e->sums, exact ? e->power : NULL,
                                         e->task.gamma, in_k_space ? NULL : e->data_sums,
                                         e->task.mu, e->step, e->stream), "a step's length");
}

// Computes |K u - f|, and after the `last` iteration f_k+1.
static bool finish(struct wp_engine *e, bool last)
{
    const size_t floats = 2 * e->shape.samples;
    if (e->task.model->diagonalises) {
        const struct wp_misfit_args args = {.at = wp_cuda_frequencies(e), .v = e->v, .h0 = e->h0,
                                            .h = e->h, .update = last, .sums = e->sums};
        return wp_cuda_solver_ok(wp_misfit_run(&args, e->stream), "the misfit");
    }
    return (!last || (add(e, e->h, e->h0, 1, NULL, floats) &&
                      add(e, e->h, e->v, -1, NULL, floats))) &&
           wp_cuda_solver_ok(wp_distance_run(e->data, e->measured, (long long)data_floats(e),
                                             e->sums, e->stream), "the misfit");
}

bool wp_cuda_descend(struct wp_engine *e, bool last)
{
    const size_t floats = 2 * e->shape.samples;
    return precondition(e) && measure(e) && add(e, e->u, e->z, 1, e->step, floats) &&
           add(e, e->v, e->r, 1, e->step, floats) &&
           (e->task.model->diagonalises ||
            add(e, e->data, e->data_z, 1, e->step, data_floats(e))) &&
           finish(e, last);
}
