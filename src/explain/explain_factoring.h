// The factorization of a wavelet's filters into lifting steps.
#ifndef WP_EXPLAIN_FACTORING_H
#define WP_EXPLAIN_FACTORING_H

#include "factor.h"

struct wp_wavelet;

// Factors a wavelet's filters. free() the result. NULL after WP_ERROR_USAGE.
struct wp_factoring *wp_explain_factor(const struct wp_wavelet *wavelet);

#endif
