// `explain --show passes`: every intermediate texture of a transform, as files.
#ifndef WP_REPORT_PASSES_H
#define WP_REPORT_PASSES_H

#include "report_run.h"
#include "lesson_run.h"

#include <stdbool.h>

// Runs the scheme on what wp_report_read() gave, in double precision, and writes to the directory
// (made where it is missing) what was loaded and what each step leaves: NN_input, NN_levelL_passP,
// NN_levelL_gather or _spread as .npy (rows x columns x 4, float32; of a volume slices before them,
// the even and the odd one of each layer of octets) and .png, of an image each pass's shader as
// .glsl, and index.json. False after one error.
bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image);

// The samples of a stage, zero mid-grey and +-range white and black. Of an image in their places
// or `apart`, each component by itself: r, g above b, a. Of a volume slice after slice, as the words
// of a text; apart, of one layer of octets alone, r, g, b, a and right of them R, G, B, A. The
// caller's; NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_report_step_picture(const struct wp_lesson_state *state, double range,
                                         bool apart, int layer);

// The largest size of a value.
double wp_report_step_range(const struct wp_lesson_state *state);

// False after WP_ERROR_FILE; a directory that exists is fine.
bool wp_report_make_directory(const char *directory);

#endif
