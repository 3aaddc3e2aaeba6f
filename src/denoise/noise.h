// The noise of a plane, estimated from details of Haar, for banks whose finest subband has edges of
// all directions. Internal to this layer.
#ifndef WP_NOISE_H
#define WP_NOISE_H

#include "wavepass.h"

// The parameters of a transform of one plane with one level of Haar, along the axes of `given` that
// have levels. Its border is "symmetric", so it has as many coefficients as samples.
struct wp_transform_params wp_noise_params(const struct wp_transform_params *given, bool along_z);

// Estimates the standard deviation of the noise as the median magnitude of the diagonal details
// over 0.6745. `samples` are contiguous; `coefficients` is a buffer of the same size. False after
// an error of the transform or WP_ERROR_TOO_LARGE.
bool wp_noise_estimate(struct wp_transform *transform, const float *samples, float *coefficients,
                       double *sigma);

#endif
