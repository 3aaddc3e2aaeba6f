// The subbands of all groups of slices, accessed by rows, and statistics of coefficients: counts,
// ranks, noise, thresholds. Magnitudes are in the orthonormal norm. Internal to this layer.
#ifndef WP_EDIT_RULES_H
#define WP_EDIT_RULES_H

#include "edit.h"
#include "operand.h"

#include <stdint.h>

// Of WP_EDIT_EACH.
#define WP_EDIT_EACH_HINT "BAND=T (for example soft:HL1=0.1,HH1=0.2)"

// A subband within a group.
struct wp_edit_piece {
    struct wp_band_grid grid;
    double unit; // wp_edit_unit()
};

struct wp_edit_band {
    char name[WP_BAND_NAME_SIZE];
    struct wp_subband subband;       // in a full group
    struct wp_edit_piece full, last; // in full groups; in a last group with fewer slices
    size_t rows;                     // in all groups
};

struct wp_edit_bands {
    const struct wp_edit_target *target;
    int groups; // full ones
    size_t extent[WP_DIMS_MAX]; // of a plane of the coefficients
    int count;
    struct wp_edit_band *band; // numbered as by wp_subband_count(), the lowest first
};

// Lists the bands of a target, which must outlive the list. False after WP_ERROR_TOO_LARGE, or
// WP_ERROR_USAGE if the last group has bands of its own.
bool wp_edit_bands_make(const struct wp_edit_target *target, struct wp_edit_bands *bands);
void wp_edit_bands_free(struct wp_edit_bands *bands); // accepts {0}

// A row of coefficients: at[0], at[step], ..., at[(count - 1) * step]; `unit` as wp_edit_unit().
struct wp_edit_row {
    float *at;
    int count;
    ptrdiff_t step;
    double unit;
};

struct wp_edit_row wp_edit_row(const struct wp_edit_bands *bands, int band, int plane, size_t row);

// The number of decompositions of an axis for a subband; an axis of one sample is not decomposed.
int wp_edit_halvings(const struct wp_description *description, const struct wp_subband *subband,
                     int axis);

// The standard deviation of a plane of a starlet for samples of white noise of standard deviation
// 1: 0.89, 0.20, 0.086, ... for an image. wp_edit_unit() is its inverse.
double wp_edit_starlet_noise(const struct wp_description *description, int index);

// Finds a band by the first `length` bytes of `name`. Returns -1 after WP_ERROR_USAGE.
int wp_edit_bands_find(const struct wp_edit_bands *bands, const char *name, size_t length);

// Gets the next name of a comma-separated list and advances `*list` past it. False at the end.
bool wp_edit_next_name(const char **list, const char **name, size_t *length);

// Likewise the next BAND=NUMBER; `*band` is -1 at the end. False after WP_ERROR_USAGE with
// the kind of numbers ("scale") and the hint.
bool wp_edit_next_number(const char **list, const struct wp_edit_bands *bands, const char *what,
                         const char *hint, int *band, double *number);

// The magnitude of a coefficient as the bits of a float, which have the order of magnitudes; NaN is
// the largest.
uint32_t wp_edit_magnitude(float coefficient, double unit);

// A set of coefficients: bands and planes first..last, or `rows` rows of `width` values.
struct wp_edit_pool {
    const struct wp_edit_bands *bands;
    int first_band, last_band, first_plane, last_plane;
    bool nonzero; // excludes coefficients that are 0
    const float *values; // in the orthonormal norm, without gaps; NULL: of the bands
    size_t rows;
    int width;
};

// A band of a plane.
struct wp_edit_pool wp_edit_pool_of(const struct wp_edit_bands *bands, int band, int plane);

// The number of coefficients with a magnitude of at least `least`.
double wp_edit_count(const struct wp_edit_pool *pool, uint32_t least);

// The magnitude of rank `below`, from 0, in ascending order. False, without a message, if memory is
// exhausted, as for the next three functions: threads call them.
bool wp_edit_select(const struct wp_edit_pool *pool, double below, uint32_t *magnitude);

// The band in which the noise is estimated: the finest one that is high along the most axes, which
// has as much noise as the others and the least image content. -1 if there is none.
int wp_edit_noisiest(const struct wp_edit_bands *bands);

// Likewise for each band but the lowest, of the bands of its levels.
void wp_edit_noisiest_of_levels(const struct wp_edit_bands *bands, int *noisiest);

// Estimates the standard deviation of the noise in a band of a plane, or in a pool without zeros.
bool wp_edit_estimate(const struct wp_edit_bands *bands, int band, int plane, double *sigma);
bool wp_edit_estimate_pool(const struct wp_edit_pool *pool, double *sigma);

// Thresholds for noise of standard deviation `sigma`: VisuShrink's for a number of samples;
// SureShrink's and BayesShrink's for a band of a plane, the latter infinite if the band has no more
// energy than the noise.
double wp_edit_universal(double samples, double sigma);
bool wp_edit_sure(const struct wp_edit_bands *bands, int band, int plane, double sigma,
                  double *threshold);
double wp_edit_bayes(const struct wp_edit_bands *bands, int band, int plane, double sigma);

// The parts of wp_edit_bayes(), with the same bits: the energy of each row, the sum of those of
// `rows` rows of a band, and the threshold of `count` coefficients with that sum.
double wp_edit_row_energy(const struct wp_edit_row *row);
double wp_edit_sum_rows(const double *energy, size_t rows);
double wp_edit_bayes_of(double energy, double count, double sigma);

// ---- edits (threshold.c, edit.c)

// Applies a threshold. False after WP_ERROR_TOO_LARGE, or WP_ERROR_USAGE if there are no details to
// estimate the noise from.
bool wp_edit_apply_threshold(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                             const struct wp_edit_bands *bands, struct wp_edit_found *found);

// Checks the bands of a threshold. False after WP_ERROR_USAGE or WP_ERROR_TOO_LARGE.
bool wp_edit_check_threshold(const struct wp_edit *edit, const struct wp_edit_bands *bands);

// The number of samples of a plane, and of its coefficients.
double wp_edit_plane_samples(const struct wp_edit_target *target);
double wp_edit_plane_coefficients(const struct wp_edit_bands *bands);

#endif
