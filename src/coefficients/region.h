// Reconstructs a rectangle of an image, at full size or at the size of a level, from only the
// coefficients that it depends on.
#ifndef WP_REGION_H
#define WP_REGION_H

#include "tile_store.h"

// A rectangle in samples of the low-pass image at `level`: 0 is the image, 1 half its size (LL1).
struct wp_region {
    int level, x, y, width, height;
};

// False after WP_ERROR_USAGE if the level does not exist or the region is not inside it.
bool wp_region_check(const struct wp_sidecar *sidecar, const struct wp_region *region);

// Reconstructs a region, bit-identical to the inverse transform on the backend "cpu". Levels above
// 0 have the gain of the normalization; alpha exists only at level 0. `params` has wavelet, border,
// norm and reversible. Memory, time and bytes read are proportional to the region. NULL after an
// error.
struct wp_image *wp_region_read(struct wp_tile_store *store, const struct wp_sidecar *sidecar,
                                const struct wp_transform_params *params,
                                const struct wp_region *region);

#endif
