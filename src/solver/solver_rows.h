// The arithmetic of the CPU engine on rows, compiled once per instruction set.
//
// Complex rows are pairs of floats, or two rows re and im. Rows do not overlap. A shrinkage of p
// with threshold t gives d = p - f p with f = t / max(|p|, t); the new Bregman variable is b = f p,
// and d - b = (1 - 2 f) p. A descent step requires this without the contribution of u to p: b_old -
// 2 f p.
#ifndef WP_SOLVER_ROWS_H
#define WP_SOLVER_ROWS_H

#include "engine.h"

#include <stdbool.h>

struct wp_cpu_shrink;

enum { WP_SOLVER_AXES = 3 };

// A row of the gradient step. `next` is NULL for axes with one sample, and for x.
struct wp_gradient_row {
    int samples;
    float threshold, scale;
    bool descent, add;    // add: add to `out`
    const float *u;
    const float *next[WP_SOLVER_AXES]; // along y and z: u at the next sample
    float *b[WP_SOLVER_AXES];
    float *carry[WP_SOLVER_AXES]; // along y and z: contribution of the previous sample; set to
                                  // that of this one
    float *out;                   // scale * grad'(d - b)
    float *scratch;               // WP_GRADIENT_SCRATCH(samples) floats
};
#define WP_GRADIENT_SCRATCH(samples) (10 * (samples) + 64)

// A row of k-space.
struct wp_divide_row {
    int samples;
    float mu, lambda, gamma;
    const float *laplacian; // eigenvalues 2 - 2 cos of grad'grad along x
    float laplacian_yz;     // sum of those along y and z
    const float *diagonal;
    float *u;        // in: r, out: the solution
    float *h;        // F K'f_k
    const float *h0; // F K'f
    bool update;     // compute h of the next outer iteration
};

// A row of k-space in a descent step: z = (mu (h - diagonal v) + r) / M.
struct wp_descent_row {
    struct wp_divide_row divide; // `u` is r
    const float *v;              // F u; NULL: the data term is included in r
    float *z;                    // result
    float normal_gamma;          // gamma if W'W = 1, else 0
    double r_dot_z, z_dot_az;    // results: <r, z>, and the part of <z, A z> that is diagonal in
                                 // k-space
};

struct wp_solver_rows {
    const char *name;
    void (*gradient)(const struct wp_gradient_row *row);
    void (*add)(float *destination, const float *source, float scale, int floats); // destination +=
                                                                                   // scale * source
    void (*split)(const float *source, float *re, float *im, int samples);
    void (*split_sum)(const float *a, const float *b, float *re, float *im, int samples);
    void (*merge)(const float *re, const float *im, float scale, float *destination, int samples);
    // For w as an image: c += u - w; out = scale * (w - c), for descent scale * (w - c - u).
    void (*merge_image)(const float *re, const float *im, const float *u, float *c, float scale,
                        bool descent, float *out, int samples);
    // For coefficients q = W u: computes c and d - b as above, in c and q; if c is NULL, q is only
    // shrunk.
    void (*shrink)(float *re, float *im, float *c_re, float *c_im, float threshold, bool descent,
                   int samples);
    // Returns the row's part of |K u - f|^2.
    double (*divide)(const struct wp_divide_row *row);
    void (*descend)(struct wp_descent_row *row);
    double (*residual)(const struct wp_divide_row *row, const float *v); // for F u in v; also
                                                                         // updates h
    double (*power)(const float *a, int floats);                         // sum of squares
    double (*distance)(const float *a, const float *b, int floats);      // |a - b|^2
};

// The fastest version that this processor supports.
const struct wp_solver_rows *wp_solver_rows_get(void);

// ---- the wavelet part of an iteration (cpu_shrink.c) ----

// `descent`: results are for a descent step (solver_rows.h). NULL after an error.
struct wp_cpu_shrink *wp_cpu_shrink_create(const struct wp_task *task, bool descent);
void wp_cpu_shrink_destroy(struct wp_cpu_shrink **shrink); // accepts NULL, sets it to NULL

// Shrinks W u + c as the task's form requires and computes `out` = gamma W'(w - c). False after an
// error.
bool wp_cpu_shrink_step(struct wp_cpu_shrink *shrink, int number, const float *u, float *out);

// Computes |W z|^2. False after an error.
bool wp_cpu_shrink_power(struct wp_cpu_shrink *shrink, const float *z, double *power);

struct wp_floats *wp_cpu_shrink_state(struct wp_cpu_shrink *shrink); // c
double wp_cpu_shrink_bytes(const struct wp_cpu_shrink *shrink); // least traffic of a step

#endif
