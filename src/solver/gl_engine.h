// The memory of the engine in compute shaders, and its parts. Its context is current in all.
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
    struct wp_transform *forward, *back;
    struct wp_buffer_layout layout; // of both transforms' buffer, `planes`, for either
    size_t coefficients;            // floats of a plane that shrink
    struct wp_vectors_band *bands;  // of `exact`
    int band_count;
    struct wp_buffer u, r, h, h0;
    struct wp_buffer frequency; // 2 - 2 cos of each axis, then the model's diagonal
    struct wp_buffer b[3], b_after[3], c, planes;
    struct wp_buffer sums; // of the latest iteration, pairs
    int sum_count;
    // Of descent: F u or K'K u, the step, its length, sums, and where K'K is not diagonal K u, K of
    // the step, and what was measured.
    struct wp_buffer v, z, step, rest, power, data_sums;
    struct wp_buffer data, data_z, measured;
    struct wp_gl_cartesian model;
};

// Floats of the axes' turns.
int wp_gl_turns(const struct wp_engine *e);

bool wp_gl_prepare_regularisers(struct wp_engine *e);
// What the regularisers want of u, in r.
bool wp_gl_regularise(struct wp_engine *e, int number);
// Sums of |W z|^2 in `power`.
bool wp_gl_wavelet_power(struct wp_engine *e);

bool wp_gl_prepare_frequencies(struct wp_engine *e);
// The new u, where one division makes it, and the sums of |K u - f|^2 in `sums`.
bool wp_gl_divide(struct wp_engine *e, bool last);
bool wp_gl_begin_descent(struct wp_engine *e);
bool wp_gl_descend(struct wp_engine *e, bool last);

#endif
