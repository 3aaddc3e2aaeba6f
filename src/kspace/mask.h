// Which samples of k-space were measured.
#ifndef WP_MASK_H
#define WP_MASK_H

#include "complex_array.h"

#include <stdbool.h>
#include <stddef.h>

// size[0]*size[1]*size[2] truth values, x fastest, zero frequency at index 0.
struct wp_mask {
    int size[3];
    unsigned char *kept; // 0 or 1
};

enum wp_mask_kind {
    WP_MASK_DENSITY, // phase encodes at random, the more the nearer to zero frequency
    WP_MASK_LINES,   // Cartesian lines: as density, but whole planes along all axes but one
    WP_MASK_RADIAL,  // spokes through zero frequency, rounded to the grid
    WP_MASK_POISSON, // Poisson disc of variable density
    WP_MASK_KIND_COUNT
};

extern const char *const wp_mask_kind_names[WP_MASK_KIND_COUNT]; // "density", "lines", …

// About one sample of `rate`; the same for the same seed on every machine. x is the readout and
// always whole, where the kind allows it. NULL after WP_ERROR_USAGE.
struct wp_mask *wp_mask_create(enum wp_mask_kind kind, const int size[3], double rate,
                               unsigned long long seed);
void wp_mask_destroy(struct wp_mask **mask); // accepts NULL, clears the pointer

// NPY of bool, uint8 or float, values 0 or 1; one without the axis x holds for each index of it.
// NULL after an error, where all are 0 too.
struct wp_mask *wp_mask_read(const char *path, const int size[3], bool centred);

// NPY of uint8, of a volume without x where the mask is the same for each; a file that is there is
// replaced.
bool wp_mask_write(const char *path, const struct wp_mask *mask, bool centred);

// 1 where a coil has a value other than 0.
struct wp_mask *wp_mask_of(const struct wp_complex_array *kspace);

size_t wp_mask_count(const struct wp_mask *mask);
double wp_mask_rate(const struct wp_mask *mask); // samples over kept ones

#endif
