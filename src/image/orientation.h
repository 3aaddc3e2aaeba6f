// Which way up an image is seen: tag 274 of TIFF 6.0, which EXIF has, too. 1 is as stored; 2 to 8
// say where the first row and the first column of the file belong. Internal to this layer.
#ifndef WP_IMAGE_ORIENTATION_H
#define WP_IMAGE_ORIENTATION_H

#include "image.h"

#include <stddef.h>

// What an application segment of a JPEG file says, behind its length; 1 where that is nothing.
int wp_orientation_of_segment(const unsigned char *data, size_t size);

// The same of EXIF itself, which begins with the header of a TIFF.
int wp_orientation_of_exif(const unsigned char *data, size_t size);

// The image, or each slice of a volume, as it is seen, which replaces the one that was given; what
// is no orientation counts as 1. NULL for NULL, and after WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_orient(struct wp_image *image, int orientation);

#endif
