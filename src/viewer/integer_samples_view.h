// Reversible transforms in the viewer. The viewer's samples are scaled to 0..1, reversible
// transforms need the integers of the file: inputs are multiplied by the divisor that the reader
// used, and outputs and coefficients are divided by it.
#ifndef WP_INTEGER_SAMPLES_VIEW_H
#define WP_INTEGER_SAMPLES_VIEW_H

#include "instance.h"

// Returns false after WP_ERROR_USAGE if the samples are not integers in the file, and after
// WP_ERROR_FILE if they are too large for exact steps.
bool wp_integer_view_check(const struct wp_plane *plane, const struct wp_description *description);

// Converts to integers, with rounding, which edited coefficients need. `to` may equal `from`.
void wp_integer_view_enter(const struct wp_plane *plane, const float *from, float *to);
void wp_integer_view_leave(const struct wp_plane *plane, float *samples);

#endif
