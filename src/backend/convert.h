// One side of a transform as floats, for whoever takes nothing else of it.
#ifndef WP_CONVERT_H
#define WP_CONVERT_H

#include "operand.h"

// Room for an array of the description's size and planes, all of them one behind the other. NULL
// after WP_ERROR_TOO_LARGE, which names `what` is to lie there; to be freed.
float *wp_convert_scratch(const struct wp_description *description, const char *what);

// Between such an array and pixels, or coefficients of their kind, by the processor's threads.
// Returns the seconds that it took.
double wp_convert_read(const struct wp_description *description, const struct wp_pixels *from,
                       float *to);
double wp_convert_write(const struct wp_description *description, const float *from,
                        const struct wp_pixels *to);

#endif
