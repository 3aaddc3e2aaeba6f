// The model of Cartesian k-space with one or more coils.
#include "engine.h"

#include "cuda_cartesian.h"
#include "fft.h"
#include "log.h"
#include "memory.h"
#include "threads.h"
#include "wavepass_reconstruct.h"

#include <stdlib.h>
#include <string.h>

struct wp_cartesian {
    struct wp_reconstruct_model model;
    size_t samples;
    int coils;
    struct wp_fft *fft;
    struct wp_floats diagonal; // the mask times the mean over the image of the sum of the coils'
                               // squared magnitudes
    struct wp_floats maps;     // empty for one coil of uniform sensitivity
    struct wp_floats coil;     // scratch: the image of one coil
    unsigned char *mask;
    int size[3];
    struct wp_cuda_cartesian *cuda; // created by the first call for CUDA memory
};

// result = a b or conj(a) b, which is added if `add`.
static void multiply(const float *a, const float *b, bool conjugate, bool add, float *to,
                     size_t samples)
{
    const float sign = conjugate ? -1 : 1, keep = add ? 1 : 0;
    for (size_t i = 0; i < samples; i++) {
        const float a_im = sign * a[2 * i + 1];
        const float re = a[2 * i] * b[2 * i] - a_im * b[2 * i + 1];
        const float im = a[2 * i] * b[2 * i + 1] + a_im * b[2 * i];
        to[2 * i] = keep * to[2 * i] + re;
        to[2 * i + 1] = keep * to[2 * i + 1] + im;
    }
}

static void apply_mask(const struct wp_cartesian *c, const float *from, float *to)
{
    for (size_t i = 0; i < c->samples; i++) {
        to[2 * i] = c->mask[i] ? from[2 * i] : 0;
        to[2 * i + 1] = c->mask[i] ? from[2 * i + 1] : 0;
    }
}

static void transform(const struct wp_cartesian *c, enum wp_fft_direction direction)
{
    wp_fft_run(c->fft, direction, (float complex *)c->coil.data);
}

static bool forward(void *user, const float *image, float *data)
{
    const struct wp_cartesian *c = user;
    for (int i = 0; i < c->coils; i++) {
        const size_t at = 2 * c->samples * (size_t)i;
        if (c->maps.count)
            multiply(c->maps.data + at, image, false, false, c->coil.data, c->samples);
        else
            memcpy(c->coil.data, image, 2 * c->samples * sizeof *image);
        transform(c, WP_FFT_FORWARD);
        apply_mask(c, c->coil.data, data + at);
    }
    return true;
}

static bool adjoint(void *user, const float *data, float *image)
{
    const struct wp_cartesian *c = user;
    for (int i = 0; i < c->coils; i++) {
        const size_t at = 2 * c->samples * (size_t)i;
        apply_mask(c, data + at, c->coil.data);
        transform(c, WP_FFT_INVERSE);
        if (c->maps.count) {
            if (i == 0)
                memset(image, 0, 2 * c->samples * sizeof *image);
            multiply(c->maps.data + at, c->coil.data, true, i > 0, image, c->samples);
        } else {
            memcpy(image, c->coil.data, 2 * c->samples * sizeof *image);
        }
    }
    return true;
}

static struct wp_cartesian_data data_of(const struct wp_cartesian *c)
{
    return (struct wp_cartesian_data){.size = {c->size[0], c->size[1], c->size[2]},
                                       .coils = c->coils, .mask = c->mask, .maps = c->maps.data};
}

bool wp_cartesian_find_data(const struct wp_reconstruct_model *model,
                             struct wp_cartesian_data *data)
{
    if (model->forward != forward)
        return false;
    *data = data_of(model->user);
    return true;
}

static bool forward_cuda(void *user, const float *image, float *data, void *stream)
{
    struct wp_cartesian *c = user;
    const struct wp_cartesian_data arrays = data_of(c);
    return wp_cuda_cartesian_forward(&c->cuda, &arrays, image, data, stream);
}

static bool adjoint_cuda(void *user, const float *data, float *image, void *stream)
{
    struct wp_cartesian *c = user;
    const struct wp_cartesian_data arrays = data_of(c);
    return wp_cuda_cartesian_adjoint(&c->cuda, &arrays, data, image, stream);
}

static double mean_square(const struct wp_cartesian *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->maps.count; i++)
        sum += (double)c->maps.data[i] * c->maps.data[i];
    return c->maps.count ? sum / (double)c->samples : 1;
}

static bool allocate(struct wp_cartesian *c, const int size[3], const unsigned char *mask,
                     const float *maps, int threads)
{
    const size_t map_floats = maps ? 2 * c->samples * (size_t)c->coils : 0;
    c->mask = wp_allocate(c->samples, 1, "a mask");
    if (c->mask)
        c->fft = wp_fft_create(size, threads > 0 ? threads : wp_threads_count(), WP_FFT_MEASURED);
    if (!c->fft || !wp_floats_acquire(&c->diagonal, c->samples, "a mask") ||
        !wp_floats_acquire(&c->maps, map_floats, "sensitivity maps") ||
        !wp_floats_acquire(&c->coil, 2 * c->samples, "an image"))
        return false;
    if (maps)
        memcpy(c->maps.data, maps, map_floats * sizeof *maps);
    memcpy(c->mask, mask, c->samples);
    const float value = (float)mean_square(c);
    for (size_t i = 0; i < c->samples; i++)
        c->diagonal.data[i] = mask[i] ? value : 0;
    return true;
}

struct wp_cartesian *wp_cartesian_create(const int size[3], const unsigned char *mask,
                                         const float *maps, int coils, int threads)
{
    if (size[0] < 1 || size[1] < 1 || size[2] < 1 || coils < 1 || (coils > 1 && !maps)) {
        wp_fail(WP_ERROR_USAGE, "invalid k-space size: %dx%dx%d samples and %d coils%s",
                size[0], size[1], size[2], coils, maps ? "" : " without maps");
        return NULL;
    }
    struct wp_cartesian *c = wp_allocate(1, sizeof *c, "a model");
    if (!c)
        return NULL;
    c->samples = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    c->coils = coils;
    memcpy(c->size, size, sizeof c->size);
    if (!allocate(c, size, mask, maps, threads)) {
        wp_cartesian_destroy(&c);
        return NULL;
    }
    c->model = (struct wp_reconstruct_model){
        .user = c,
        .values = c->samples * (size_t)coils,
        .forward = forward,
        .adjoint = adjoint,
        .diagonal = c->diagonal.data,
        .diagonalises = !maps,
        .forward_cuda = forward_cuda,
        .adjoint_cuda = adjoint_cuda,
    };
    return c;
}

void wp_cartesian_destroy(struct wp_cartesian **slot)
{
    struct wp_cartesian *c = *slot;
    *slot = NULL;
    if (!c)
        return;
    wp_fft_destroy(&c->fft);
    wp_cuda_cartesian_destroy(&c->cuda);
    wp_floats_free(&c->diagonal);
    wp_floats_free(&c->maps);
    wp_floats_free(&c->coil);
    free(c->mask);
    free(c);
}

const struct wp_reconstruct_model *wp_cartesian_model(const struct wp_cartesian *c)
{
    return &c->model;
}
