// The data of a model of Cartesian k-space, for engines with their own implementation.
#ifndef WP_CARTESIAN_H
#define WP_CARTESIAN_H

#include "wavepass_reconstruct.h"

#include <stdbool.h>

// Arrays are in host memory; `maps` may be NULL.
struct wp_cartesian_data {
    int size[3], coils;
    const unsigned char *mask;
    const float *maps;
};

// False if the model is not one of wp_cartesian.
bool wp_cartesian_find_data(const struct wp_reconstruct_model *model,
                             struct wp_cartesian_data *data);

#endif
