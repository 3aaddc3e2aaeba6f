// What float32 leaves of a wavelet's results. The one place that says how far off these may be.
#ifndef WP_WAVELET_GROWTH_H
#define WP_WAVELET_GROWTH_H

#include "text.h"
#include "wavelet.h"

// wp_factor_growth() of its steps, forward and inverse. False where its filters are too long for
// that.
enum { WP_WAVELET_AXES = 3 };
bool wp_wavelet_growth(const struct wp_wavelet *wavelet, double growth[WP_WAVELET_AXES][2]);

// The largest error of coefficients, and of samples that come back, to be expected of data in 0..1
// and norm jpeg2000 (coefficients by their gain over it), where `axes` axes go through every
// lifting step together; 0: none does, by convolution. Filters that are too long to be measured
// count as such. `many_terms`: by a scheme whose sums have such. `asked`: what results are held to at
// least. Levels multiply it by wp_wavelet_noise_gain().
double wp_wavelet_error(const struct wp_wavelet *wavelet, int axes, bool many_terms, double asked);
#define WP_WAVELET_EXACT 1e-5 // what results of images are held to, where that is not more

// For people, what of that is more than WP_WAVELET_EXACT; nothing where nothing is.
void wp_wavelet_write_error(const struct wp_wavelet *wavelet, struct wp_text *out);

// By how much the deepest of `levels` levels along one axis amplifies the root mean square of white
// noise, forward in its low band, in the inverse on the way from there to the samples; the most of
// any of these levels, and at least 1. Errors that a level has smoothed grow less in the next one.
// In the inverse two thirds of what it is at the noisiest of every 2^levels samples, where that is
// more: functions like rbio3.1's have peaks.
double wp_wavelet_noise_gain(const struct wp_wavelet *wavelet, bool inverse, int levels);

#endif
