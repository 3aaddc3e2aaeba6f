// Shrinkage: what a threshold t does to coefficients. Those of magnitudes up to t become 0, and the
// others
//
//     hard       x              garrote    x - t^2 / x
//     soft       x - t sign(x)
//
// The non-negative garrote is between the two: continuous, with an error that vanishes for large
// coefficients (H.-Y. Gao, Wavelet shrinkage denoising using the non-negative garrote, J. Comput.
// Graph. Statist. 7(4), 1998). If t is infinite, all
// finite coefficients become 0; else those that are not finite stay what they are.
#ifndef WP_SHRINK_H
#define WP_SHRINK_H

#include <stddef.h>

enum wp_shrink { WP_SHRINK_HARD, WP_SHRINK_SOFT, WP_SHRINK_GARROTE, WP_SHRINK_COUNT };

extern const char *const wp_shrink_names[WP_SHRINK_COUNT]; // "hard", "soft", "garrote"

// Shrinks x[0], x[step], ..., `count` coefficients.
void wp_shrink_row(enum wp_shrink rule, float *x, ptrdiff_t step, int count, float threshold);

// The sum of their squares, of which those that are not finite are left out.
double wp_shrink_energy(const float *x, ptrdiff_t step, int count);

#endif
