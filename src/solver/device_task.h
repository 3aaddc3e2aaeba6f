// Sizes and wavelet transforms of a task, for engines on devices, which process the complete image.
#ifndef WP_DEVICE_TASK_H
#define WP_DEVICE_TASK_H

#include "engine.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_task_shape {
    int padded[3]; // multiples of 2^levels
    size_t samples, padded_samples;
    int gradient_axes; // number of axes with more than one sample
    bool descent;      // not diagonal in k-space: solved by descent steps
    double unitary;    // scale of a unitary Fourier transform
};

struct wp_task_shape wp_task_shape(const struct wp_task *task);

// Creates two transforms of the real and imaginary planes of the padded image: W, and its inverse,
// or for WP_FORM_EXACT its adjoint. They are separate because a transform that changes direction
// allocates its memory again. False after an error; the caller destroys the transforms in any case.
bool wp_task_make_transforms(const struct wp_task *task, const char *backend, bool current_context,
                             struct wp_transform **forward, struct wp_transform **inverse);

#endif
