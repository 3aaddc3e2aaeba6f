// The transform that denoises: defaults of its parameters (wavepass_denoise.h). Internal to this
// layer.
#ifndef WP_CHOOSE_H
#define WP_CHOOSE_H

#include "bands.h"
#include "wavepass.h"

struct wp_denoise_choice {
    int levels[WP_DIMS_MAX]; // that axes have if they are long enough
    int margin[WP_DIMS_MAX]; // samples by which planes are extended at both ends
    bool wraps;              // the border is periodic, and shifts are circular
    bool haar;               // filters of two taps with a border of PyWavelets
};

// Sets the members of `params` that have their default, and the choice, for a number of shifts as
// in struct wp_denoise_params. False after an error.
bool wp_denoise_choose(struct wp_transform_params *params, int shifts,
                       struct wp_denoise_choice *choice);

// Replaces the border of parameters with other sizes if it has no effect and takes longer.
void wp_denoise_avoid_border(const struct wp_denoise_choice *choice,
                             struct wp_transform_params *params);

#endif
