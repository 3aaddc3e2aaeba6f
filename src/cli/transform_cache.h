// An LRU cache of transforms on one device.
#ifndef WP_TRANSFORM_CACHE_H
#define WP_TRANSFORM_CACHE_H

#include "run.h"

enum { WP_TRANSFORM_CACHE_MAX = 8 };

struct wp_transform_cache {
    int count;
    struct wp_transform_cache_entry {
        char *key; // text of all parameters of the transform; NULL: never found
        struct wp_transform *transform;
        enum wp_chosen_by by;
        bool volume;
        unsigned used; // value of `clock` when it was last used
    } transform[WP_TRANSFORM_CACHE_MAX]; // the first one owns the device and is not evicted
    unsigned clock;
};

// Returns the cached transform of these parameters, with its scheme and variant, or one created
// with wp_run_create_shared(). The cache owns it; later calls may destroy it. NULL after an error.
struct wp_transform *wp_transform_cache_get(struct wp_transform_cache *cache,
                                            const struct wp_transform_params *params,
                                            const struct wp_image *image,
                                            enum wp_direction direction, size_t nonfinite,
                                            enum wp_chosen_by *by);
void wp_transform_cache_end(struct wp_transform_cache *cache);

#endif
