// Images with the integers of their files, in a quarter or half of the memory of floats. `forward`
// uses them for wp_transform_forward(), so that the backend converts them.
#ifndef WP_PIXELS_H
#define WP_PIXELS_H

#include "rows.h"

// True if samples of a file with these facts are unsigned 8- or 16-bit integers.
bool wp_image_has_pixels(const struct wp_file_facts *facts);

// Reads such rows, from the first on, to an image with `pixels`. NULL after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_read_pixels(struct wp_rows *rows, const struct wp_file_facts *facts);

#endif
