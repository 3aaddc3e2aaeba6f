// `explain --show passes`: all intermediate textures of a transform, as files.
#ifndef WP_REPORT_PASSES_H
#define WP_REPORT_PASSES_H

#include "report_run.h"
#include "lesson_run.h"

#include <stdbool.h>

// Runs the scheme in double precision on an image of wp_report_read(), and writes the input and the
// result of each step to the directory, which is created if missing: NN_input, NN_levelL_passP,
// NN_levelL_gather or _spread as .npy (rows x columns x 4, float32; for volumes slices before
// these, the even and the odd one of each layer of octets) and .png, for images each pass's shader
// as .glsl, and index.json. False after an error.
bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image);

// Draws the samples of a step; zero is mid-gray, +-range are white and black. Images: samples in
// their positions, or with `by_component` each component separately, r, g above b, a. Volumes:
// slices in reading order, or with `by_component` one layer of octets, r, g, b, a and to their
// right R, G, B, A. The caller destroys the image. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_report_step_picture(const struct wp_lesson_state *state, double range,
                                         bool by_component, int layer);

// The largest absolute value.
double wp_report_step_range(const struct wp_lesson_state *state);

// Creates a directory if it does not exist. False after WP_ERROR_FILE.
bool wp_report_make_directory(const char *directory);

#endif
