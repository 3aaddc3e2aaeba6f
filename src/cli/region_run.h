// `inverse --region` and `--level`: reads a region of an image from its coefficients.
#ifndef WP_REGION_RUN_H
#define WP_REGION_RUN_H

#include "open_coefficients.h"
#include "region.h"
#include "run.h"

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
