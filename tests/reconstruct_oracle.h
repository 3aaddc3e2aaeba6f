// The loop of reconstruction in double precision, from its definition, and slowly.
#ifndef WP_TEST_RECONSTRUCT_ORACLE_H
#define WP_TEST_RECONSTRUCT_ORACLE_H

#include "wavepass_reconstruct.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

struct oracle {
    int size[3], padded[3];
    int levels;
    size_t n, m; // samples of both sizes
};

// Zeros; free() them.
double complex *doubles(size_t count);
// All levels, of o->m coefficients in place.
void haar(double complex *w, const struct oracle *o, bool inverse);
// `length` is |x|, or that of a vector which x is a component of.
double complex shrink(double complex x, double length, double threshold);
// Leaves the image in u, o->n numbers.
void solve_slowly(struct oracle *o, const struct wp_reconstruct_params *p,
                  const unsigned char *mask, const float *data, double complex *u);

#endif
