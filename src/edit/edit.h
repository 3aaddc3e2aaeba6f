// Changes to coefficients between forward and inverse: what `wavepass edit` and the viewer do.
//
// All that compares or adds up magnitudes does so in the orthonormal norm, whatever the norm of the
// coefficients, and thresholds are in that norm: white noise of deviation s has the deviation s in
// every band there, exactly so of orthogonal wavelets and about so of others.
#ifndef WP_EDIT_H
#define WP_EDIT_H

#include "description.h"

enum wp_edit_kind {
    WP_EDIT_THRESHOLD, // "hard:0.1", "soft:universal": of all bands but the low one
    WP_EDIT_KEEP,      // "5": the 5 % of largest magnitude, of all planes together
    WP_EDIT_ZERO,      // "HL1,HH1": these bands
    WP_EDIT_ONLY,      // "LL3,HL3": all bands but these
    WP_EDIT_SCALE,     // "HL1=2,HH1=0.5"
    WP_EDIT_IMPULSE,   // "HL2:5,7": that coefficient is 1, in the norm of the file, and all else 0
    WP_EDIT_KINDS
};

extern const char *const wp_edit_names[WP_EDIT_KINDS]; // "threshold", …

// Where a threshold comes from.
enum wp_edit_rule { WP_EDIT_LIMIT, WP_EDIT_UNIVERSAL, WP_EDIT_SURE };

struct wp_edit {
    enum wp_edit_kind kind;
    bool soft;
    enum wp_edit_rule rule;
    double number;     // a threshold, or a percentage
    const char *bands; // as they were given; must live as long
};

// What an edit by one of these names does. False after WP_ERROR_USAGE.
bool wp_edit_parse(const char *name, const char *text, struct wp_edit *edit);

// Coefficients as wp_transform_forward() leaves them: planes one behind the other, each of groups
// of slices.
struct wp_edit_target {
    const struct wp_description *description; // of a group
    int depth;                                // slices of all groups
    int planes;
    float *coefficients;
};

// What a threshold was, over planes and bands; equal where there is one.
struct wp_edit_found {
    double least_sigma, most_sigma; // of the noise
    double least, most;
};

// False after WP_ERROR_USAGE where an edit names a band or a coefficient that is not there.
bool wp_edit_check(const struct wp_edit *edit, const struct wp_edit_target *target);

// `sigma` is the deviation of the noise, or 0 where that is to be estimated in each plane. `found`
// may be NULL. False after the errors of wp_edit_check() or WP_ERROR_TOO_LARGE.
bool wp_edit_apply(const struct wp_edit *edit, double sigma, const struct wp_edit_target *target,
                   struct wp_edit_found *found);

struct wp_edit_amount {
    double samples, nonzero, energy; // energy: the sum of squares
};

// False after WP_ERROR_TOO_LARGE.
bool wp_edit_measure(const struct wp_edit_target *target, struct wp_edit_amount *amount);

// What a coefficient of view number `index` (wp_subband_count()) is to be multiplied by to be in the
// orthonormal norm.
double wp_edit_unit(const struct wp_description *description, int index);

#endif
