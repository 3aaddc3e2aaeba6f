// Sampling masks: which samples of k-space are measured.
#ifndef WP_MASK_H
#define WP_MASK_H

#include "complex_array.h"

#include <stdbool.h>
#include <stddef.h>

// size[0]*size[1]*size[2] values, x fastest, DC at index 0.
struct wp_mask {
    int size[3];
    unsigned char *sampled; // 0 or 1
};

enum wp_mask_kind {
    WP_MASK_DENSITY, // random phase encodes, with a density that decreases with the frequency
    WP_MASK_LINES,   // Cartesian lines: as density along y, complete along the other axes
    WP_MASK_RADIAL,  // spokes through DC, rounded to the grid
    WP_MASK_POISSON, // Poisson disc sampling of variable density
    WP_MASK_KIND_COUNT
};

extern const char *const wp_mask_kind_names[WP_MASK_KIND_COUNT]; // "density", "lines", …

// Creates a mask of about one sample in `rate`; the same on every machine for the same seed. The
// readout, x, is fully sampled in volumes and for lines. NULL after WP_ERROR_USAGE or
// WP_ERROR_TOO_LARGE.
struct wp_mask *wp_mask_create(enum wp_mask_kind kind, const int size[3], double rate,
                               unsigned long long seed);
void wp_mask_destroy(struct wp_mask **mask); // accepts NULL, clears the pointer

// Reads NPY of bool, uint8 or float, values 0 or 1. A mask without the axis x applies to each x.
// `centred`: DC is at n/2. NULL after an error, also if all values are 0.
struct wp_mask *wp_mask_read(const char *path, const int size[3], bool centred);

// Writes NPY of uint8; for volumes without the axis x if the mask is the same for each x. Replaces
// an existing file. False after an error.
bool wp_mask_write(const char *path, const struct wp_mask *mask, bool centred);

// The mask of samples that are not 0 in at least one coil. NULL after WP_ERROR_TOO_LARGE.
struct wp_mask *wp_mask_of(const struct wp_complex_array *kspace);

size_t wp_mask_count(const struct wp_mask *mask);
double wp_mask_rate(const struct wp_mask *mask); // all samples over measured ones

#endif
