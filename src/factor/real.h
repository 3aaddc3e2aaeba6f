// Numbers with 113 bits. Doubles are not sufficient: the Euclidean algorithm on the 40 taps of db20
// loses nine digits, and the roots of its filter as many.
#ifndef WP_REAL_H
#define WP_REAL_H

#include <float.h>
#include <math.h>

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

#endif
