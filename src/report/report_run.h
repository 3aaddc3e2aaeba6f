// The transform that `explain` runs to show numbers and pictures: on the gray values of an
// image, in double precision.
#ifndef WP_REPORT_RUN_H
#define WP_REPORT_RUN_H

#include "explain.h"
#include "image.h"
#include "plan.h"

// What comes from the command line beside the parameters.
struct wp_explain_input {
    const char *image;
    const char *border; // NULL: symmetric where the wavelet allows it
    int levels;         // 0 means 1; WP_LEVELS_MOST
};

// The plan's input: the gray values, for the inverse their coefficients as float32 (Mallat), as
// `forward -o` would write them. NULL after one error.
struct wp_image *wp_explain_run_read(const struct wp_explain_params *params,
                                     const struct wp_explain_input *input);

// The plan for an image that wp_explain_run_read() gave. NULL after WP_ERROR_USAGE.
struct wp_plan *wp_explain_run_plan(const struct wp_explain_params *params,
                                    const struct wp_explain_input *input,
                                    const struct wp_image *image);

// "level 2, pass 1 of 4"; "input" where `op` is NULL.
void wp_explain_run_name(struct wp_text *out, const struct wp_op *op);

#endif
