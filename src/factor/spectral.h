// Filters from the zeros of their products: I. Daubechies, Orthonormal bases of compactly supported
// wavelets, 1988, and A. Cohen, I. Daubechies, J.-C. Feauveau, Biorthogonal bases of compactly
// supported wavelets, 1992.
//
// With y = (2 - z - 1/z) / 4 the product of a low-pass filter and its dual is (1 - y)^p Q(y), where
// Q is the sum of binomial(p-1+k, k) y^k over k < p. Families differ in the assignment of its
// zeros. The zeros of Q form groups, a real one or a pair of conjugates, sorted by real part; bit g
// of a set is group g.
#ifndef WP_SPECTRAL_H
#define WP_SPECTRAL_H

#include "series.h"

enum {
    WP_SPECTRAL_ORDER = 20, // maximum p
    WP_SPECTRAL_ALL = (1 << WP_SPECTRAL_ORDER) - 1
};

// The low-pass filter of an orthogonal wavelet with p zeros at the Nyquist frequency: 2p taps from
// 1 - p to p, with gain 1 at DC. Each zero of Q becomes one inside of the unit circle, or outside
// if its group is in `outside`. WP_SPECTRAL_ALL gives Daubechies' extremal phase, whose largest
// taps come first.
struct wp_series wp_spectral_orthogonal(int p, int outside);

// Both filters have gain 1 at DC and are symmetric, about 0 if the number of zeros at the Nyquist
// frequency is even, else about 1/2. The dual has the groups of Q that are in `of_dual`.
struct wp_spectral_pair {
    struct wp_series low, dual;
};
struct wp_spectral_pair wp_spectral_biorthogonal(int zeros_dual, int zeros_low, int of_dual);

#endif
