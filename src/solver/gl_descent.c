// The k-space part of an iteration in compute shaders: the division, or a descent step as in
// cpu_engine.c, whose length stays on the device.
#include "gl_engine.h"
#include "text.h"

extern const unsigned char wp_shader_solver_frequencies[]; // embedded, shaders/

int wp_gl_laplacian_size(const struct wp_engine *e)
{
    return e->task.size[0] + e->task.size[1] + e->task.size[2];
}

static bool in_k_space(const struct wp_engine *e)
{
    return e->task.model->diagonalises;
}

bool wp_gl_prepare_frequencies(struct wp_engine *e)
{
    struct wp_text source = {0};
    wp_text_add(&source, "%s%s",
                !e->shape.descent     ? "#define DIVISION\n"
                : in_k_space(e) ? "#define IN_K_SPACE\n"
                                : "",
                (const char *)wp_shader_solver_frequencies);
    e->frequencies = wp_text_is_complete(&source, "a shader")
                         ? wp_gl_fft_program(e->fft, wp_text_get(&source))
                         : NULL;
    wp_text_free(&source);
    return e->frequencies != NULL;
}

static void set(struct wp_program *program, const char *uniform, double value)
{
    wp_program_set_floats(program, uniform, 1, (const float[]){(float)value});
}

static void set_frequencies(struct wp_engine *e, bool last)
{
    struct wp_program *p = e->frequencies;
    wp_program_set3(p, "size", e->task.size);
    set(p, "mu", e->task.mu);
    set(p, "lambda", e->task.lambda);
    set(p, "gamma", e->task.gamma);
    set(p, "normal_gamma", e->task.form == WP_FORM_EXACT ? 0 : e->task.gamma);
    set(p, "scale", e->shape.unitary);
    wp_program_set(p, "update", last);
}

bool wp_gl_divide(struct wp_engine *e, bool last)
{
    const struct wp_buffer *const more[] = {&e->h, &e->h0, &e->frequency, &e->sums};
    set_frequencies(e, last);
    wp_gl_fft_run_between(e->fft, e->frequencies, &e->r, &e->u, more, 4);
    e->sum_count = wp_gl_fft_groups(e->fft);
    return true;
}

static bool add(struct wp_engine *e, const struct wp_buffer *a, const struct wp_buffer *b,
                double factor, const struct wp_buffer *step, size_t count)
{
    return wp_vectors_add(&e->vectors, a, b, factor, step, count);
}

bool wp_gl_begin_descent(struct wp_engine *e)
{
    if (!in_k_space(e))
        return wp_gl_cartesian_forward(&e->model, &e->u, &e->data) &&
               wp_gl_cartesian_adjoint(&e->model, &e->data, &e->v);
    wp_gl_fft_run(e->fft, false, &e->u, &e->v);
    return wp_vectors_scale(&e->vectors, &e->v, &e->v, e->shape.unitary, e->shape.samples);
}

// Computes z, the residual divided by M, and in k-space also its transform in r. Sums are in
// `rest`.
static bool precondition(struct wp_engine *e)
{
    const struct wp_buffer *const more[] = {&e->h, &e->v, &e->frequency, &e->rest, &e->r};
    if (!in_k_space(e) && !(add(e, &e->r, &e->h, e->task.mu, NULL, e->shape.samples) &&
                            add(e, &e->r, &e->v, -e->task.mu, NULL, e->shape.samples)))
        return false;
    set_frequencies(e, false);
    wp_gl_fft_run_between(e->fft, e->frequencies, &e->r, &e->z, more, 5);
    return true;
}

// Computes K z, and K'K z in r.
static bool apply_model(struct wp_engine *e)
{
    return wp_gl_cartesian_forward(&e->model, &e->z, &e->data_z) &&
           wp_gl_cartesian_adjoint(&e->model, &e->data_z, &e->r) &&
           wp_vectors_distance(&e->vectors, &e->data_z, NULL, &e->data_sums,
                               e->task.model->values);
}

// Computes the length of the step in `step`.
static bool compute_length(struct wp_engine *e)
{
    const bool exact = e->task.form == WP_FORM_EXACT;
    const struct wp_vectors_step step = {
        .rest = &e->rest,
        .rest_count = wp_gl_fft_groups(e->fft),
        .power = &e->power,
        .power_count = exact ? wp_vectors_partial_sums(e->shape.padded_samples) : 0,
        .data = &e->data_sums,
        .data_count = in_k_space(e) ? 0 : wp_vectors_partial_sums(e->task.model->values),
        .step = &e->step,
        .gamma = e->task.gamma,
        .mu = e->task.mu,
    };
    return (!exact || wp_gl_wavelet_power(e)) && (in_k_space(e) || apply_model(e)) &&
           wp_vectors_step(&e->vectors, &step);
}

// Computes |K u - f|. After the last iteration f_k becomes f_k+1.
static bool finish(struct wp_engine *e, bool last)
{
    const struct wp_vectors_misfit misfit = {.transformed = &e->v, .h0 = &e->h0, .h = &e->h,
                                             .frequencies = &e->frequency, .sums = &e->sums,
                                             .skip = wp_gl_laplacian_size(e), .update = last,
                                             .count = e->shape.samples};
    e->sum_count =
        wp_vectors_partial_sums(in_k_space(e) ? e->shape.samples : e->task.model->values);
    if (in_k_space(e))
        return wp_vectors_misfit(&e->vectors, &misfit);
    return (!last || (add(e, &e->h, &e->h0, 1, NULL, e->shape.samples) &&
                      add(e, &e->h, &e->v, -1, NULL, e->shape.samples))) &&
           wp_vectors_distance(&e->vectors, &e->data, &e->measured, &e->sums,
                               e->task.model->values);
}

bool wp_gl_descend(struct wp_engine *e, bool last)
{
    return precondition(e) && compute_length(e) &&
           add(e, &e->u, &e->z, 1, &e->step, e->shape.samples) &&
           add(e, &e->v, &e->r, 1, &e->step, e->shape.samples) &&
           (in_k_space(e) || add(e, &e->data, &e->data_z, 1, &e->step, e->task.model->values)) &&
           finish(e, last);
}
