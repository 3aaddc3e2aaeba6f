// What follows from a wavelet's filters: synthesis filters, moments, smoothness, functions.
#ifndef WP_FILTERS_H
#define WP_FILTERS_H

#include "wavelet_filters.h"

// As wp_wavelet_filter_taps(), for the program, which ends where memory is short.
struct wp_taps wp_filters_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind);

// |sum tap_k exp(-i w k)|.
double wp_filters_response(const struct wp_taps *taps, double w);

// How many moments sum k^p tap_k, p = 0, 1, ..., vanish to within rounding (1e-6 of the sizes
// added: the accuracy of printed coefficients).
int wp_filters_moments(const struct wp_taps *high);

// The Sobolev exponent of the scaling function that belongs to a low-pass filter whose
// response has `zeros` zeros at the Nyquist frequency: it and its derivatives of order below
// the exponent are square integrable. With m0(w) = ((1 + exp(-iw))/2)^zeros q(w) it is
// zeros - log2(r)/2, where r is the spectral radius, by power iteration, of
// f(w) -> |q(w/2)|^2 f(w/2) + |q(w/2 + pi)|^2 f(w/2 + pi) (Eirola 1992, Villemoes 1992). A thousand
// times the square of the filter's length, at worst: NaN where that is above WP_SMOOTHNESS_TAPS.
enum { WP_SMOOTHNESS_TAPS = 512 };
double wp_filters_smoothness(const struct wp_taps *low, int zeros);

// A function on a dyadic grid: value[i] at first + i / 2^WP_CURVE_LEVELS.
enum { WP_CURVE_LEVELS = 7 };
struct wp_curve {
    double first;
    int count;
    double *value; // free() it
};

// The cascade phi <- sum 2 h_k phi(2t - k) with sum h = 1, WP_CURVE_LEVELS times from a unit
// impulse: the scaling function of a low-pass filter. With `high`, one more step with that
// filter in place of the low-pass one: the wavelet.
struct wp_curve wp_filters_cascade(const struct wp_taps *low, const struct wp_taps *high);

#endif
