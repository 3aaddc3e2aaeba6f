// Sizes of images that tests draw.
#ifndef RANDOM_SIZE_H
#define RANDOM_SIZE_H

#include "wavepass.h"

// From 0 to n - 1.
unsigned random_below(unsigned *seed, unsigned n);

// Width, height and levels, for the border that is set: small ones, 1x1 not among them, and a few with
// rows that are long, or many.
void random_size(struct wp_transform_params *params, unsigned *seed);

#endif
