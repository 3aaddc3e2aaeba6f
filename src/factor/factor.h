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

#include "text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// Laurent polynomials in one variable with coefficients of high precision, for Euclid's algorithm.
// (Those of src/algebra have up to three variables and double precision.)

// Numbers with 113 bits. Doubles are not sufficient: the Euclidean algorithm on the 40 taps of db20
// loses nine digits, and the roots of its filter as many.
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

// ---- the factorization ----

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

// Filters from the zeros of their products: I. Daubechies, Orthonormal bases of compactly supported
// wavelets, 1988, and A. Cohen, I. Daubechies, J.-C. Feauveau, Biorthogonal bases of compactly
// supported wavelets, 1992.
//
// With y = (2 - z - 1/z) / 4 the product of a low-pass filter and its dual is (1 - y)^p Q(y), where
// Q is the sum of binomial(p-1+k, k) y^k over k < p. Families differ in the assignment of its
// zeros. The zeros of Q form groups, a real one or a pair of conjugates, sorted by real part; bit g
// of a set is group g.

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
