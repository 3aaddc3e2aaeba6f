// What the solver does to whole arrays in buffers (shaders/solver_vectors.glsl), and the programs
// around it. Counts are of complex numbers. False after a message.
#ifndef WP_GL_VECTORS_H
#define WP_GL_VECTORS_H

#include "buffer.h"
#include "context.h"
#include "program.h"

#include <stdbool.h>

// Partial sums, pairs of floats, that each of the functions with `sums` leaves of so many numbers,
// at most WP_VECTOR_SUMS.
enum { WP_VECTOR_SUMS = 1024 };
int wp_vectors_partial_sums(size_t count);

enum wp_vector_kind {
    WP_VECTOR_SCALE,
    WP_VECTOR_ADD,
    WP_VECTOR_DISTANCE,
    WP_VECTOR_MISFIT,
    WP_VECTOR_POWER,
    WP_VECTOR_STEP,
    WP_VECTOR_MULTIPLY,
    WP_VECTOR_KEEP,
    WP_VECTOR_KINDS
};

struct wp_gl_vectors {
    struct wp_gl *gl;
    struct wp_program *program[WP_VECTOR_KINDS]; // as they are wanted
};

// A shader of the solver: what `defines` says, then `text`. The context's; NULL after an error.
struct wp_program *wp_gl_solver_program(struct wp_gl *gl, const char *defines,
                                        const unsigned char *text);

// Workgroups along two axes for so many.
void wp_gl_solver_groups(long long count, int groups[3]);

bool wp_vectors_scale(struct wp_gl_vectors *v, const struct wp_buffer *result,
                      const struct wp_buffer *a, double scale, size_t count);
// result += by b, and times a number on the device, where `step` is not NULL.
bool wp_vectors_add(struct wp_gl_vectors *v, const struct wp_buffer *result,
                    const struct wp_buffer *b, double by, const struct wp_buffer *step,
                    size_t count);
// |a - b|^2, or of b NULL |a|^2.
bool wp_vectors_distance(struct wp_gl_vectors *v, const struct wp_buffer *a,
                         const struct wp_buffer *b, const struct wp_buffer *sums, size_t count);

// |K u - f|^2 of F u in k-space, where the diagonal of K'K begins `skip` floats into `frequencies`.
struct wp_vectors_misfit {
    const struct wp_buffer *transformed, *h0, *h, *frequencies, *sums;
    int skip;
    bool update; // h becomes that of the next outer loop
    size_t count;
};
bool wp_vectors_misfit(struct wp_gl_vectors *v, const struct wp_vectors_misfit *misfit);

// The squares of coefficients, band by band.
struct wp_vectors_band {
    int size[4];  // along x, y, z; -
    int place[4]; // the first float of plane 0, steps along y and z, floats of a plane
};
bool wp_vectors_power(struct wp_gl_vectors *v, const struct wp_buffer *planes,
                      const struct wp_vectors_band *bands, int count,
                      const struct wp_buffer *sums, size_t samples);

// step = rest / (normal + gamma power + mu data); of the last two there may be 0 sums.
struct wp_vectors_step {
    const struct wp_buffer *rest, *power, *data, *step;
    int rest_count, power_count, data_count;
    double gamma, mu;
};
bool wp_vectors_step(struct wp_gl_vectors *v, const struct wp_vectors_step *step);

// result = a b, b from number `first` on, or with its conjugate, or that added.
bool wp_vectors_multiply(struct wp_gl_vectors *v, const struct wp_buffer *result,
                         const struct wp_buffer *a, const struct wp_buffer *b, size_t first,
                         bool conjugate, bool add, size_t count);
// result from `to` on = scale a from `first` on, where the mask, of floats, is above 0; else 0.
bool wp_vectors_keep(struct wp_gl_vectors *v, const struct wp_buffer *result, size_t to,
                     const struct wp_buffer *a, size_t first, const struct wp_buffer *mask,
                     double scale, size_t count);

#endif
