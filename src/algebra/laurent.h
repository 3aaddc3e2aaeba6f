// Laurent polynomials in two variables with real coefficients.
//
// A term c * z_m^-m z_n^-n of a filter reads the sample (quad) at (x + m, y + n): m is
// horizontal, n vertical. Notation of Barina et al. 2017, section 2.
#ifndef WP_LAURENT_H
#define WP_LAURENT_H

#include <complex.h>
#include <stdbool.h>

struct wp_term {
    int m, n;
    double c;
};

// Terms sorted by n, then m; no position twice, no coefficient zero. {0} is the polynomial 0.
// A polynomial owns its terms: every function that returns one gives them to the caller, who
// frees them with wp_poly_free(). Where memory is short a result is `failed` and has no terms, and
// so is all that is made of it.
struct wp_poly {
    int count;
    bool failed;
    struct wp_term *term;
};

struct wp_poly wp_poly_monomial(int m, int n, double c); // 0 where c is 0
void wp_poly_free(struct wp_poly *a); // leaves the polynomial 0

// Sums and products collect like terms. A sum that cancels to within rounding (1e-12 of the
// sizes added) is dropped, so that term counts are those of exact arithmetic.
struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b);
struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b);

bool wp_poly_is_one(const struct wp_poly *a);
bool wp_poly_is_local(const struct wp_poly *a); // constant: reads position (0, 0) alone

// The value at (z_m, z_n), both not zero.
double complex wp_poly_evaluate(const struct wp_poly *a, double complex zm, double complex zn);

#endif
