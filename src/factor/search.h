// The search for the best factorization of a matrix with determinant 1.
#ifndef WP_SEARCH_H
#define WP_SEARCH_H

#include "factor.h"

// One division: the number of coefficients that are eliminated at either end of the dividend.
struct wp_factor_choice {
    bool odd;
    int left, right;
};

struct wp_path {
    bool exchanged; // low and high, even and odd are exchanged: divisions of the high-pass filter
    int choices;
    struct wp_factor_choice choice[WP_FACTOR_STEPS - 1]; // the final division of the other band
                                                         // has no choice
    int steps;
    double growth[WP_FACTOR_AXES][2]; // squares
};

// A state of the search.
struct wp_state {
    struct wp_filter_bank bank;      // remaining filters, applied to the current signals
    struct wp_series signal[2][2];   // current signals: [even, odd] of the [even, odd] samples
    struct wp_path path;
};

void wp_state_start(struct wp_state *state, const struct wp_filter_bank *bank, bool exchanged);

// Divides. False if the polynomials are too long or the quotient is 0.
bool wp_divide(const struct wp_series *dividend, const struct wp_series *divisor,
               const struct wp_factor_choice *choice, wp_real noise, struct wp_series *quotient,
               struct wp_series *remainder);

// The final division, of the second band by a monomial.
bool wp_divide_last(const struct wp_state *state, wp_real noise, struct wp_series *quotient);

// Applies a lifting step and adds its growth. False if the polynomials are too long.
bool wp_state_step(struct wp_state *state, bool odd, const struct wp_series *quotient,
                   wp_real noise);

// Returns the number of factorizations that were found; -1 if memory is exhausted.
int wp_search(const struct wp_filter_bank *bank, bool symmetric, wp_real noise,
              struct wp_path *best);

#endif
