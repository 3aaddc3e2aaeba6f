// The adjoint of a wavelet transform with periodic boundaries, as the inverse transform of another
// wavelet.
#ifndef WP_DUAL_H
#define WP_DUAL_H

#include "wavelet.h"
#include "wavepass.h"

#include <stdbool.h>

// Gets the wavelet whose inverse transform is the adjoint of this wavelet's forward transform, both
// with the normalization "orthonormal". W is a product of lifting steps and gains, so its transpose
// has the transposed steps in reverse order: a step from even to odd samples becomes one from odd
// to even samples, subtracted. False after WP_ERROR_USAGE if the result is not a valid wavelet: it
// has no vanishing moment, or too many steps.
bool wp_wavelet_dual(const struct wp_wavelet *wavelet, struct wp_wavelet *dual);

// A wavelet in the form of the library's interface. `data` points to the other members.
struct wp_wavelet_steps {
    struct wp_wavelet_data data;
    struct wp_step_data step[2 * WP_MAX_PAIRS];
    double tap[2 * WP_MAX_PAIRS][2 * WP_MAX_REACH + 1];
};
void wp_wavelet_list_steps(const struct wp_wavelet *wavelet, struct wp_wavelet_steps *steps);

// Determines whether a wavelet is its own dual. False after WP_ERROR_TOO_LARGE.
bool wp_wavelet_check_orthonormal(const struct wp_wavelet *wavelet, bool *orthonormal);

#endif
