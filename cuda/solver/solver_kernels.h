// What the CUDA solver computes between Fourier and wavelet transforms. Each launches work in a
// stream and returns a cudaError_t. Complex arrays are pairs of floats, x fastest; planes are real
// parts, then imaginary parts.
#ifndef WP_SOLVER_KERNELS_H
#define WP_SOLVER_KERNELS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Total variation's part: with p = grad u + b, f = t / max(|p|, t) the new b is f p, and `out`
// gets scale * grad'((1 - 2 f) p), or has it added.
struct wp_gradient_args {
    int size[3];
    const float *u;
    const float *before; // b: one complex array an axis that has more than one sample
    float *after;        // the new b; not the same memory
    float *out;
    bool add;
    bool descent; // out of b - 2 f p in place of p - 2 f p, which leaves grad u out
    float threshold, scale;
};
int wp_gradient_run(const struct wp_gradient_args *args, void *stream);

// The wavelet's image, and what comes of it. `c` is NULL where the wavelet keeps coefficients.
struct wp_planes_args {
    int size[3], padded[3], shift[3]; // what lies beyond the image is 0
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

// Of `count` coefficients q = W u in planes: with p = q + c and f as above c becomes f p, and q
// (1 - 2 f) p, of descent the old c - 2 f p; without c q becomes (1 - f) q.
int wp_shrink_run(float *planes, float *c, long long count, float threshold, bool descent,
                  void *stream);

// Partial sums of a kernel, in an order that is always the same.
enum { WP_TRACE = 1024 };

// What is diagonal in k-space: M = mu diagonal + lambda turns + gamma.
struct wp_frequencies {
    int size[3];
    const float *turn[3]; // 2 - 2 cos, of each axis
    const float *diagonal;
    float mu, lambda, gamma;
};

// The division: u = (mu h + scale r) / M, in place of r, times `scale`; sums of |K u - f|^2.
struct wp_divide_args {
    struct wp_frequencies at;
    const float *h0;
    float *h, *u;
    float scale;
    bool update; // h becomes that of the next outer loop
    double *sums;
};
int wp_divide_run(const struct wp_divide_args *args, void *stream);

// The step of descent: with r = scale times what is there, and with `v` more mu (h - diagonal v),
// r = r / M, and z the same times `scale`. Sums of <r, z> before it is divided, and of <z, A z>
// without what is not diagonal.
struct wp_descend_args {
    struct wp_frequencies at;
    const float *h, *v; // v NULL: the model is not diagonal
    float *r, *z;
    float scale, normal_gamma;
    double *rest, *normal;
};
int wp_descend_run(const struct wp_descend_args *args, void *stream);

// Sums of |K u - f|^2 of v = F u.
struct wp_misfit_args {
    struct wp_frequencies at;
    const float *v, *h0;
    float *h;
    bool update;
    double *sums;
};
int wp_misfit_run(const struct wp_misfit_args *args, void *stream);

// a += by b, and by *step where that is not NULL.
int wp_axpy_run(float *a, const float *b, float by, const float *step, long long floats,
                void *stream);

// Sums of (a - b)^2, b may be NULL.
int wp_distance_run(const float *a, const float *b, long long floats, double *sums, void *stream);

// The root of all sums; and rest / (normal + gamma power + mu data), 0 where that is nothing. The
// last two may be NULL.
int wp_root_run(const double *sums, double *root, void *stream);
int wp_step_run(const double *rest, const double *normal, const double *power, double gamma,
                const double *data, double mu, float *step, void *stream);

// to = scale a b, with `conjugate` the conjugate of a; added where `add`. a NULL: b.
int wp_multiply_run(const float *a, const float *b, bool conjugate, bool add, float scale,
                    float *to, long long samples, void *stream);
// to = scale from where the mask is not 0, else 0.
int wp_keep_run(const unsigned char *mask, const float *from, float scale, float *to,
                long long samples, void *stream);

#ifdef __cplusplus
}
#endif

#endif
