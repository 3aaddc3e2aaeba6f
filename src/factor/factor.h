// From filters to lifting steps: Euclid's algorithm on Laurent polynomials (I. Daubechies and
// W. Sweldens, Factoring wavelet transforms into lifting steps, 1998).
//
// Filters are low[n] = sum low_k x[2n + k] and high[n] = sum high_k x[2n + k], split into what they
// make of even samples, x[2n + 2k], and of odd ones, x[2n + 2k + 1]: the rows of a 2x2 matrix. A
// lifting step that comes first in time, odd += q even, leaves low_even - q low_odd for the steps
// after it: a division of one by the other with remainder. Divisions go on until one is 0.
//
// Which end of the dividend a quotient takes away is free, at every division. Among all ways that
// with the smallest growth of rounding errors is looked for; symmetric filters take as much from
// both ends, which leaves one way from either band.
#ifndef WP_FACTOR_H
#define WP_FACTOR_H

#include "series.h"

enum {
    WP_FACTOR_TAPS = 64,      // of a filter, at most
    WP_FACTOR_REACH = 66,     // from sample 2n, at most
    WP_FACTOR_STEPS = 24,     // at most
    WP_FACTOR_STEP_TAPS = 16, // of a step, at most
    WP_FACTOR_AXES = 3,       // that go together, at most
};

enum wp_factor_direction { WP_FACTOR_FORWARD, WP_FACTOR_INVERSE };

// What the bands are made of: [0] of even samples, [1] of odd ones.
struct wp_filter_bank {
    struct wp_series low[2], high[2];
};

// dividend = quotient divisor + remainder, all of one band, and the step that it is:
// odd += quotient even, or even += quotient odd.
struct wp_division {
    bool of_high; // the polynomials are the high-pass's
    bool odd;     // the step's target
    struct wp_series dividend, divisor, quotient, remainder;
};

struct wp_factoring {
    struct wp_filter_bank bank;   // of determinant 1, the low-pass's gain at DC sqrt(2)
    wp_real low_scale, high_scale; // what the given taps were multiplied by for that
    struct wp_series determinant; // of the given ones
    int moved;                    // the high-pass was moved by so many coefficients
    bool symmetric;
    int divisions;
    struct wp_division division[WP_FACTOR_STEPS];
    wp_real gain; // then low = gain even, high = odd / gain
    double growth[WP_FACTOR_AXES][2]; // wp_factor_growth() of its steps
    int found; // factorisations that the choice was made among
};

enum wp_factor_position {
    WP_FACTOR_STAY, // where both filters are is what is asked for
    WP_FACTOR_MOVE, // the high-pass may move
};

// The caller frees it with free(). NULL where there is none, with the reason added to `why`, or
// without a reason where memory is short.
struct wp_factoring *wp_factor(const struct wp_series *low, const struct wp_series *high,
                               enum wp_factor_position position, struct wp_text *why);

// The root mean square of rounding errors, as a multiple of those of one rounding of the samples,
// of coefficients of noise in 0..1 (forward) and of samples from these (inverse): growth[0] of one
// axis by itself, growth[1] and growth[2] of two and three that go through every step before they
// are scaled, as lifting schemes of images and volumes do. Of any steps, not the best alone. False
// where polynomials are too long.
struct wp_factor_step {
    bool odd; // the target
    struct wp_series filter;
};
bool wp_factor_growth(const struct wp_series *low, const struct wp_series *high, int steps,
                      const struct wp_factor_step *step, double growth[WP_FACTOR_AXES][2]);

// The high-pass that belongs to a low-pass of the inverse transform, high_k = -(-1)^k dual_(1-k).
// An orthogonal low-pass is its own dual.
struct wp_series wp_factor_high(const struct wp_series *dual);

#endif
