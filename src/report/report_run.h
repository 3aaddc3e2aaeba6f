// The transform that `explain` runs for numbers and pictures: of one plane of an image or volume,
// in double precision.
#ifndef WP_REPORT_RUN_H
#define WP_REPORT_RUN_H

#include "description.h"
#include "image.h"
#include "report.h"

// Reads the input of the passes: one plane, the luma or the requested channel; for the inverse its
// coefficients as float32 (layout mallat), as `forward -o` writes them. For a file with a volume,
// sets the number of dimensions in `params`. If `colour` is not NULL, it is set to the three planes
// for color pictures, or NULL. NULL after an error.
struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour);

// Describes the transform of an image of wp_report_read(), with the wavelet of `params`.
struct wp_description wp_report_describe(const struct wp_report_params *params,
                                         const struct wp_image *image);

#endif
