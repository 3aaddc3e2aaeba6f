// --show factoring as JSON.
#ifndef WP_REPORT_FACTORING_H
#define WP_REPORT_FACTORING_H

#include "wavelet.h"

struct json_t;

// Returns a new reference. NULL after WP_ERROR_USAGE.
struct json_t *wp_report_factoring(const struct wp_wavelet *wavelet);

#endif
