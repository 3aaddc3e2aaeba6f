// The adjoint of a wavelet transform with periodic borders, as another one's inverse.
#ifndef WP_DUAL_H
#define WP_DUAL_H

#include "wavelet.h"
#include "wavepass.h"

#include <stdbool.h>

// The wavelet whose inverse transform is the adjoint of this one's forward transform, both in the
// norm `orthonormal`. W is a product of lifting steps and gains; its transpose has the steps
// transposed in the opposite order. So the inverse of that begins with what was the first step,
// subtracted, from odd to even samples where it went from even to odd ones. False after
// WP_ERROR_USAGE where that is no wavelet: it has no vanishing moment, or too many steps.
bool wp_wavelet_dual(const struct wp_wavelet *wavelet, struct wp_wavelet *dual);

// A wavelet as the library takes it from callers. `data` points into the rest.
struct wp_wavelet_steps {
    struct wp_wavelet_data data;
    struct wp_step_data step[2 * WP_MAX_PAIRS];
    double tap[2 * WP_MAX_PAIRS][2 * WP_MAX_REACH + 1];
};
void wp_wavelet_list_steps(const struct wp_wavelet *wavelet, struct wp_wavelet_steps *steps);

// Whether it is its own dual. False after WP_ERROR_TOO_LARGE.
bool wp_wavelet_judge_orthonormal(const struct wp_wavelet *wavelet, bool *orthonormal);

#endif
