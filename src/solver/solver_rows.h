// All arithmetic of the CPU's solver, on rows; compiled once for each instruction set.
//
// Complex rows are pairs of floats unless split in two rows, re and im. Rows don't overlap. Of a
// shrinkage with threshold t, p becomes d = p - f p with f = t / max(|p|, t), and what remains,
// f p, is the new Bregman variable: d - b = (1 - 2 f) p. What a step of descent wants is that
// without what p got from u: b - 2 f p.
#ifndef WP_SOLVER_ROWS_H
#define WP_SOLVER_ROWS_H

#include <stdbool.h>

enum { WP_SOLVER_AXES = 3 };

// A row of the gradient's step. Axes that have one sample have NULL in `next`, but x has none.
struct wp_gradient_row {
    int samples;
    float threshold, scale;
    bool descent, add;    // add to `out`
    const float *u;
    const float *next[WP_SOLVER_AXES]; // along y and z: u one step on
    float *b[WP_SOLVER_AXES];
    float *before[WP_SOLVER_AXES]; // along y and z: what the step before left; gets this one's
    float *out;                    // scale * grad'(d - b)
    float *work;                   // WP_GRADIENT_SCRATCH(samples) floats
};
#define WP_GRADIENT_SCRATCH(samples) (10 * (samples) + 64)

// A row of k-space.
struct wp_divide_row {
    int samples;
    float mu, lambda, gamma;
    const float *turn; // 2 - 2 cos along x
    float turn_rest; // of the other axes
    const float *diagonal;
    float *u;        // r goes in, the solution comes out
    float *h;        // F K'f_k
    const float *h0; // F K'f
    bool update;     // h becomes that of the next outer loop
};

// A row of k-space in a step of descent: z = (mu (h - diagonal v) + r) / M.
struct wp_descent_row {
    struct wp_divide_row divide; // `u` is r
    const float *v;              // F u; NULL: the model's part is in r
    float *z;                    // for the transform
    float normal_gamma;          // gamma where W'W = 1, else 0
    double with_rest, with_normal; // come out: <r, z>, <z, A z> without what is not diagonal
};

struct wp_solver_rows {
    const char *name;
    void (*gradient)(const struct wp_gradient_row *row);
    void (*add)(float *to, const float *from, float scale, int floats); // to += scale * from
    void (*split)(const float *from, float *re, float *im, int samples);
    void (*split_sum)(const float *a, const float *b, float *re, float *im, int samples);
    void (*merge)(const float *re, const float *im, float scale, float *to, int samples);
    // Of w as an image: c += u - w, out = scale * (w - c), of descent scale * (w - c - u).
    void (*merge_image)(const float *re, const float *im, const float *u, float *c, float scale,
                        bool descent, float *out, int samples);
    // Of coefficients q = W u: c and q become those of above, or where c is NULL q is shrunk.
    void (*shrink)(float *re, float *im, float *c_re, float *c_im, float threshold, bool descent,
                   int samples);
    // Return the row's part of |K u - f|^2.
    double (*divide)(const struct wp_divide_row *row);
    void (*descend)(struct wp_descent_row *row);
    double (*residual)(const struct wp_divide_row *row, const float *v); // and updates h
    double (*power)(const float *a, int floats); // sum of squares
    double (*distance)(const float *a, const float *b, int floats); // of a - b
};

// The fastest that this processor has.
const struct wp_solver_rows *wp_solver_rows_get(void);

#endif
