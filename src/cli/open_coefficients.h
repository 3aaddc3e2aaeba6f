// Opens coefficients with their transform parameters, which are in the metadata file or are given
// by options.
#ifndef WP_OPEN_COEFFICIENTS_H
#define WP_OPEN_COEFFICIENTS_H

#include "coefficients.h"
#include "options.h"
#include "region.h"
#include "run.h"
#include "tile_store.h"

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

struct wp_region_run {
    struct wp_region region;
    struct wp_tile_store_counts counts;
    double seconds; // for reading and computing
};

// Parses "X,Y,W,H". False after WP_ERROR_USAGE.
bool wp_region_parse(const char *text, struct wp_region *region);

// Opens the coefficients in `path` and reads the region `text` of the image of a level; NULL is the
// entire image. The caller destroys `*image` and closes `from`. False after an error.
bool wp_region_run(struct wp_region_run *run, struct wp_coefficient_input *from, const char *path,
                   const struct wp_transform_params *options, const char *text, int level,
                   struct wp_image **image);

void wp_region_run_summary(const struct wp_region_run *run, const struct wp_coefficient_input *from,
                           struct wp_text *text);
struct json_t *wp_region_run_json(const struct wp_region_run *run,
                                  const struct wp_coefficient_input *from,
                                  const struct wp_call *call, const char *backend);

#endif
