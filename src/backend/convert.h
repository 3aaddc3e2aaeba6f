// Conversion of operands between floats and other element types.
#ifndef WP_CONVERT_H
#define WP_CONVERT_H

#include "operand.h"

// Allocates a float array for all planes of a description, without gaps. `purpose` is for the error
// message. NULL after WP_ERROR_TOO_LARGE. The caller frees it.
float *wp_convert_scratch(const struct wp_description *description, const char *purpose);

// Convert between such an array and pixels or coefficients of the description's type, using one
// thread per processor. Return the elapsed seconds.
double wp_convert_read(const struct wp_description *description, const struct wp_operand *from,
                       float *to);
double wp_convert_write(const struct wp_description *description, const float *from,
                        const struct wp_operand *to);

#endif
