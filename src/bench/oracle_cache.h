// The reference's results, kept while configurations of one size are checked: however many
// schemes and backends compute a transform, the reference does so once.
#ifndef WP_ORACLE_CACHE_H
#define WP_ORACLE_CACHE_H

#include "image.h"
#include "plan.h"

struct wp_oracle_cache;

// What is transformed: noise of a size. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_oracle_noise(const int size[WP_DIMS_MAX]);

// Lives until the next call on the cache. `scale`: the largest magnitude of the image, or 1.
struct wp_expectation {
    const float *input, *output;
    double scale;
};

struct wp_oracle_cache *wp_oracle_cache_create(void);
void wp_oracle_cache_destroy(struct wp_oracle_cache **cache); // accepts NULL, clears the pointer

// What the transform of the params makes of noise (forward) or of noise's coefficients
// (inverse); scheme and form do not matter. False after the errors of plan.h and image.h.
bool wp_oracle_cache_get(struct wp_oracle_cache *cache, const struct wp_description *params,
                         struct wp_expectation *expectation);

#endif
