// Laurent polynomials in up to three variables with real coefficients.
//
// A term c * z_m^-m z_n^-n z_o^-o of a filter reads the sample (quad, octet) at (x + m, y + n,
// z + o). Notation of Barina et al. 2017, section 2, extended by a third axis. The variables are in
// the order of the axes of lifting.h; polynomials for images do not contain z_o.
#ifndef WP_LAURENT_H
#define WP_LAURENT_H

#include <complex.h>
#include <stdbool.h>

enum { WP_VARIABLES = 3 };

struct wp_term {
    int at[WP_VARIABLES]; // m, n, o
    double c;
};

// Does it read position 0 along every axis?
bool wp_term_is_local(const struct wp_term *term);

// A polynomial: terms sorted by o, then n, then m, with distinct positions and nonzero
// coefficients. {0} is the polynomial 0. The caller frees the result of every function with
// wp_poly_free(). If memory is exhausted, a result is `failed` and has no terms, and so are all
// results computed from it.
struct wp_poly {
    int count;
    bool failed;
    struct wp_term *term;
};

struct wp_poly wp_poly_monomial(const struct wp_term *term); // 0 if c is 0
void wp_poly_free(struct wp_poly *a); // resets it to 0

// Like terms are combined. A term that cancels up to rounding errors (1e-12 of the sum of the
// magnitudes) is removed, so that the number of terms is that of exact arithmetic.
struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b);
struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b);

// The product for the case that all variables in `b` come after those in `a`, so that no like terms
// occur.
struct wp_poly wp_poly_multiply_axes(const struct wp_poly *a, const struct wp_poly *b);

// The order of terms: negative, 0 or positive.
int wp_poly_compare(const int s[WP_VARIABLES], const int t[WP_VARIABLES]);

bool wp_poly_is_one(const struct wp_poly *a);
bool wp_poly_is_local(const struct wp_poly *a); // a constant: reads only position 0

// The term at a position, or NULL.
const struct wp_term *wp_poly_find(const struct wp_poly *a, const int at[WP_VARIABLES]);

// The value at (z_m, z_n, z_o), which must not be zero.
double complex wp_poly_evaluate(const struct wp_poly *a, const double complex z[WP_VARIABLES]);

#endif
