// Shared code of the targets that use wavelets.
#ifndef WP_FUZZ_WAVELET_H
#define WP_FUZZ_WAVELET_H

#include "wavelet.h"

#include <stdbool.h>

bool fuzz_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b);

// Checks that the written file is read as the same steps.
void fuzz_write_and_read_wavelet(const struct wp_wavelet *wavelet);

// A bound of the growth of rounding errors in a round trip of one level; infinite if it overflows.
double fuzz_growth(const struct wp_wavelet *wavelet);

#endif
