// `explain --what passes`: every intermediate texture of a transform, as files.
#ifndef WP_REPORT_PASSES_H
#define WP_REPORT_PASSES_H

#include "reference.h"
#include "report_run.h"

#include <stdbool.h>

// Runs the scheme on what wp_report_read() gave, in double precision, and writes to the directory
// (made where it is missing) what was loaded and what each operation leaves: NN_input,
// NN_levelL_passP, NN_levelL_gather or _spread as .npy (rows x columns x 4, float32) and .png, each
// pass's shader as .glsl, and index.json. False after one error.
bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image);

// The samples of a stage, in their places or each component by itself (r, g above b, a); zero
// is mid-grey, +-range white and black. The caller's; NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_report_stage_picture(const struct wp_stage *stage, double range,
                                         bool apart);

// False after WP_ERROR_FILE; a directory that exists is fine.
bool wp_report_make_directory(const char *directory);

#endif
