// Total variation and the wavelet term of an iteration on a CUDA device.
#include "cuda_engine.h"
#include "engine.h"

#include <string.h>

static struct wp_planes_args planes_args(const struct wp_engine *e)
{
    struct wp_planes_args args = {
        .u = e->u,
        .c = e->task.form == WP_FORM_IMAGE ? e->c : NULL,
        .planes = e->planes,
        .out = e->r,
        .scale = (float)e->task.gamma,
        .descent = e->shape.descent,
    };
    memcpy(args.size, e->task.size, sizeof args.size);
    memcpy(args.padded, e->shape.padded, sizeof args.padded);
    return args;
}

static bool gather_forward(struct wp_engine *e, const struct wp_planes_args *args)
{
    const struct wp_operand planes = {.data = e->planes, .location = WP_LOCATION_CUDA};
    const struct wp_operand coefficients = {.data = e->coefficients, .location = WP_LOCATION_CUDA};
    return wp_cuda_solver_ok(wp_gather_run(args, e->stream), "splitting an image") &&
           wp_transform_forward(e->forward, &planes, &coefficients);
}

static bool step_wavelet(struct wp_engine *e, int number)
{
    struct wp_planes_args args = planes_args(e);
    const struct wp_operand planes = {.data = e->planes, .location = WP_LOCATION_CUDA};
    const struct wp_operand coefficients = {.data = e->coefficients, .location = WP_LOCATION_CUDA};
    if (e->task.spin)
        wp_shift_at(e->task.seed, number, e->task.size, args.shift);
    return gather_forward(e, &args) &&
           wp_cuda_solver_ok(wp_shrink_run(e->coefficients, args.c ? NULL : e->c,
                                           (long long)e->shape.padded_samples,
                                           (float)(e->task.wav / e->task.gamma), e->shape.descent,
                                           e->stream), "shrinking coefficients") &&
           wp_transform_inverse(e->inverse, &coefficients, &planes) &&
           wp_cuda_solver_ok(wp_scatter_run(&args, e->stream), "merging an image");
}

static bool step_gradient(struct wp_engine *e)
{
    struct wp_gradient_args args = {
        .u = e->u,
        .before = e->b,
        .after = e->b_after,
        .out = e->r,
        .add = e->task.form != WP_FORM_NO_WAVELET,
        .descent = e->shape.descent,
        .threshold = (float)(e->task.tv / e->task.lambda),
        .scale = (float)e->task.lambda,
    };
    memcpy(args.size, e->task.size, sizeof args.size);
    if (!wp_cuda_solver_ok(wp_gradient_run(&args, e->stream), "total variation"))
        return false;
    e->b_after = e->b;
    e->b = args.after;
    return true;
}

bool wp_cuda_regularise(struct wp_engine *e, int number)
{
    return (e->task.form == WP_FORM_NO_WAVELET || step_wavelet(e, number)) &&
           (e->task.tv == 0 || step_gradient(e));
}

bool wp_cuda_wavelet_power(struct wp_engine *e)
{
    struct wp_planes_args args = planes_args(e);
    args.u = e->z;
    args.c = NULL;
    return gather_forward(e, &args) &&
           wp_cuda_solver_ok(wp_distance_run(e->coefficients, NULL,
                                             2 * (long long)e->shape.padded_samples, e->power,
                                             e->stream), "a step's coefficients");
}
