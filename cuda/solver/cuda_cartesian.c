#include "cuda_cartesian.h"

#include "cuda_ok.h"
#include "cufft_library.h"
#include "memory.h"
#include "solver_kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct wp_cuda_cartesian {
    size_t samples;
    int coils;
    float unitary;
    struct wp_cufft *fft;
    unsigned char *mask;
    float *maps; // or NULL
    float *coil;
};

static bool put(void *pointer, const void *from, size_t bytes)
{
    void *memory = NULL;
    if (!wp_cuda_ok(cudaMalloc(&memory, bytes), "allocating device memory for a model"))
        return false;
    *(void **)pointer = memory;
    return !from || wp_cuda_ok(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice),
                               "uploading");
}

static bool make(struct wp_cuda_cartesian **slot, const struct wp_cartesian_data *model)
{
    if (*slot)
        return true;
    struct wp_cuda_cartesian *c = *slot = wp_allocate(1, sizeof *c, "a model");
    if (!c)
        return false;
    c->samples = (size_t)model->size[0] * (size_t)model->size[1] * (size_t)model->size[2];
    c->coils = model->coils;
    c->unitary = (float)(1 / sqrt((double)c->samples));
    const size_t image = 2 * c->samples * sizeof(float);
    const bool ok = (c->fft = wp_cufft_create(model->size)) &&
                    put(&c->mask, model->mask, c->samples) && put(&c->coil, NULL, image) &&
                    (!model->maps ||
                     put(&c->maps, model->maps, image * (size_t)model->coils));
    // The engine's stream does not wait for copies in the default stream.
    if (!ok || !wp_cuda_ok(cudaDeviceSynchronize(), "uploading")) {
        wp_cuda_cartesian_destroy(slot);
        return false;
    }
    return true;
}

void wp_cuda_cartesian_destroy(struct wp_cuda_cartesian **slot)
{
    struct wp_cuda_cartesian *c = *slot;
    *slot = NULL;
    if (!c)
        return;
    wp_cufft_destroy(&c->fft);
    cudaFree(c->mask);
    cudaFree(c->maps);
    cudaFree(c->coil);
    free(c);
}

static const float *map_of(const struct wp_cuda_cartesian *c, int coil)
{
    return c->maps ? c->maps + 2 * c->samples * (size_t)coil : NULL;
}

bool wp_cuda_cartesian_forward(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *image,
                               float *data, void *stream)
{
    if (!make(state, model))
        return false;
    const struct wp_cuda_cartesian *c = *state;
    const long long n = (long long)c->samples;
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++)
        ok = wp_cuda_launched(wp_multiply_run(map_of(c, i), image, false, false, 1, c->coil, n,
                                              stream), "a coil's image") &&
             wp_cufft_run(c->fft, false, c->coil, c->coil, stream) &&
             wp_cuda_launched(wp_mask_run(c->mask, c->coil, c->unitary,
                                          data + 2 * c->samples * (size_t)i, n, stream), "a mask");
    return ok;
}

bool wp_cuda_cartesian_adjoint(struct wp_cuda_cartesian **state,
                               const struct wp_cartesian_data *model, const float *data,
                               float *image, void *stream)
{
    if (!make(state, model))
        return false;
    const struct wp_cuda_cartesian *c = *state;
    const long long n = (long long)c->samples;
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++)
        ok = wp_cuda_launched(wp_mask_run(c->mask, data + 2 * c->samples * (size_t)i, c->unitary,
                                          c->coil, n, stream), "a mask") &&
             wp_cufft_run(c->fft, true, c->coil, c->coil, stream) &&
             wp_cuda_launched(wp_multiply_run(map_of(c, i), c->coil, true, i > 0, 1, image, n,
                                              stream), "a coil's image");
    return ok;
}
