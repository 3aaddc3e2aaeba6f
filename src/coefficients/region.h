// A part of the image that coefficients are of, at full size or at that of a level, from the few of
// them that it depends on.
#ifndef WP_REGION_H
#define WP_REGION_H

#include "tile_store.h"

// In samples of the image that is low-pass at `level`: 0 is the image itself, 1 half its size
// (LL1).
struct wp_region {
    int level, x, y, width, height;
};

// False after WP_ERROR_USAGE where there is no such level, or the region does not lie within it.
bool wp_region_check(const struct wp_sidecar *sidecar, const struct wp_region *region);

// What the inverse by the backend "cpu" has there, bit for bit: of levels above 0 with the gain
// that the norm gives the low bands. Alpha is there at level 0 alone. `params` tells wavelet,
// border, norm and whether it is reversible. Memory, time and bytes read are in proportion to the
// region, not to the image. NULL after an error.
struct wp_image *wp_region_read(struct wp_tile_store *store, const struct wp_sidecar *sidecar,
                                const struct wp_transform_params *params,
                                const struct wp_region *region);

#endif
