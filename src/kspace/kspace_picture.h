// Pictures of measured k-space.
#ifndef WP_KSPACE_PICTURE_H
#define WP_KSPACE_PICTURE_H

#include "complex_array.h"
#include "image.h"
#include "mask.h"

// Draws, from left to right with values in 0..1, the mask and the logarithm of k-space's magnitude
// (four decades), with DC in the center and for volumes in the plane of y and z; and the magnitude
// of the zero-filled reconstruction, its middle slice. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_kspace_picture(const struct wp_complex_array *kspace,
                                   const struct wp_mask *mask);

// Draw only the mask or the logarithm; of a volume, as a volume. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_mask_picture(const struct wp_mask *mask);
struct wp_image *wp_kspace_logarithm(const struct wp_complex_array *kspace);

#endif
