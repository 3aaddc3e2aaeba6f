// What reversible transforms want of images: integers, of a size that floats are exact with.
#ifndef WP_INTEGER_SAMPLES_H
#define WP_INTEGER_SAMPLES_H

#include "image.h"
#include "wavepass.h"

// False after WP_ERROR_FILE where samples of the image, which is read from `path`, are too large
// for the transform, which says how large they may be.
bool wp_integer_samples_check_range(struct wp_transform *transform, const struct wp_image *image,
                          const char *path);

// Zeros of the coefficients lose their sign, which integers in a file have not.
void wp_integer_samples_unsign_zeros(struct wp_image *coefficients);

// Multiplies all samples, and with `whole` rounds them to integers again.
void wp_integer_samples_scale(struct wp_image *image, double factor, bool whole);

// The largest size of a sample.
double wp_integer_samples_largest(const struct wp_image *image);

#endif
