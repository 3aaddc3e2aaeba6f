// The kinds of masks, over the axes of phase encodes. Internal to this layer.
#ifndef WP_MASK_KINDS_H
#define WP_MASK_KINDS_H

#include "random.h"

#include <stdbool.h>

// size[0]*size[1] places, the first axis fastest, zero frequency at index 0. What is wanted, and
// what comes of it.
struct wp_phase_encodes {
    int size[2];
    double rate;
    size_t wanted;       // places to keep
    unsigned char *kept; // 0 or 1, zeros at first
};

// They keep `wanted` places, or as near to that as they can. False after WP_ERROR_TOO_LARGE.
bool wp_keep_by_density(struct wp_phase_encodes *encodes, struct wp_random *random);
bool wp_keep_spokes(struct wp_phase_encodes *encodes, struct wp_random *random);
bool wp_keep_discs(struct wp_phase_encodes *encodes, struct wp_random *random);

#endif
