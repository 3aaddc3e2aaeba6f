// Properties of a wavelet's filters: response, moments, smoothness, functions.
#ifndef WP_FILTERS_H
#define WP_FILTERS_H

#include "wavelet_taps.h"

// Like wp_wavelet_filter_taps(), but ends the program if memory is exhausted.
struct wp_taps wp_filters_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind);

// The number of moments sum k^p tap_k, p = 0, 1, ..., that vanish, up to 1e-6 of the sum of
// magnitudes: the accuracy of printed coefficients.
int wp_filters_moments(const struct wp_taps *high);

// The Sobolev exponent of the scaling function of a low-pass filter whose response has `zeros`
// zeros at the Nyquist frequency: it and its derivatives of order below the exponent are square
// integrable. With m0(w) = ((1 + exp(-iw))/2)^zeros q(w) it is zeros - log2(r)/2, where r is the
// spectral radius, by power iteration, of f(w) -> |q(w/2)|^2 f(w/2) + |q(w/2 + pi)|^2 f(w/2 + pi)
// (Eirola 1992, Villemoes 1992). The time is at most a thousand times the square of the filter's
// length. NaN for more than WP_SMOOTHNESS_TAPS taps.
enum { WP_SMOOTHNESS_TAPS = 512 };
double wp_filters_smoothness(const struct wp_taps *low, int zeros);

// A function on a dyadic grid: value[i] at first + i / 2^WP_CURVE_LEVELS.
enum { WP_CURVE_LEVELS = 7 };
struct wp_cascade {
    double first;
    int count;
    double *value; // free() it
};

// The scaling function of a low-pass filter: WP_CURVE_LEVELS steps of the cascade phi <- sum 2 h_k
// phi(2t - k), sum h = 1, from a unit impulse. With `high`, the wavelet: the last step uses that
// filter.
struct wp_cascade wp_filters_cascade(const struct wp_taps *low, const struct wp_taps *high);

#endif
