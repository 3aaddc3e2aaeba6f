// Memory and functions of the CUDA engine.
#ifndef WP_CUDA_ENGINE_H
#define WP_CUDA_ENGINE_H

#include "cuda_ok.h"
#include "cufft_library.h"
#include "engine.h"
#include "solver_kernels.h"
#include "wavepass.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

enum { WP_CUDA_BLOCKS_MOST = 32 };

struct wp_engine {
    struct wp_task task;
    struct wp_task_shape shape;
    cudaStream_t stream;
    struct wp_cufft *fft;
    struct wp_transform *forward, *inverse;
    void *block[WP_CUDA_BLOCKS_MOST];
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
struct wp_frequencies wp_cuda_frequencies(const struct wp_engine *e);

// Sets r to the right-hand side of the regularization terms of u.
bool wp_cuda_regularise(struct wp_engine *e, int number);

// Computes partial sums of |W z|^2 in `power`.
bool wp_cuda_wavelet_power(struct wp_engine *e);

bool wp_cuda_begin_descent(struct wp_engine *e);
// Computes partial sums of |K u - f|^2 in `sums`.
bool wp_cuda_descend(struct wp_engine *e, bool last);

#endif
