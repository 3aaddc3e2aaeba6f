// Laurent polynomials in one variable with coefficients of high precision, for Euclid's algorithm.
// (Those of src/algebra have up to three variables and double precision.)
#ifndef WP_SERIES_H
#define WP_SERIES_H

#include "text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#if LDBL_MANT_DIG >= 113
typedef long double wp_real;
#else
__extension__ typedef __float128 wp_real;
#endif

static inline wp_real wp_real_abs(wp_real a)
{
    return a < 0 ? -a : a;
}

// 0 for negative numbers. Three Newton steps from a double are sufficient for 200 bits.
static inline wp_real wp_real_sqrt(wp_real a)
{
    if (!(a > 0))
        return 0;
    wp_real root = sqrt((double)a);
    for (int i = 0; i < 3; i++)
        root = (root + a / root) / 2;
    return root;
}

enum { WP_SERIES_MAX = 136 };

// c[i] is the coefficient of z^-(first + i): a filter reads the sample at first + i. The first and
// the last coefficient are not 0; count 0 is the polynomial 0.
struct wp_series {
    int first, count;
    wp_real c[WP_SERIES_MAX];
};

wp_real wp_series_at(const struct wp_series *a, int k); // 0 outside
wp_real wp_series_largest(const struct wp_series *a);   // magnitude; 0 for the polynomial 0
wp_real wp_series_sum(const struct wp_series *a);       // the value at z = 1
double wp_series_power(const struct wp_series *a);      // the sum of the squares

// Adds c z^-k. False, without a change, if the result is too long.
bool wp_series_add(struct wp_series *a, int k, wp_real c);

// Removes coefficients of magnitude at most `noise`.
void wp_series_trim(struct wp_series *a, wp_real noise);

void wp_series_scale(struct wp_series *a, wp_real by);

// sum += by a b. False if the result is too long.
bool wp_series_multiply_add(struct wp_series *sum, wp_real by, const struct wp_series *a,
                            const struct wp_series *b);

// Writes "0.25 z^2 + 0.5 - 0.75 z^-1" with at most `digits` digits; "0" for the polynomial 0.
void wp_series_write(struct wp_text *out, const struct wp_series *a, int digits);

#endif
