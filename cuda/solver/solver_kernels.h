// Kernels of the CUDA solver, except Fourier and wavelet transforms. Each function launches in a
// stream and returns a cudaError_t. Complex arrays are pairs of floats, x contiguous; planes are
// real parts, then imaginary parts.
#ifndef WP_SOLVER_KERNELS_H
#define WP_SOLVER_KERNELS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Total variation: with p = grad u + b and f = t / max(|p|, t), the new b is f p, and scale *
// grad'((1 - 2 f) p) is written or added to `out`.
struct wp_gradient_args {
    int size[3];
    const float *u;
    const float *before; // b: one complex array per axis that has more than one sample
    float *after;        // the new b; must be another array
    float *out;
    bool add;
    bool descent; // b - 2 f p instead of p - 2 f p, which omits grad u
    float threshold, scale;
};
int wp_gradient_run(const struct wp_gradient_args *args, void *stream);

// The wavelet's planes. `c` is NULL if the Bregman variable is in the coefficients.
struct wp_planes_args {
    int size[3], padded[3], shift[3]; // padding is 0
    const float *u;
    float *c;
    float *planes; // 2 * padded samples
    float *out;
    float scale;
    bool descent; // out = scale (planes - c - u)
};
int wp_gather_run(const struct wp_planes_args *args, void *stream);  // planes = u + c, shifted
int wp_scatter_run(const struct wp_planes_args *args, void *stream); // c += u - planes,
                                                                     // out = scale (planes - c)

// For `count` complex coefficients q = W u in planes: with p = q + c and f as above, c becomes f p,
// and q becomes (1 - 2 f) p, or with `descent` the old c - 2 f p. If c is NULL, q becomes (1 - f)
// q.
int wp_shrink_run(float *planes, float *c, long long count, float threshold, bool descent,
                  void *stream);

// The number of partial sums of a kernel, added in a fixed order.
enum { WP_TRACE = 1024 };

// Diagonal operators in k-space: M = mu diagonal + lambda eigenvalues + gamma.
struct wp_frequencies {
    int size[3];
    const float *eigenvalues[3]; // 2 - 2 cos, of the Laplacian along each axis
    const float *diagonal;
    float mu, lambda, gamma;
};

// Division: u = scale (mu h + scale r) / M, where u contains r. Partial sums of |K u - f|^2.
struct wp_divide_args {
    struct wp_frequencies at;
    const float *h0;
    float *h, *u;
    float scale;
    bool update; // set h to that of the next outer iteration
    double *sums;
};
int wp_divide_run(const struct wp_divide_args *args, void *stream);

// Step of descent: r = (scale r + mu (h - diagonal v)) / M, the second term only if v is not NULL,
// and z = scale r. Partial sums of <r, z> before the division, and of <z, A z> for the diagonal
// terms of A.
struct wp_descend_args {
    struct wp_frequencies at;
    const float *h, *v; // v NULL: K'K is not diagonal
    float *r, *z;
    float scale, normal_gamma;
    double *rest, *normal;
};
int wp_descend_run(const struct wp_descend_args *args, void *stream);

// Partial sums of |K u - f|^2, for v = F u.
struct wp_misfit_args {
    struct wp_frequencies at;
    const float *v, *h0;
    float *h;
    bool update;
    double *sums;
};
int wp_misfit_run(const struct wp_misfit_args *args, void *stream);

// a += by b, multiplied by *step if that is not NULL.
int wp_axpy_run(float *a, const float *b, float by, const float *step, long long floats,
                void *stream);

// Partial sums of (a - b)^2, or of a^2 if b is NULL.
int wp_distance_run(const float *a, const float *b, long long floats, double *sums, void *stream);

// wp_root_run(): the root of the total of partial sums. wp_step_run(): rest / (normal + gamma power
// + mu data), or 0 if the denominator is 0. `power` and `data` may be NULL.
int wp_root_run(const double *sums, double *root, void *stream);
int wp_step_run(const double *rest, const double *normal, const double *power, double gamma,
                const double *data, double mu, float *step, void *stream);

// to = scale a b, or scale conj(a) b with `conjugate`; added to `to` with `add`. a NULL: scale b.
int wp_multiply_run(const float *a, const float *b, bool conjugate, bool add, float scale,
                    float *to, long long samples, void *stream);
// to = scale from where the mask is not 0, otherwise 0.
int wp_mask_run(const unsigned char *mask, const float *from, float scale, float *to,
                long long samples, void *stream);

#ifdef __cplusplus
}
#endif

#endif
