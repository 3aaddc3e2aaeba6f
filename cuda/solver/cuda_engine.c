// An iteration of the solver on a CUDA device: all data stays there, the host only launches.
#include "cuda_engine.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3 };

static bool succeeded(cudaError_t error, const char *label)
{
    return wp_cuda_solver_ok((int)error, label);
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
    if (!succeeded(error, "allocating device memory"))
        return false;
    e->block[e->blocks++] = memory;
    *(void **)pointer = memory;
    return succeeded(cudaMemsetAsync(memory, 0, bytes, e->stream), "clearing device memory");
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
    return succeeded(cudaMemcpyAsync(to, from, floats * sizeof *to, cudaMemcpyHostToDevice,
                                     e->stream), "uploading") &&
           succeeded(cudaStreamSynchronize(e->stream), "uploading");
}

static bool set_eigenvalues(struct wp_engine *e)
{
    const int *n = e->task.size;
    const size_t count = (size_t)n[0] + (size_t)n[1] + (size_t)n[2];
    float *eigenvalues = wp_allocate(count, sizeof *eigenvalues, "frequencies"), *at = eigenvalues;
    if (!eigenvalues)
        return false;
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < n[a]; i++)
            *at++ = (float)(2 - 2 * cos(2 * 3.14159265358979323846 * i / n[a]));
    const bool ok = upload(e, e->eigenvalues, eigenvalues, count);
    free(eigenvalues);
    return ok;
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
        ok = wp_cufft_run(e->fft, false, e->h0, e->h0, e->stream) &&
             wp_cuda_solver_ok(wp_multiply_run(NULL, e->h0, false, false,
                                               (float)e->shape.unitary, e->h0,
                                               (long long)e->shape.samples, e->stream), "scaling");
    else
        ok = ok && upload(e, e->measured, e->task.data, 2 * model->values);
    return ok && succeeded(cudaMemcpyAsync(e->h, e->h0, floats * sizeof *e->h,
                                           cudaMemcpyDeviceToDevice, e->stream), "copying");
}

static bool make_transforms(struct wp_engine *e)
{
    return !has_wavelet(e) ||
           (wp_task_make_transforms(&e->task, "cuda", false, &e->forward, &e->inverse) &&
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

static struct wp_engine *open_engine(const struct wp_task *task)
{
    if (!check_task(task) || !find_device())
        return NULL;
    struct wp_engine *e = wp_allocate(1, sizeof *e, "a reconstruction");
    if (!e)
        return NULL;
    e->task = *task;
    e->shape = wp_task_shape(task);
    if (!succeeded(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking),
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
    const struct wp_divide_args args = {.at = wp_cuda_frequencies(e), .h0 = e->h0, .h = e->h,
                                        .u = e->u, .scale = (float)e->shape.unitary, .update = last,
                                        .sums = e->sums};
    return wp_cufft_run(e->fft, false, e->r, e->u, e->stream) &&
           wp_cuda_solver_ok(wp_divide_run(&args, e->stream), "the division in k-space") &&
           wp_cufft_run(e->fft, true, e->u, e->u, e->stream);
}

static bool iterate(struct wp_engine *e, int number, int count, bool first, bool last,
                    double *residual)
{
    for (int i = 0; i < count; i++) {
        const bool ends = last && i == count - 1;
        if ((e->shape.descent && first && i == 0 && !wp_cuda_begin_descent(e)) ||
            !wp_cuda_regularise(e, number + i) ||
            !(e->shape.descent ? wp_cuda_descend(e, ends) : divide(e, ends)))
            return false;
    }
    return wp_cuda_solver_ok(wp_root_run(e->sums, e->residual, e->stream), "the residual") &&
           succeeded(cudaMemcpyAsync(residual, e->residual, sizeof *residual,
                                     cudaMemcpyDeviceToHost, e->stream), "the residual") &&
           succeeded(cudaStreamSynchronize(e->stream), "an iteration");
}

static bool image(const struct wp_engine *e, float *to)
{
    return succeeded(cudaMemcpy(to, e->u, 2 * e->shape.samples * sizeof *to,
                                cudaMemcpyDeviceToHost),
                     "downloading");
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
