// Transforms that stay ready for the next image of their kind, on one device.
#ifndef WP_TRANSFORM_CACHE_H
#define WP_TRANSFORM_CACHE_H

#include "run.h"

enum { WP_TRANSFORM_CACHE_MAX = 8 };

struct wp_transform_cache {
    int count;
    struct wp_transform_cache_entry {
        char *key; // all that it depends on
        struct wp_transform *transform;
        enum wp_chosen_by by;
        bool volume;
        unsigned used;
    } transform[WP_TRANSFORM_CACHE_MAX]; // the first one has the device, and stays
    unsigned clock;
};

// wp_run_create(), or the one that it made before; with the choice of scheme and variant of then.
// It is the keeper's, and another call may end it. NULL after an error.
struct wp_transform *wp_transform_cache_get(struct wp_transform_cache *cache, const struct wp_transform_params *params,
                                 const struct wp_image *image, enum wp_direction direction,
                                 size_t nonfinite, enum wp_chosen_by *by);
void wp_transform_cache_end(struct wp_transform_cache *cache);

#endif
