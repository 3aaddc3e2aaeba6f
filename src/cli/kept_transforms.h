// Transforms that stay ready for the next image of their kind, on one device.
#ifndef WP_KEPT_TRANSFORMS_H
#define WP_KEPT_TRANSFORMS_H

#include "run.h"

enum { WP_KEPT_MOST = 8 };

struct wp_kept {
    int count;
    struct wp_kept_transform {
        char *key; // all that it depends on
        struct wp_transform *transform;
        enum wp_chosen_by by;
        bool volume;
        unsigned used;
    } transform[WP_KEPT_MOST]; // the first one has the device, and stays
    unsigned clock;
};

// wp_run_create(), or the one that it made before; with the choice of scheme and variant of then. It
// is the keeper's, and another call may end it. NULL after an error.
struct wp_transform *wp_kept_get(struct wp_kept *kept, const struct wp_transform_params *params,
                                 const struct wp_image *image, enum wp_direction direction,
                                 size_t nonfinite, enum wp_chosen_by *by);
void wp_kept_end(struct wp_kept *kept);

#endif
