// The reconstruction loop in double precision, directly from its definition (slow).
#ifndef WP_TEST_RECONSTRUCT_ORACLE_H
#define WP_TEST_RECONSTRUCT_ORACLE_H

#include "wavepass_reconstruct.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

struct oracle {
    int size[3], padded[3];
    int levels;
    size_t n, m; // number of samples of size and padded
};

// Returns zeros; the caller frees them.
double complex *doubles(size_t count);
// Transforms o->m coefficients in place, all levels.
void haar(double complex *w, const struct oracle *o, bool inverse);
// `length` is |x|, or the length of the vector that x is a component of.
double complex shrink(double complex x, double length, double threshold);
// Writes the image to u, o->n numbers.
void solve_reference(struct oracle *o, const struct wp_reconstruct_params *p,
                     const unsigned char *mask, const float *data, double complex *u);

#endif
