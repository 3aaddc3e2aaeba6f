// Wavelets from their filters, and filters of wavelets, in high precision.
#ifndef WP_WAVELET_TAPS_H
#define WP_WAVELET_TAPS_H

#include "factor.h"
#include "wavelet.h"

// The analysis filters that the steps make, from sample 2n, in the norm jpeg2000. False where they
// are too long.
bool wp_wavelet_taps(const struct wp_wavelet *wavelet, struct wp_series *low,
                     struct wp_series *high);

// Sets the pairs and zeta.
void wp_wavelet_set_steps(struct wp_wavelet *wavelet, const struct wp_factoring *factoring);

// Factors filters and sets pairs and zeta; names are left alone. False with the reason added to
// `why`; without one where memory is short.
bool wp_wavelet_from_taps(struct wp_wavelet *wavelet, const struct wp_series *low,
                          const struct wp_series *high, enum wp_factor_position position,
                          struct wp_text *why);

// A wavelet file of it. Its name is left out, since that of the file is a new one's.
void wp_wavelet_write(const struct wp_wavelet *wavelet, struct wp_text *out);

#endif
