// What the model of Cartesian k-space is made of, for engines that compute it by themselves.
#ifndef WP_CARTESIAN_H
#define WP_CARTESIAN_H

#include "wavepass_reconstruct.h"

#include <stdbool.h>

// On the host; maps may be NULL.
struct wp_cartesian_data {
    int size[3], coils;
    const unsigned char *mask;
    const float *maps;
};

// False where the model is another one.
bool wp_cartesian_find_data(const struct wp_reconstruct_model *model,
                             struct wp_cartesian_data *data);

#endif
