// The transform that `explain` runs to show numbers and pictures: on the gray values of an
// image, in double precision.
#ifndef WP_REPORT_RUN_H
#define WP_REPORT_RUN_H

#include "image.h"
#include "plan.h"
#include "report.h"

// The plan's input: the gray values, for the inverse their coefficients as float32 (Mallat), as
// `forward -o` would write them. NULL after one error.
struct wp_image *wp_report_read(const struct wp_report_params *params);

// The plan for an image that wp_report_read() gave. NULL after WP_ERROR_USAGE.
struct wp_plan *wp_report_plan(const struct wp_report_params *params, const struct wp_image *image);

// "level 2, pass 1 of 4"; "input" where `op` is NULL.
void wp_report_stage_name(struct wp_text *out, const struct wp_op *op);

#endif
