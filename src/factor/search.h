// The search for the best factorisation, of a matrix with the determinant 1.
#ifndef WP_SEARCH_H
#define WP_SEARCH_H

#include "factor.h"

// One division: how many coefficients of the dividend are taken away at either end.
struct wp_factor_choice {
    bool odd;
    int left, right;
};

struct wp_path {
    bool exchanged; // with low and high, even and odd exchanged: divisions of the high-pass
    int choices;
    struct wp_factor_choice choice[WP_FACTOR_STEPS - 1]; // then the other band's, which has no choice
    int steps;
    double growth[WP_FACTOR_AXES][2]; // squares
};

// What is left to do, and what was done.
struct wp_state {
    struct wp_filter_bank bank;      // what is left: of the signals as they are now
    struct wp_series signal[2][2];   // these: [even, odd] of the [even, odd] samples
    struct wp_path path;
};

void wp_state_start(struct wp_state *state, const struct wp_filter_bank *bank, bool exchanged);

// False where there is no room, or the quotient is 0.
bool wp_divide(const struct wp_series *dividend, const struct wp_series *divisor,
               const struct wp_factor_choice *choice, wp_real noise, struct wp_series *quotient,
               struct wp_series *remainder);

// The division that ends it: the second band's, by what has become a monomial.
bool wp_divide_last(const struct wp_state *state, wp_real noise, struct wp_series *quotient);

// Does a lifting step and adds up what it costs. False where there is no room.
bool wp_state_step(struct wp_state *state, bool odd, const struct wp_series *quotient,
                   wp_real noise);

// Returns how many factorisations were found; -1 where memory is short.
int wp_search(const struct wp_filter_bank *bank, bool symmetric, wp_real noise,
              struct wp_path *best);

#endif
