// Rounding errors of float32 transforms: the tolerances of all checks.
#ifndef WP_WAVELET_GROWTH_H
#define WP_WAVELET_GROWTH_H

#include "text.h"
#include "wavelet.h"

// wp_factor_growth() of the wavelet's steps, forward and inverse. False if its filters are too
// long.
enum { WP_WAVELET_AXES = 3 };
bool wp_wavelet_growth(const struct wp_wavelet *wavelet, double growth[WP_WAVELET_AXES][2]);

// The expected maximum error of coefficients, and of reconstructed samples, for data in 0..1 and
// the normalization jpeg2000 (of coefficients relative to their gain). `axes`: the number of axes
// that are transformed in each lifting step; 0: convolution, which is also assumed if the filters
// are too long. `many_terms`: the scheme has sums of many terms. `tolerance`: the error that is at
// least accepted. For several levels it is multiplied by wp_wavelet_noise_gain().
double wp_wavelet_error(const struct wp_wavelet *wavelet, int axes, bool many_terms,
                        double tolerance);
#define WP_WAVELET_EXACT 1e-5 // the tolerance for images, unless the expected error is greater

// Writes the expected error if it exceeds WP_WAVELET_EXACT, else an empty text.
void wp_wavelet_write_error(const struct wp_wavelet *wavelet, struct wp_text *out);

// The factor by which the deepest of `levels` levels along one axis amplifies the root mean square
// of white noise: forward in its low band, inverse from there to the samples. The maximum over all
// levels, at least 1; errors that a level has smoothed grow less in the next one. For the inverse
// at least two thirds of the factor at the noisiest of every 2^levels samples, since functions like
// that of rbio3.1 have peaks.
double wp_wavelet_noise_gain(const struct wp_wavelet *wavelet, bool inverse, int levels);

#endif
