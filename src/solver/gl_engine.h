// The state of the engine in compute shaders, and functions of its parts, which require its current
// context.
#ifndef WP_GL_ENGINE_H
#define WP_GL_ENGINE_H

#include "engine.h"
#include "gl_cartesian.h"
#include "gl_fft.h"
#include "gl_vectors.h"
#include "device_task.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_engine {
    struct wp_task task;
    struct wp_task_shape shape;
    struct wp_gl *gl;
    struct wp_gl_fft *fft;
    struct wp_gl_vectors vectors;
    struct wp_program *gradient, *gather, *scatter, *shrink, *frequencies;
    struct wp_transform *forward, *inverse;
    struct wp_buffer_layout layout; // of `planes`, the buffer of both transforms
    size_t coefficients;            // floats per plane to shrink
    struct wp_vectors_band *bands;  // for `exact`
    int band_count;
    struct wp_buffer u, r, h, h0;
    struct wp_buffer frequency; // eigenvalues 2 - 2 cos of grad'grad along x, y, z, then the
                                // model's diagonal
    struct wp_buffer b[3], b_after[3], c, planes;
    struct wp_buffer sums; // of the latest iteration, in pairs
    int sum_count;
    // For descent: F u or K'K u, the step, its length, and sums; if K'K is not diagonal in k-space
    // also K u, K of the step, and the measured data.
    struct wp_buffer v, z, step, rest, power, data_sums;
    struct wp_buffer data, data_z, measured;
    struct wp_gl_cartesian model;
};

// The number of eigenvalues of grad'grad, for all axes.
int wp_gl_laplacian_size(const struct wp_engine *e);

bool wp_gl_prepare_regularisers(struct wp_engine *e);
// Computes the regularizers' part of the right-hand side in r.
bool wp_gl_regularise(struct wp_engine *e, int number);
// Computes sums of |W z|^2 in `power`.
bool wp_gl_wavelet_power(struct wp_engine *e);

bool wp_gl_prepare_frequencies(struct wp_engine *e);
// Computes u by one division, and sums of |K u - f|^2 in `sums`.
bool wp_gl_divide(struct wp_engine *e, bool last);
bool wp_gl_begin_descent(struct wp_engine *e);
bool wp_gl_descend(struct wp_engine *e, bool last);

#endif
