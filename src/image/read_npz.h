// Arrays of NPZ archives as images. Internal to this layer.
#ifndef WP_READ_NPZ_H
#define WP_READ_NPZ_H

#include "image_io.h"

// Reads the array named in the path or, if none is named, the only array. `path` must satisfy
// wp_npz_names_array(). NULL after an error.
struct wp_image *wp_read_npz(const char *path, const struct wp_read_params *params);

#endif
