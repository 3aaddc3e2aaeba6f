// Conversion between wavelets and their filters, in high precision.
#ifndef WP_WAVELET_TAPS_H
#define WP_WAVELET_TAPS_H

#include "factor.h"
#include "wavelet.h"

// Computes the analysis filters from the steps, both relative to sample 2n, in the normalization
// jpeg2000. False if they are too long.
bool wp_wavelet_taps(const struct wp_wavelet *wavelet, struct wp_series *low,
                     struct wp_series *high);

// Sets the pairs and zeta.
void wp_wavelet_set_steps(struct wp_wavelet *wavelet, const struct wp_factoring *factoring);

// Factors filters and sets the pairs and zeta, not the names. False with the reason appended to
// `why`, or without a reason if memory is exhausted.
bool wp_wavelet_from_taps(struct wp_wavelet *wavelet, const struct wp_series *low,
                          const struct wp_series *high, enum wp_factor_position position,
                          struct wp_text *why);

// Writes a wavelet file without a name, so that the file name determines it.
void wp_wavelet_write(const struct wp_wavelet *wavelet, struct wp_text *out);

enum wp_filter_kind {
    WP_ANALYSIS_LOW,
    WP_ANALYSIS_HIGH,
    WP_SYNTHESIS_LOW,
    WP_SYNTHESIS_HIGH,
    WP_FILTER_KINDS
};

// Taps first..last, at tap[k - first]; the first and the last are not zero. Normalization jpeg2000:
// low[n] = sum analysis_low_k x[2n + k], high[n] = sum analysis_high_k x[2n + 1 + k];
// x[n] = sum over m of synthesis_low[n - 2m] low[m] + synthesis_high[n - 2m - 1] high[m].
struct wp_taps {
    int first, last;
    double *tap; // the caller frees it; NULL after WP_ERROR_TOO_LARGE
};

struct wp_taps wp_wavelet_filter_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind);

#endif
