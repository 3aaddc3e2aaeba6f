// Integer samples stored as floats, for reversible transforms.
#ifndef WP_INTEGER_SAMPLES_H
#define WP_INTEGER_SAMPLES_H

#include "image.h"
#include "wavepass.h"

// Checks that the samples are in the range in which the transform is exact. False after
// WP_ERROR_FILE. `path` names the image in the message.
bool wp_integer_samples_check_range(struct wp_transform *transform, const struct wp_image *image,
                                    const char *path);

// Replaces -0 by 0 in the coefficients: integers in a file have no negative zero.
void wp_integer_samples_unsign_zeros(struct wp_image *coefficients);

// Multiplies all samples of all planes by `factor`. `round_values`: rounds the products to
// integers.
void wp_integer_samples_scale(struct wp_image *image, double factor, bool round_values);

// The largest magnitude of a sample, without alpha.
double wp_integer_samples_largest(const struct wp_image *image);

#endif
