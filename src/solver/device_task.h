// What engines on devices, which take the whole image at once, make of a task: its sizes, and the
// wavelet transforms.
#ifndef WP_DEVICE_TASK_H
#define WP_DEVICE_TASK_H

#include "engine.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_task_shape {
    int padded[3]; // to what the wavelet's levels divide
    size_t samples, padded_samples;
    int gradient_axes; // that have more than one sample
    bool descent;      // what is not diagonal in k-space is solved by steps of descent
    double unitary;    // what a Fourier transform is to be scaled by
};

struct wp_task_shape wp_task_shape(const struct wp_task *task);

// Of both planes of the padded image: W, and its inverse, or where W'W is not
// 1 and stays, its adjoint. One for each direction, since one that turns round makes its memory
// anew. False after an error; what is there by then, the caller destroys as well.
bool wp_task_make_transforms(const struct wp_task *task, const char *backend, bool current_context,
                             struct wp_transform **forward, struct wp_transform **back);

#endif
