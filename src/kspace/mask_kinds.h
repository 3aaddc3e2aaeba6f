// The kinds of masks, as samples of the phase encodes. Internal to this layer.
#ifndef WP_MASK_KINDS_H
#define WP_MASK_KINDS_H

#include "random.h"

#include <stdbool.h>

// size[0]*size[1] positions, the first axis fastest, DC at index 0.
struct wp_phase_encodes {
    int size[2];
    double rate;
    size_t requested;       // number of positions to sample
    unsigned char *sampled; // 0 or 1; initially zeros
};

// Sample `requested` positions, or approximately as many. False after WP_ERROR_TOO_LARGE.
bool wp_sample_density(struct wp_phase_encodes *encodes, struct wp_random *random);
bool wp_sample_spokes(struct wp_phase_encodes *encodes, struct wp_random *random);
bool wp_sample_discs(struct wp_phase_encodes *encodes, struct wp_random *random);

#endif
