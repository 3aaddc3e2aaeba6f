// Opens coefficients with their transform parameters, which are in the metadata file or are given
// by options.
#ifndef WP_OPEN_COEFFICIENTS_H
#define WP_OPEN_COEFFICIENTS_H

#include "coefficients.h"
#include "options.h"
#include "tile_store.h"
#include "run.h"

struct wp_coefficient_input {
    const char *path;
    struct wp_transform_params params; // the options, completed from the metadata
    char *sidecar_path;                // NULL for stdin, and if the file contains its metadata
    bool has_sidecar;
    struct wp_sidecar sidecar;
    struct wp_coefficients_params read;
    size_t nonfinite;
    struct wp_sidecar_wavelet lost;    // the wavelet of `params` if its file does not exist
};

// Reads `path`. Errors are options that contradict the metadata, coefficients that do not match the
// metadata's hash, unless `changed`, and missing options if there are no metadata. `slices`, which
// may be NULL, and `image` are as in wp_coefficients_open(). False after an error.
bool wp_open_coefficients(struct wp_coefficient_input *input, const char *path,
                          const struct wp_transform_params *options,
                          const struct wp_volume_options *volume, bool changed,
                          struct wp_slices **slices, struct wp_image **image);

// Opens a tile store instead. If the file cannot be read in tiles, or has no metadata file,
// `*store` is NULL and `*why` is the reason. False after an error.
bool wp_open_coefficient_tiles(struct wp_coefficient_input *input, const char *path,
                               const struct wp_transform_params *options, bool changed,
                               struct wp_tile_store **store, const char **why);
void wp_close_coefficients(struct wp_coefficient_input *input); // accepts {0}

#endif
