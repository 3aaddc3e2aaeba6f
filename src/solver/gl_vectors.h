// Operations of the solver on arrays in buffers (shaders/solver_vectors.glsl), and helpers for its
// programs. Counts are of complex numbers. Functions return false after an error.
#ifndef WP_GL_VECTORS_H
#define WP_GL_VECTORS_H

#include "buffer.h"
#include "context.h"
#include "program.h"

#include <stdbool.h>

// The number of partial sums, pairs of floats, that functions with `sums` write for `count`
// numbers.
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
    WP_VECTOR_MASK,
    WP_VECTOR_KINDS
};

struct wp_gl_vectors {
    struct wp_gl *gl;
    struct wp_program *program[WP_VECTOR_KINDS]; // created when first used
};

// Gets a program of the solver from `defines` followed by `text`. Owned by the context; NULL after
// an error.
struct wp_program *wp_gl_solver_program(struct wp_gl *gl, const char *defines,
                                        const unsigned char *text);

// Distributes `count` workgroups over two dimensions.
void wp_gl_solver_groups(long long count, int groups[3]);

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

// result = a b with b from index `first`, or a conj(b)
bool wp_vectors_multiply(struct wp_gl_vectors *v, const struct wp_buffer *result,
                         const struct wp_buffer *a, const struct wp_buffer *b, size_t first,
                         bool conjugate, bool add, size_t count);
// result[target + i] = scale a[first + i] where the mask, of floats, is above 0, else 0.
bool wp_vectors_apply_mask(struct wp_gl_vectors *v, const struct wp_buffer *result, size_t target,
                           const struct wp_buffer *a, size_t first, const struct wp_buffer *mask,
                           double scale, size_t count);

#endif
