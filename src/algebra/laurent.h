// Laurent polynomials in up to three variables with real coefficients.
//
// A term c * z_m^-m z_n^-n z_o^-o of a filter reads the sample (quad, octet) at (x + m, y + n,
// z + o). Notation of Barina et al. 2017, section 2, which has no third axis. The variables go in
// the order of the axes of lifting.h; polynomials of images have no z_o.
#ifndef WP_LAURENT_H
#define WP_LAURENT_H

#include <complex.h>
#include <stdbool.h>

enum { WP_VARIABLES = 3 };

struct wp_term {
    int at[WP_VARIABLES]; // m, n, o
    double c;
};

// True where it reads position 0 of every axis.
bool wp_term_is_local(const struct wp_term *term);

// Terms sorted by o, then n, then m; no position twice, no coefficient zero. {0} is the polynomial
// 0. A polynomial owns its terms: every function that returns one gives them to the caller, who
// frees them with wp_poly_free(). Where memory is short a result is `failed` and has no terms, and
// so is all that is made of it.
struct wp_poly {
    int count;
    bool failed;
    struct wp_term *term;
};

struct wp_poly wp_poly_monomial(const struct wp_term *term); // 0 where c is 0
void wp_poly_free(struct wp_poly *a); // leaves the polynomial 0

// Sums and products collect like terms. A sum that cancels to within rounding (1e-12 of the
// sizes added) is dropped, so that term counts are those of exact arithmetic.
struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b);
struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b);

// The product where no term of `b` has a variable that is one of `a` or comes before it, so that no
// two of its terms are alike.
struct wp_poly wp_poly_multiply_axes(const struct wp_poly *a, const struct wp_poly *b);

// The order of terms: below, at or above 0.
int wp_poly_compare(const int s[WP_VARIABLES], const int t[WP_VARIABLES]);

bool wp_poly_is_one(const struct wp_poly *a);
bool wp_poly_is_local(const struct wp_poly *a); // constant: reads position 0 alone

// Its term at a position, or NULL.
const struct wp_term *wp_poly_find(const struct wp_poly *a, const int at[WP_VARIABLES]);

// The value at (z_m, z_n, z_o), none of them zero.
double complex wp_poly_evaluate(const struct wp_poly *a, const double complex z[WP_VARIABLES]);

#endif
