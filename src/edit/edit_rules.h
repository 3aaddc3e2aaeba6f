// What is found in coefficients: amounts, ranks, noise, thresholds. Magnitudes are in the
// orthonormal norm.
#ifndef WP_EDIT_RULES_H
#define WP_EDIT_RULES_H

#include "edit_bands.h"

#include <stdint.h>

// Of a coefficient, as the bits of a float: these are in the order of the magnitudes, and what is
// no number is the largest.
uint32_t wp_edit_magnitude(float coefficient, double unit);

// Bands and planes first..last.
struct wp_edit_pool {
    const struct wp_edit_bands *bands;
    int first_band, last_band, first_plane, last_plane;
    bool nonzero; // only of these
};

// How many coefficients are as large as `least` at least.
double wp_edit_count(const struct wp_edit_pool *pool, uint32_t least);

// The magnitude of which there are `below` ones below or equal before it, were they sorted. False
// after WP_ERROR_TOO_LARGE.
bool wp_edit_select(const struct wp_edit_pool *pool, double below, uint32_t *magnitude);

// The deviation of the noise in a plane. False after WP_ERROR_TOO_LARGE, or WP_ERROR_USAGE where
// there are no details.
bool wp_edit_estimate(const struct wp_edit_bands *bands, int plane, double *sigma);

// Thresholds of a plane, or of one of its bands.
double wp_edit_universal(double samples, double sigma);
bool wp_edit_sure(const struct wp_edit_bands *bands, int band, int plane, double sigma,
                  double *threshold);

#endif
