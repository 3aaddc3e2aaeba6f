// A cache of reference results for configurations of one size: the reference computes each
// transform once for all schemes and backends.
#ifndef WP_ORACLE_CACHE_H
#define WP_ORACLE_CACHE_H

#include "image.h"
#include "schedule.h"

struct wp_oracle_cache;

// Creates the input, noise of a size. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_oracle_noise(const int size[WP_DIMS_MAX]);

// Valid until the next call for the cache. `scale`: the largest magnitude of the image, at least 1.
struct wp_expectation {
    const float *input, *output;
    double scale;
};

struct wp_oracle_cache *wp_oracle_cache_create(void);
void wp_oracle_cache_destroy(struct wp_oracle_cache **cache); // accepts NULL, clears the pointer

// Gets the transform of the noise (forward) or of the noise's coefficients (inverse) for the
// parameters, whose scheme and form are ignored. False after the errors of schedule.h and image.h.
bool wp_oracle_cache_get(struct wp_oracle_cache *cache, const struct wp_description *params,
                         struct wp_expectation *expectation);

#endif
