// The four filters of a wavelet, computed from its lifting steps.
#ifndef WP_WAVELET_FILTERS_H
#define WP_WAVELET_FILTERS_H

#include "wavelet.h"

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
