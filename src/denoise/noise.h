// The noise of a plane, estimated from one level of the decimated bank: of Haar for the starlet, whose
// finest subband has edges of all directions, and for packets before their tree is known. Internal
// to this layer.
#ifndef WP_NOISE_H
#define WP_NOISE_H

#include "wavepass.h"

// The parameters of a transform of one plane with one level, along the axes of `given` that have
// levels. It has as many coefficients as samples.
struct wp_transform_params wp_noise_params(const struct wp_transform_params *given, bool along_z);

// The standard deviation of its diagonal details for white noise of 1; of Haar 1. False after
// WP_ERROR_TOO_LARGE.
bool wp_noise_gain(struct wp_transform *transform, double *gain);

// Estimates the standard deviation of the noise as the median magnitude of the diagonal details
// over 0.6745 and `gain`. `samples` are contiguous; `coefficients` is a buffer of the same size.
// False after an error of the transform or WP_ERROR_TOO_LARGE.
bool wp_noise_estimate(struct wp_transform *transform, const float *samples, float *coefficients,
                       double gain, double *sigma);

#endif
