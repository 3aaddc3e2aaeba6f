// Coefficients that a command reads, and how they were made: the description beside them says it,
// or options do.
#ifndef WP_OPEN_COEFFICIENTS_H
#define WP_OPEN_COEFFICIENTS_H

#include "coefficients.h"
#include "options.h"
#include "tile_store.h"
#include "run.h"

struct wp_coefficient_input {
    const char *path;
    struct wp_transform_params params; // the options, completed from the description
    char *sidecar_path;                // NULL for stdin, and where the description is inside
    bool has_sidecar;
    struct wp_sidecar sidecar;
    struct wp_coefficients_params read;
    size_t nonfinite;
    struct wp_sidecar_wavelet lost;    // of `params` where its file is gone
};

// Reads `path`. An option that contradicts the description is an error, and so are other
// coefficients than it was written for unless `changed`, and too few options where there is none.
// `slices`, which may be NULL, and `image` as wp_coefficients_open() has them. False after an
// error.
bool wp_open_coefficients(struct wp_coefficient_input *input, const char *path,
                       const struct wp_transform_params *options,
                       const struct wp_volume_options *volume, bool changed,
                       struct wp_slices **slices, struct wp_image **image);

// The same of what is read in parts: `*parts` gets them, or is NULL where they have to be read
// whole, which `*why` explains. There has to be a description.
bool wp_open_coefficient_tiles(struct wp_coefficient_input *input, const char *path,
                             const struct wp_transform_params *options, bool changed,
                             struct wp_tile_store **store, const char **why);
void wp_close_coefficients(struct wp_coefficient_input *input); // accepts {0}

#endif
