#include "random_size.h"

unsigned random_below(unsigned *seed, unsigned n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

// Periodic borders require an even size, or one sample, at each level.
void random_size(struct wp_transform_params *params, unsigned *seed)
{
    const int limit = 1 + (int)random_below(seed, 70);
    int *const size[] = {&params->width, &params->height};
    for (int a = 0; a < 2; a++) {
        *size[a] = 1 + (int)random_below(seed, (unsigned)limit);
        if (params->border)
            *size[a] = *size[a] == 1 ? 1 : *size[a] << random_below(seed, 4) & ~1;
    }
    if (params->width == 1 && params->height == 1)
        params->height = 2;
    // Sizes that exceed the columns of one pass of the row buffers, or the rows of a stripe.
    const unsigned large = random_below(seed, 16);
    if (large == 0)
        params->width = 1000 + 8 * (int)random_below(seed, 40);
    if (large == 1) {
        params->width = 200 + 8 * (int)random_below(seed, 40);
        params->height = 400 + 8 * (int)random_below(seed, 40);
    }
    params->levels = random_below(seed, 3) == 0 ? WP_LEVELS_MOST : (int)random_below(seed, 2);
}
