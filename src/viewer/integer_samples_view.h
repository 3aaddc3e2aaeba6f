// Reversible transforms: images are looked at as parts of white, 0 to 1, and these are of the
// integers that the file has. So what goes in is multiplied by what the reader has divided by, and
// what comes out is divided again, coefficients too, which so are as large as those of other sides.
#ifndef WP_INTEGER_SAMPLES_VIEW_H
#define WP_INTEGER_SAMPLES_VIEW_H

#include "instance.h"

// False after WP_ERROR_USAGE where the samples are no integers of the file, and after WP_ERROR_FILE
// where they are so large that a step would not be exact.
bool wp_integer_view_check(const struct wp_plane *plane, const struct wp_description *description);

// To integers, the nearest ones: what was edited lies between them. `to` may be `from`.
void wp_integer_view_enter(const struct wp_plane *plane, const float *from, float *to);
void wp_integer_view_leave(const struct wp_plane *plane, float *samples);

#endif
