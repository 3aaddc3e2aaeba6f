// Changes to coefficients between the forward and the inverse transform, for `wavepass edit`,
// denoising and the viewer.
//
// Magnitudes are compared and summed in the orthonormal norm, whatever the norm of the
// coefficients, and thresholds are in that norm: white noise of standard deviation s has the
// standard deviation s in every band, exactly for orthogonal wavelets and the starlet, and
// approximately for others.
#ifndef WP_EDIT_H
#define WP_EDIT_H

#include "description.h"
#include "shrink.h"

enum wp_edit_kind {
    WP_EDIT_THRESHOLD, // "hard:0.1", "soft:bayes": all bands but the lowest; "soft:HL1=0.1": those
    WP_EDIT_KEEP,      // "5": keep the largest 5 % of all coefficients
    WP_EDIT_ZERO,      // "HL1,HH1": zero these bands
    WP_EDIT_ONLY,      // "LL3,HL3": zero all other bands
    WP_EDIT_SCALE,     // "HL1=2,HH1=0.5": multiply bands by factors
    WP_EDIT_IMPULSE,   // "HL2:5,7": set that coefficient to 1, in the norm of the file, others to 0
    WP_EDIT_KINDS
};

extern const char *const wp_edit_names[WP_EDIT_KINDS]; // "threshold", …

// How a threshold is determined: a number, a number for each of some bands, or by a rule from the
// noise (edit_rules.h).
enum wp_edit_rule {
    WP_EDIT_LIMIT,
    WP_EDIT_EACH,
    WP_EDIT_UNIVERSAL, // VisuShrink
    WP_EDIT_SURE,      // SureShrink
    WP_EDIT_BAYES,     // BayesShrink
    WP_EDIT_RULES
};

extern const char *const wp_edit_rule_names[WP_EDIT_RULES]; // NULL, NULL, "universal", …

struct wp_edit {
    enum wp_edit_kind kind;
    enum wp_shrink shrink;
    enum wp_edit_rule rule;
    double number;     // a threshold, or a percentage
    const char *bands; // list of bands as in the text, which must outlive this
};

// Parses the text of an edit of that name. False after WP_ERROR_USAGE.
bool wp_edit_parse(const char *name, const char *text, struct wp_edit *edit);

// Coefficients as written by wp_transform_forward(): consecutive planes without gaps, each with all
// groups of slices.
struct wp_edit_target {
    const struct wp_description *description; // of a group
    int depth;                                // slices of samples in all groups
    int planes;
    float *coefficients;
};

// The noise of the samples, from which rules determine thresholds.
struct wp_edit_noise {
    double sigma;   // its standard deviation; 0: estimated in each plane
    bool per_level; // estimated in each level of each plane, for noise that is not white
    const double *gain; // wp_edit_noise_gains(); NULL: 1, as of orthogonal wavelets
    // NULL, or one for each band of each plane. A sigma that is not 0 is used instead of an
    // estimate; sigma and threshold are set to those that were used, for the next call.
    struct wp_edit_limit {
        double sigma, threshold;
    } *limit;
};

// The range of thresholds that were used, over planes and bands.
struct wp_edit_found {
    double least_sigma, most_sigma; // standard deviation of the noise
    double least, most;
};

// False after WP_ERROR_USAGE if an edit names a band or a coefficient that does not exist.
bool wp_edit_check(const struct wp_edit *edit, const struct wp_edit_target *target);

// Applies an edit. `noise` may be NULL: {0}. `found` may be NULL. False after the errors of
// wp_edit_check() or WP_ERROR_TOO_LARGE.
bool wp_edit_apply(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                   const struct wp_edit_target *target, struct wp_edit_found *found);

// Writes the thresholds of an edit to noise->limit without applying them. In place of an infinite
// threshold it writes the largest magnitude of the band. Returns false like wp_edit_apply().
bool wp_edit_find_thresholds(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                             const struct wp_edit_target *target);

struct wp_edit_amount {
    double samples, nonzero, energy; // energy: the sum of squares
};

// Measures all coefficients in the orthonormal norm. False after WP_ERROR_TOO_LARGE.
bool wp_edit_measure(const struct wp_edit_target *target, struct wp_edit_amount *amount);

// The factor that converts coefficients of subband number `index` (wp_subband_count()) to the
// orthonormal norm.
double wp_edit_unit(const struct wp_description *description, int index);

// The standard deviation of each subband for samples of white noise of standard deviation 1, in the
// orthonormal norm (redundant banks: "pywt"), neglecting borders; 1 for orthogonal wavelets. `gain`
// has wp_subband_count() members. False after WP_ERROR_TOO_LARGE.
bool wp_edit_noise_gains(const struct wp_description *description, double *gain);

#endif
