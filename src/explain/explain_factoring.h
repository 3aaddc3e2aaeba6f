// The divisions that lead from a wavelet's filters to its steps.
#ifndef WP_EXPLAIN_FACTORING_H
#define WP_EXPLAIN_FACTORING_H

#include "factor.h"

struct wp_wavelet;

// The caller frees it with free(). NULL after WP_ERROR_USAGE.
struct wp_factoring *wp_explain_factor(const struct wp_wavelet *wavelet);

#endif
