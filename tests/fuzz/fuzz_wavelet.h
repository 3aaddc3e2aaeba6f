// What targets of wavelets share.
#ifndef WP_FUZZ_WAVELET_H
#define WP_FUZZ_WAVELET_H

#include "wavelet.h"

#include <stdbool.h>

bool fuzz_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b);

// Its file is read as the same steps.
void fuzz_write_and_read_wavelet(const struct wp_wavelet *wavelet);

// By how much rounding errors of one level may grow, there and back: a bound, and infinite where
// numbers do not fit.
double fuzz_growth(const struct wp_wavelet *wavelet);

#endif
