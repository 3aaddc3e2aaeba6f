// From filters to lifting steps: Euclid's algorithm on Laurent polynomials (I. Daubechies and
// W. Sweldens, Factoring wavelet transforms into lifting steps, 1998).
//
// Filters are low[n] = sum low_k x[2n + k] and high[n] = sum high_k x[2n + k]. They are split into
// filters of even samples, x[2n + 2k], and of odd ones, x[2n + 2k + 1]: the rows of a 2x2 matrix.
// If the first lifting step is odd += q even, the steps after it have to compute low_even - q
// low_odd, so that a step is a division with remainder. Divisions continue until a remainder is 0.
//
// Each division is free to eliminate coefficients at either end of the dividend. The search
// minimizes the growth of rounding errors over all choices; for symmetric filters the same number
// is eliminated at both ends, which leaves one choice for each band. both ends, which leaves one
// way from either band.
#ifndef WP_FACTOR_H
#define WP_FACTOR_H

#include "series.h"

// One division: the number of coefficients that are eliminated at either end of the dividend.
struct wp_factor_choice {
    bool odd;
    int left, right;
};

// The polyphase components of both filters: [0] for even samples, [1] for odd ones.
struct wp_filter_bank {
    struct wp_series low[2], high[2];
};

enum {
    WP_FACTOR_TAPS = 64,      // maximum number of taps of a filter
    WP_FACTOR_REACH = 66,     // maximum distance of a tap from sample 2n
    WP_FACTOR_STEPS = 24,     // maximum number of steps
    WP_FACTOR_STEP_TAPS = 16, // maximum number of taps of a step
    WP_FACTOR_AXES = 3,       // maximum number of axes
};

enum wp_factor_direction { WP_FACTOR_FORWARD, WP_FACTOR_INVERSE };

// dividend = quotient divisor + remainder, all of one band, and the corresponding step:
// odd += quotient even, or even += quotient odd.
struct wp_division {
    bool of_high; // the polynomials are those of the high-pass filter
    bool odd;     // the step's target
    struct wp_series dividend, divisor, quotient, remainder;
};

struct wp_factoring {
    struct wp_filter_bank bank;   // with determinant 1 and low-pass gain sqrt(2) at DC
    wp_real low_scale, high_scale; // the factors by which the given taps were multiplied for that
    struct wp_series determinant; // of the given filters
    int moved;                    // number of coefficients by which the high-pass was moved
    bool symmetric;
    int divisions;
    struct wp_division division[WP_FACTOR_STEPS];
    wp_real gain; // after the steps low = gain even, high = odd / gain
    double growth[WP_FACTOR_AXES][2]; // wp_factor_growth() of its steps
    int found; // number of factorizations from which this one was chosen
};

enum wp_factor_position {
    WP_FACTOR_STAY, // the filters' positions are fixed
    WP_FACTOR_MOVE, // the high-pass filter may be moved
};

// Factors a filter pair. The caller frees the result with free(). NULL if it cannot be factored,
// with the reason appended to `why`, or without a reason if memory is exhausted.
struct wp_factoring *wp_factor(const struct wp_series *low, const struct wp_series *high,
                               enum wp_factor_position position, struct wp_text *why);

// The root mean square of rounding errors relative to a single rounding of the samples: of the
// coefficients of noise in 0..1 (forward), and of samples reconstructed from these (inverse).
// growth[0] is for one axis, growth[1] and growth[2] for two and three axes that are transformed in
// each step before scaling, as in lifting schemes of images and volumes. False if polynomials are
// too long.
struct wp_factor_step {
    bool odd; // the target
    struct wp_series filter;
};
bool wp_factor_growth(const struct wp_series *low, const struct wp_series *high, int steps,
                      const struct wp_factor_step *step, double growth[WP_FACTOR_AXES][2]);

// The high-pass filter that corresponds to a low-pass filter of the inverse transform, high_k =
// -(-1)^k dual_(1-k). The dual of an orthogonal low-pass filter is itself.
struct wp_series wp_factor_high(const struct wp_series *dual);

// Divides. False if the polynomials are too long or the quotient is 0.
bool wp_divide(const struct wp_series *dividend, const struct wp_series *divisor,
               const struct wp_factor_choice *choice, wp_real noise, struct wp_series *quotient,
               struct wp_series *remainder);

#endif
