// The state of the engine in compute shaders, and functions of its parts, which require its current
// context.
#ifndef WP_GL_ENGINE_H
#define WP_GL_ENGINE_H

#include "buffer.h"
#include "context.h"
#include "engine.h"
#include "gl_fft.h"
#include "program.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

enum wp_vector_kind {
    WP_VECTOR_SCALE,
    WP_VECTOR_ADD,
    WP_VECTOR_DISTANCE,
    WP_VECTOR_MISFIT,
    WP_VECTOR_POWER,
    WP_VECTOR_STEP,
    WP_VECTOR_MULTIPLY,
    WP_VECTOR_MASK,
    WP_VECTOR_KINDS
};

struct wp_gl_cartesian {
    struct wp_gl_vectors *vectors;
    const struct wp_gl_fft *fft;
    size_t samples;
    int coils;
    double unitary;
    bool has_maps;
    struct wp_buffer mask, maps, coil;
};

struct wp_gl_vectors {
    struct wp_gl *gl;
    struct wp_program *program[WP_VECTOR_KINDS]; // created when first used
};

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

bool wp_gl_prepare_regularisers(struct wp_engine *e);
// Computes the regularizers' part of the right-hand side in r.
bool wp_gl_regularise(struct wp_engine *e, int number);
// Computes sums of |W z|^2 in `power`.
bool wp_gl_wavelet_power(struct wp_engine *e);

// ---- vectors in buffers ----

// The number of partial sums, pairs of floats, that functions with `sums` write for `count`
// numbers.
enum { WP_VECTOR_SUMS = 1024 };
int wp_vectors_partial_sums(size_t count);

bool wp_vectors_scale(struct wp_gl_vectors *v, const struct wp_buffer *result,
                      const struct wp_buffer *a, double scale, size_t count);
// result += factor b; if `step` is not NULL, also times its value, a number on the device.
bool wp_vectors_add(struct wp_gl_vectors *v, const struct wp_buffer *result,
                    const struct wp_buffer *b, double factor, const struct wp_buffer *step,
                    size_t count);
// Sums of |a - b|^2, or of |a|^2 if b is NULL.
bool wp_vectors_distance(struct wp_gl_vectors *v, const struct wp_buffer *a,
                         const struct wp_buffer *b, const struct wp_buffer *sums, size_t count);

// Sums of |K u - f|^2 from F u in k-space. The diagonal of K'K begins at float `skip` of
// `frequencies`.
struct wp_vectors_misfit {
    const struct wp_buffer *transformed, *h0, *h, *frequencies, *sums;
    int skip;
    bool update; // compute h of the next outer iteration
    size_t count;
};
bool wp_vectors_misfit(struct wp_gl_vectors *v, const struct wp_vectors_misfit *misfit);

// Sums of the squares of coefficients in the given bands.
struct wp_vectors_band {
    int size[4];     // along x, y, z; unused
    int location[4]; // the first float of plane 0, steps along y and z, floats of a plane
};
bool wp_vectors_power(struct wp_gl_vectors *v, const struct wp_buffer *planes,
                      const struct wp_vectors_band *bands, int count,
                      const struct wp_buffer *sums, size_t samples);

// step = rest / (normal + gamma power + mu data). Counts of the last two may be 0.
struct wp_vectors_step {
    const struct wp_buffer *rest, *power, *data, *step;
    int rest_count, power_count, data_count;
    double gamma, mu;
};
bool wp_vectors_step(struct wp_gl_vectors *v, const struct wp_vectors_step *step);

// ---- the model of Cartesian k-space in buffers ----

// `vectors` and `fft` must outlive the object. False after an error; call destroy() in any case.
bool wp_gl_cartesian_create(struct wp_gl_vectors *vectors, const struct wp_gl_fft *fft,
                            const struct wp_cartesian_data *data, struct wp_gl_cartesian *c);
void wp_gl_cartesian_destroy(struct wp_gl_cartesian *c); // accepts and leaves {0}

// The functions of wp_reconstruct_model.
bool wp_gl_cartesian_forward(const struct wp_gl_cartesian *c, const struct wp_buffer *image,
                             const struct wp_buffer *data);
bool wp_gl_cartesian_adjoint(const struct wp_gl_cartesian *c, const struct wp_buffer *data,
                             const struct wp_buffer *image);

#endif
