// `explain --what passes`: every intermediate texture of a transform, as files.
#ifndef WP_EXPLAIN_PASSES_H
#define WP_EXPLAIN_PASSES_H

#include "explain.h"

#include <stdbool.h>

// Runs one level of the forward transform on the image's gray values, in double precision, and
// writes to `directory` (made where it is missing): NN_input or NN_pass as .npy (rows x columns
// x 4, float32) and .png (the samples in their places, zero in the middle of one range for all
// files), each pass's shader as .glsl, and index.json. False after one error.
bool wp_explain_passes(const struct wp_explain_params *params, const char *input,
                       const char *directory, bool overwrite);

#endif
