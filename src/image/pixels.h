// Images whose integers stay what they are in their files, which takes a quarter or a half of the
// memory of floats.
#ifndef WP_PIXELS_H
#define WP_PIXELS_H

#include "rows.h"

// Whether rows of a file with these facts are unsigned integers of 8 or 16 bits.
bool wp_image_has_pixels(const struct wp_file_facts *facts);

// Of such rows, none of which was read yet, an image with `pixels`. NULL after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_read_pixels(struct wp_rows *rows, const struct wp_file_facts *facts);

#endif
