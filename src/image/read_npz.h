// Arrays of NPZ archives as images. Internal to this layer.
#ifndef WP_READ_NPZ_H
#define WP_READ_NPZ_H

#include "image_io.h"

// Reads the array of that name or, without one, the only array of the archive. `path` must be such a
// path. NULL after an error.
struct wp_image *wp_read_npz(const char *path, const struct wp_read_params *params);

#endif
