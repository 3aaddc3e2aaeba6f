// Coefficient files: the values, and beside them what `inverse` needs to know (sidecar.h).
#ifndef WP_COEFFICIENTS_H
#define WP_COEFFICIENTS_H

#include "image.h"
#include "sidecar.h"

// False after an error where the files could not be written, as far as can be told beforehand.
bool wp_coefficients_write_check(const char *path, int planes, int depth, bool overwrite);

// Writes COEFFS and COEFFS.json: both appear or, but for a failing rename, none. "-" writes the
// values to stdout, and no description. How many planes and slices there are, whether a plane is
// alpha, the bits of the source and the geometry are taken from the image. False after
// WP_ERROR_FILE.
bool wp_coefficients_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                           const char *path, bool overwrite);

// Reads coefficients as wp_image_read_with() does, and before them their description, which must fit
// and tells volumes from images. `described` tells whether there is one; it says then whether a
// plane is alpha, the bits of the source and the geometry. NULL after an error.
struct wp_image *wp_coefficients_read(const char *path, const struct wp_read_params *params,
                                      struct wp_sidecar *sidecar, bool *described,
                                      size_t *nonfinite);

#endif
