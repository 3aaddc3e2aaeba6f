// Pictures of what was measured.
#ifndef WP_KSPACE_PICTURE_H
#define WP_KSPACE_PICTURE_H

#include "complex_array.h"
#include "image.h"
#include "mask.h"

// Side by side, values in 0..1: the mask and the logarithm of k-space's magnitude (four decades),
// zero frequency in the middle, of a volume its plane over y and z; and the magnitude of what the
// inverse transform makes of it, its middle slice. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_kspace_picture(const struct wp_complex_array *kspace,
                                   const struct wp_mask *mask);

// The same two by themselves, of a volume all of it.
struct wp_image *wp_mask_picture(const struct wp_mask *mask);
struct wp_image *wp_kspace_logarithm(const struct wp_complex_array *kspace);

#endif
