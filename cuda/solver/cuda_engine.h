// The CUDA engine's memory, and its parts.
#ifndef WP_CUDA_ENGINE_H
#define WP_CUDA_ENGINE_H

#include "cuda_ok.h"
#include "cufft_library.h"
#include "engine.h"
#include "solver_kernels.h"
#include "device_task.h"
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
    struct wp_transform *forward, *back;
    void *block[WP_CUDA_BLOCKS_MOST];
    int blocks;
    float *u, *r, *h, *h0, *diagonal, *turn;
    float *b, *b_after;
    float *c, *planes, *coefficients;
    double *sums, *residual;
    // Of descent: F u or K'K u, the step, its length, sums, and where K'K is not diagonal K u, K of
    // the step, and what was measured.
    float *v, *z, *step;
    double *rest, *power, *data_sums;
    float *data, *data_z, *measured;
};

// F of the task's size, not scaled.
struct wp_frequencies wp_cuda_frequencies(const struct wp_engine *e);

// What the regularisers want of u, in r.
bool wp_cuda_regularise(struct wp_engine *e, int number);

// Sums of |W z|^2 in `power`.
bool wp_cuda_wavelet_power(struct wp_engine *e);

bool wp_cuda_begin_descent(struct wp_engine *e);
// The sums of |K u - f|^2 are in `sums` then.
bool wp_cuda_descend(struct wp_engine *e, bool last);

#endif
