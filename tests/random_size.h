// Random image sizes for tests.
#ifndef RANDOM_SIZE_H
#define RANDOM_SIZE_H

#include "wavepass.h"

// A random number from 0 to n - 1.
unsigned random_below(unsigned *seed, unsigned n);

// Sets width, height and levels, valid for the border in `params`: mostly small sizes, never 1x1,
// and a few with long or many rows.
void random_size(struct wp_transform_params *params, unsigned *seed);

#endif
