// The transform that `explain` runs to show numbers and pictures: on a plane of an image or a
// volume, in double precision.
#ifndef WP_REPORT_RUN_H
#define WP_REPORT_RUN_H

#include "description.h"
#include "image.h"
#include "report.h"

// The input of the passes: one plane, the luma or the channel, for the inverse its coefficients as
// float32 (Mallat), as `forward -o` would write them. Where the file holds a volume, `params` asks
// for one from now on. NULL after one error. Where `colour` is not NULL it gets all three planes of
// an image whose pictures are to be in colour, else NULL; without it there are numbers alone, which
// are of one plane.
struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour);

// What is transformed, of an image that wp_report_read() gave. The wavelet is that of `params`.
struct wp_description wp_report_describe(const struct wp_report_params *params,
                                         const struct wp_image *image);

#endif
