// Statistics of coefficients: counts, ranks, noise, thresholds. Magnitudes are in the orthonormal
// norm.
#ifndef WP_EDIT_RULES_H
#define WP_EDIT_RULES_H

#include "edit_bands.h"

#include <stdint.h>

// The magnitude of a coefficient as the bits of a float, which have the order of magnitudes; NaN is
// the largest.
uint32_t wp_edit_magnitude(float coefficient, double unit);

// A set of coefficients: bands and planes first..last.
struct wp_edit_pool {
    const struct wp_edit_bands *bands;
    int first_band, last_band, first_plane, last_plane;
    bool nonzero; // excludes coefficients that are 0
};

// The number of coefficients with a magnitude of at least `least`.
double wp_edit_count(const struct wp_edit_pool *pool, uint32_t least);

// The magnitude of rank `below`, from 0, in ascending order. False after WP_ERROR_TOO_LARGE.
bool wp_edit_select(const struct wp_edit_pool *pool, double below, uint32_t *magnitude);

// Estimates the standard deviation of the noise in a plane. False after WP_ERROR_TOO_LARGE, or
// WP_ERROR_USAGE if there are no detail bands.
bool wp_edit_estimate(const struct wp_edit_bands *bands, int plane, double *sigma);

// Thresholds: VisuShrink's for a number of samples, and SureShrink's for a band of a plane.

double wp_edit_universal(double samples, double sigma);
bool wp_edit_sure(const struct wp_edit_bands *bands, int band, int plane, double sigma,
                  double *threshold);

#endif
