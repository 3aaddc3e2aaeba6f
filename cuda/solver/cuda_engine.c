// An iteration of the solver on a CUDA device: all data stays there, the host only launches.
#include "cuda_ok.h"
#include "cufft_library.h"
#include "engine.h"
#include "memory.h"
#include "solver_kernels.h"
#include "wavepass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, BLOCKS_MOST = 32 };

struct wp_engine {
    struct wp_task task;
    struct wp_task_shape shape;
    cudaStream_t stream;
    struct wp_cufft *fft;
    struct wp_transform *forward, *inverse;
    void *block[BLOCKS_MOST];
    int blocks;
    float *u, *r, *h, *h0, *diagonal, *eigenvalues;
    float *b, *b_after;
    float *c, *planes, *coefficients;
    double *sums, *residual;
    // Only for descent: F u or K'K u, the step, its length, partial sums; if K'K is not diagonal
    // K u, K of the step, and the measured data.
    float *v, *z, *step;
    double *rest, *power, *data_sums;
    float *data, *data_z, *measured;
};

// Arguments for kernels in k-space, whose Fourier transforms are not scaled.
static struct wp_frequencies frequencies(const struct wp_engine *e)
{
    const int *n = e->task.size;
    return (struct wp_frequencies){
        .size = {n[0], n[1], n[2]},
        .eigenvalues = {e->eigenvalues, e->eigenvalues + n[0], e->eigenvalues + n[0] + n[1]},
        .diagonal = e->diagonal,
        .mu = (float)e->task.mu,
        .lambda = (float)e->task.lambda,
        .gamma = (float)e->task.gamma,
    };
}

static void close_engine(struct wp_engine *e)
{
    if (!e)
        return;
    if (e->stream)
        cudaStreamSynchronize(e->stream);
    wp_transform_destroy(&e->forward);
    wp_transform_destroy(&e->inverse);
    wp_cufft_destroy(&e->fft);
    for (int i = 0; i < e->blocks; i++)
        cudaFree(e->block[i]);
    if (e->stream)
        cudaStreamDestroy(e->stream);
    free(e);
}

// Allocates zeroed memory; 0 bytes allocate nothing.
static bool allocate(struct wp_engine *e, void *pointer, size_t bytes, const char *label)
{
    void *memory = NULL;
    if (bytes == 0)
        return true;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        size_t available = 0, total = 0;
        cudaGetLastError();
        cudaMemGetInfo(&available, &total);
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "not enough device memory for %s (%zu bytes requested, %zu free)"
                       "\nhint: backend 'cpu' uses the computer's memory",
                       label, bytes, available);
    }
    if (!wp_cuda_ok(error, "allocating device memory"))
        return false;
    e->block[e->blocks++] = memory;
    *(void **)pointer = memory;
    return wp_cuda_ok(cudaMemsetAsync(memory, 0, bytes, e->stream), "clearing device memory");
}

static bool allocate_floats(struct wp_engine *e, float **pointer, size_t floats, const char *label)
{
    return allocate(e, pointer, floats * sizeof **pointer, label);
}

static bool has_wavelet(const struct wp_engine *e)
{
    return e->task.form != WP_FORM_NO_WAVELET;
}

static size_t floats_of_b(const struct wp_engine *e)
{
    return e->task.tv > 0 ? 2 * e->shape.samples * (size_t)e->shape.gradient_axes : 0;
}

static size_t floats_of_c(const struct wp_engine *e)
{
    return !has_wavelet(e)                      ? 0
           : e->task.form == WP_FORM_IMAGE ? 2 * e->shape.samples
                                           : 2 * e->shape.padded_samples;
}

static bool allocate_sums(struct wp_engine *e, double **pointer, bool needed)
{
    return allocate(e, pointer, needed ? WP_TRACE * sizeof **pointer : 0, "sums");
}

static bool allocate_descent(struct wp_engine *e)
{
    const size_t image = e->shape.descent ? 2 * e->shape.samples : 0;
    const size_t data = e->task.model->diagonalises ? 0 : 2 * e->task.model->values;
    return allocate_floats(e, &e->v, image, "the image's part of the data") &&
           allocate_floats(e, &e->z, image, "a step") &&
           allocate_floats(e, &e->step, e->shape.descent ? 1 : 0, "a step's length") &&
           allocate_sums(e, &e->rest, e->shape.descent) &&
           allocate_sums(e, &e->power, e->shape.descent) &&
           allocate_sums(e, &e->data_sums, data > 0) &&
           allocate_floats(e, &e->data, data, "the image's data") &&
           allocate_floats(e, &e->data_z, data, "a step's data") &&
           allocate_floats(e, &e->measured, data, "the measured data");
}

static bool allocate_memory(struct wp_engine *e)
{
    const size_t image = 2 * e->shape.samples;
    const size_t planes = has_wavelet(e) ? 2 * e->shape.padded_samples : 0;
    const int *n = e->task.size;
    return allocate_floats(e, &e->u, image, "the image") &&
           allocate_floats(e, &e->r, image, "its right-hand side") &&
           allocate_floats(e, &e->h, image, "the data") &&
           allocate_floats(e, &e->h0, image, "the measured data") &&
           allocate_floats(e, &e->diagonal, e->shape.samples, "the mask") &&
           allocate_floats(e, &e->eigenvalues, (size_t)n[0] + (size_t)n[1] + (size_t)n[2],
                       "frequencies") &&
           allocate_floats(e, &e->b, floats_of_b(e), "the gradient's Bregman variable") &&
           allocate_floats(e, &e->b_after, floats_of_b(e), "the gradient's Bregman variable") &&
           allocate_floats(e, &e->c, floats_of_c(e), "the wavelet's Bregman variable") &&
           allocate_floats(e, &e->planes, planes, "the wavelet's image") &&
           allocate_floats(e, &e->coefficients, planes, "its coefficients") &&
           allocate_sums(e, &e->sums, true) &&
           allocate(e, &e->residual, sizeof *e->residual, "a sum") && allocate_descent(e);
}

// Copies in the engine's stream, in which memory was cleared.
static bool upload(const struct wp_engine *e, float *to, const float *from, size_t floats)
{
    return wp_cuda_ok(cudaMemcpyAsync(to, from, floats * sizeof *to, cudaMemcpyHostToDevice,
                                      e->stream), "uploading") &&
           wp_cuda_ok(cudaStreamSynchronize(e->stream), "uploading");
}

static bool set_eigenvalues(struct wp_engine *e)
{
    const int *n = e->task.size;
    const size_t count = (size_t)n[0] + (size_t)n[1] + (size_t)n[2];
    float *eigenvalues = wp_allocate(count, sizeof *eigenvalues, "frequencies");
    if (!eigenvalues)
        return false;
    wp_task_laplacian(&e->task, eigenvalues);
    const bool ok = upload(e, e->eigenvalues, eigenvalues, count);
    free(eigenvalues);
    return ok;
}

// The unitary Fourier transform of an image.
static bool transform_unitary(struct wp_engine *e, float *from, float *to)
{
    return wp_cufft_run(e->fft, false, from, to, e->stream) &&
           wp_cuda_launched(wp_multiply_run(NULL, to, false, false, (float)e->shape.unitary, to,
                                            (long long)e->shape.samples, e->stream), "scaling");
}

// Sets h and h0 to K'f, or to its unitary Fourier transform if K'K is diagonal in k-space.
static bool set_data(struct wp_engine *e)
{
    const struct wp_reconstruct_model *model = e->task.model;
    const size_t floats = 2 * e->shape.samples;
    float *image = wp_allocate(floats, sizeof *image, "the data's image");
    bool ok = image && model->adjoint(model->user, e->task.data, image) &&
              upload(e, e->h0, image, floats) &&
              upload(e, e->diagonal, model->diagonal, e->shape.samples);
    free(image);
    if (ok && model->diagonalises)
        ok = transform_unitary(e, e->h0, e->h0);
    else
        ok = ok && upload(e, e->measured, e->task.data, 2 * model->values);
    return ok && wp_cuda_ok(cudaMemcpyAsync(e->h, e->h0, floats * sizeof *e->h,
                                            cudaMemcpyDeviceToDevice, e->stream), "copying");
}

static bool make_transforms(struct wp_engine *e)
{
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.backend = "cuda", .border = "periodic");
    return !has_wavelet(e) ||
           (wp_task_make_transforms(&e->task, e->shape.padded, params, &e->forward, &e->inverse) &&
            wp_transform_set_stream(e->forward, e->stream) &&
            wp_transform_set_stream(e->inverse, e->stream));
}

static bool find_device(void)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    return (error == cudaSuccess && count > 0) ||
           wp_fail(WP_ERROR_UNAVAILABLE, "backend 'cuda' is not available (%s)"
                                         "\nhint: backend 'cpu' needs no GPU",
                   error == cudaSuccess ? "no device" : cudaGetErrorString(error));
}

static bool check_task(const struct wp_task *task)
{
    return task->model->diagonalises || (task->model->forward_cuda && task->model->adjoint_cuda) ||
           wp_fail(WP_ERROR_UNAVAILABLE, "the model has no functions for a CUDA device"
                                         "\nhint: backend 'cpu' supports it");
}

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
    return wp_cuda_launched(wp_gather_run(args, e->stream), "splitting an image") &&
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
           wp_cuda_launched(wp_shrink_run(e->coefficients, args.c ? NULL : e->c,
                                          (long long)e->shape.padded_samples,
                                          (float)(e->task.wav / e->task.gamma), e->shape.descent,
                                          e->stream), "shrinking coefficients") &&
           wp_transform_inverse(e->inverse, &coefficients, &planes) &&
           wp_cuda_launched(wp_scatter_run(&args, e->stream), "merging an image");
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
    if (!wp_cuda_launched(wp_gradient_run(&args, e->stream), "total variation"))
        return false;
    e->b_after = e->b;
    e->b = args.after;
    return true;
}

// Sets r to the right-hand side of the regularization terms of u.
static bool regularise(struct wp_engine *e, int number)
{
    return (e->task.form == WP_FORM_NO_WAVELET || step_wavelet(e, number)) &&
           (e->task.tv == 0 || step_gradient(e));
}

// Computes partial sums of |W z|^2 in `power`.
static bool find_wavelet_power(struct wp_engine *e)
{
    struct wp_planes_args args = planes_args(e);
    args.u = e->z;
    args.c = NULL;
    return gather_forward(e, &args) &&
           wp_cuda_launched(wp_distance_run(e->coefficients, NULL,
                                            2 * (long long)e->shape.padded_samples, e->power,
                                            e->stream), "a step's coefficients");
}

// A step of descent (see cpu_engine.c). Its length stays on the device.
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
    return wp_cuda_launched(wp_axpy_run(a, b, by, step, (long long)floats, e->stream),
                            "adding images");
}

static size_t data_floats(const struct wp_engine *e)
{
    return 2 * e->task.model->values;
}

static bool begin_descent(struct wp_engine *e)
{
    if (!e->task.model->diagonalises)
        return forward(e, e->u, e->data) && adjoint(e, e->data, e->v);
    return transform_unitary(e, e->u, e->v);
}

// Computes the residual divided by M in r and z; partial sums in `rest` and `sums`.
static bool precondition(struct wp_engine *e)
{
    const bool in_k_space = e->task.model->diagonalises;
    const struct wp_descend_args args = {
        .at = frequencies(e),
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
           wp_cuda_launched(wp_descend_run(&args, e->stream), "a step of descent") &&
           wp_cufft_run(e->fft, true, e->z, e->z, e->stream);
}

// Computes K z, and K'K z in r.
static bool apply_model(struct wp_engine *e)
{
    return forward(e, e->z, e->data_z) && adjoint(e, e->data_z, e->r) &&
           wp_cuda_launched(wp_distance_run(e->data_z, NULL, (long long)data_floats(e),
                                            e->data_sums, e->stream), "a step's data");
}

// Computes the length of the step in `step`.
static bool measure(struct wp_engine *e)
{
    const bool exact = e->task.form == WP_FORM_EXACT, in_k_space = e->task.model->diagonalises;
    return (!exact || find_wavelet_power(e)) && (in_k_space || apply_model(e)) &&
           wp_cuda_launched(wp_step_run(e->rest, e->sums, exact ? e->power : NULL, e->task.gamma,
                                        in_k_space ? NULL : e->data_sums, e->task.mu, e->step,
                                        e->stream), "a step's length");
}

// Computes |K u - f|, and after the `last` iteration f_k+1.
static bool finish(struct wp_engine *e, bool last)
{
    const size_t floats = 2 * e->shape.samples;
    if (e->task.model->diagonalises) {
        const struct wp_misfit_args args = {.at = frequencies(e), .v = e->v, .h0 = e->h0,
                                            .h = e->h, .update = last, .sums = e->sums};
        return wp_cuda_launched(wp_misfit_run(&args, e->stream), "the misfit");
    }
    return (!last || (add(e, e->h, e->h0, 1, NULL, floats) &&
                      add(e, e->h, e->v, -1, NULL, floats))) &&
           wp_cuda_launched(wp_distance_run(e->data, e->measured, (long long)data_floats(e),
                                            e->sums, e->stream), "the misfit");
}

// Computes partial sums of |K u - f|^2 in `sums`.
static bool descend(struct wp_engine *e, bool last)
{
    const size_t floats = 2 * e->shape.samples;
    return precondition(e) && measure(e) && add(e, e->u, e->z, 1, e->step, floats) &&
           add(e, e->v, e->r, 1, e->step, floats) &&
           (e->task.model->diagonalises ||
            add(e, e->data, e->data_z, 1, e->step, data_floats(e))) &&
           finish(e, last);
}

static struct wp_engine *open_engine(const struct wp_task *task)
{
    if (!check_task(task) || !find_device())
        return NULL;
    struct wp_engine *e = wp_allocate(1, sizeof *e, "a reconstruction");
    if (!e)
        return NULL;
    e->task = *task;
    e->shape = wp_task_shape(task);
    if (!wp_cuda_ok(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking),
                    "making a CUDA stream") ||
        !(e->fft = wp_cufft_create(task->size)) || !allocate_memory(e) || !set_eigenvalues(e) ||
        !set_data(e) || !make_transforms(e)) {
        close_engine(e);
        return NULL;
    }
    return e;
}

// Computes the new u if one division solves for it.
static bool divide(struct wp_engine *e, bool last)
{
    const struct wp_divide_args args = {.at = frequencies(e), .h0 = e->h0, .h = e->h,
                                        .u = e->u, .scale = (float)e->shape.unitary, .update = last,
                                        .sums = e->sums};
    return wp_cufft_run(e->fft, false, e->r, e->u, e->stream) &&
           wp_cuda_launched(wp_divide_run(&args, e->stream), "the division in k-space") &&
           wp_cufft_run(e->fft, true, e->u, e->u, e->stream);
}

static bool iterate(struct wp_engine *e, int number, int count, bool first, bool last,
                    double *residual)
{
    for (int i = 0; i < count; i++) {
        const bool ends = last && i == count - 1;
        if ((e->shape.descent && first && i == 0 && !begin_descent(e)) ||
            !regularise(e, number + i) ||
            !(e->shape.descent ? descend(e, ends) : divide(e, ends)))
            return false;
    }
    return wp_cuda_launched(wp_root_run(e->sums, e->residual, e->stream), "the residual") &&
           wp_cuda_ok(cudaMemcpyAsync(residual, e->residual, sizeof *residual,
                                      cudaMemcpyDeviceToHost, e->stream), "the residual") &&
           wp_cuda_ok(cudaStreamSynchronize(e->stream), "an iteration");
}

static bool image(const struct wp_engine *e, float *to)
{
    return wp_cuda_ok(cudaMemcpy(to, e->u, 2 * e->shape.samples * sizeof *to,
                                 cudaMemcpyDeviceToHost), "downloading");
}

// An array of the state.
struct part {
    float *data;
    size_t floats;
};
enum { PARTS = 6 };

static void list_state(const struct wp_engine *e, struct part part[PARTS])
{
    part[0] = (struct part){e->u, 2 * e->shape.samples};
    part[1] = (struct part){e->h, 2 * e->shape.samples};
    part[2] = (struct part){e->b, floats_of_b(e)};
    part[3] = (struct part){e->c, floats_of_c(e)};
    part[4] = (struct part){e->v, e->shape.descent ? 2 * e->shape.samples : 0};
    part[5] = (struct part){e->data, e->task.model->diagonalises ? 0 : 2 * e->task.model->values};
}

static size_t state_size(const struct wp_engine *e)
{
    struct part part[PARTS];
    size_t floats = 0;
    list_state(e, part);
    for (int i = 0; i < PARTS; i++)
        floats += part[i].floats;
    return floats * sizeof(float);
}

static void copy_state(const struct wp_engine *e, unsigned char *to, const unsigned char *from)
{
    cudaStreamSynchronize(e->stream);
    struct part part[PARTS];
    size_t at = 0;
    list_state(e, part);
    for (int i = 0; i < PARTS; i++) {
        const size_t bytes = part[i].floats * sizeof(float);
        if (to)
            cudaMemcpy(to + at, part[i].data, bytes, cudaMemcpyDeviceToHost);
        else
            cudaMemcpy(part[i].data, from + at, bytes, cudaMemcpyHostToDevice);
        at += bytes;
    }
    cudaDeviceSynchronize();
}

static void save(const struct wp_engine *e, unsigned char *state)
{
    copy_state(e, state, NULL);
}

static void resume(struct wp_engine *e, const unsigned char *state)
{
    copy_state(e, NULL, state);
}

// Memory traffic. Division: r, h, h0 and the diagonal read, u written; descent as on the CPU. Total
// variation: u, b read and written, r. Wavelet: u, input and output of both transforms,
// coefficients with c read and written, r.
static struct wp_engine_facts facts(const struct wp_engine *e)
{
    const double image = 2 * sizeof(float) * (double)e->shape.samples;
    const double planes = 2 * sizeof(float) * (double)e->shape.padded_samples;
    struct wp_engine_facts f = {.transforms = 2, .bytes = (e->shape.descent ? 13 : 4.5) * image,
                                .at_once = 1 << 20};
    memcpy(f.padded, e->shape.padded, sizeof f.padded);
    if (e->task.tv > 0)
        f.bytes += (2 + 2 * e->shape.gradient_axes + (has_wavelet(e) ? 1 : 0)) * image;
    if (has_wavelet(e))
        f.bytes += 2 * image + 8 * planes + 2 * (double)floats_of_c(e) * sizeof(float);
    return f;
}

const struct wp_engine_kind wp_engine_cuda = {
    .name = "cuda",
    .open = open_engine,
    .close = close_engine,
    .facts = facts,
    .iterate = iterate,
    .image = image,
    .state_size = state_size,
    .save = save,
    .resume = resume,
};
