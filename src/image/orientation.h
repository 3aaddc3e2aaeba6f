// The orientation of images: tag 274 of TIFF 6.0, also used by EXIF. 1 is upright; 2 to 8 are
// rotated or mirrored. Internal to this layer.
#ifndef WP_IMAGE_ORIENTATION_H
#define WP_IMAGE_ORIENTATION_H

#include "image.h"

#include <stddef.h>

// The orientation from the payload of a JPEG application segment; 1 if it has none.
int wp_orientation_of_segment(const unsigned char *data, size_t size);

// Like wp_orientation_of_segment(), for EXIF data, which begins with a TIFF header.
int wp_orientation_of_exif(const unsigned char *data, size_t size);

// Returns the upright image or volume and destroys the given one. Invalid orientations count as 1.
// NULL if `image` is NULL, and after WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_orient(struct wp_image *image, int orientation);

#endif
