// The independent oracle: wavelet transforms in double precision straight from the definition
// of a two-channel filter bank. Includes nothing of the program: no lifting on images, no
// polyphase matrices, no schemes; its filters are tables of published taps.
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>

// Taps and first indices of any filter stay within -ORACLE_REACH .. ORACLE_REACH.
enum { ORACLE_REACH = 64, ORACLE_MAX_TAPS = 2 * ORACLE_REACH + 1 };

// tap[i] belongs to index first + i.
struct oracle_filter {
    int first, count;
    double tap[ORACLE_MAX_TAPS];
};

enum oracle_symmetry {
    ORACLE_INTEGER, // low and high symmetric about index 0
    ORACLE_LOCAL, // low within 0..1, high within -1..0 (Haar)
    ORACLE_ASYMMETRIC
};

// One level along one axis, in the normalisation jpeg2000 (low: gain 1 at DC; high: gain 2 at
// Nyquist):
//     low[n]  = sum_k h_k x[2n + k]        high[n] = sum_k g_k x[2n + 1 + k]
//     x[m]    = sum_n low[n] p_(m - 2n) + sum_n high[n] q_(m - 2n - 1)
// with p_k = (-1)^k g_(-k) and q_k = (-1)^k h_(-k).
struct oracle_filters {
    struct oracle_filter low, high;           // h, g
    struct oracle_filter low_back, high_back; // p, q
    // Raw lifting gives low * zeta and high / zeta. The taps leave it open: it belongs to one
    // factorisation, so set it where a db wavelet is lifted by other steps than the oracle's.
    double zeta;
    enum oracle_symmetry symmetry;
};

enum oracle_border { ORACLE_SYMMETRIC, ORACLE_PERIODIC };

enum oracle_norm { ORACLE_NONE, ORACLE_JPEG2000, ORACLE_ORTHONORMAL };

// The names of the built-in wavelets, ended by NULL.
extern const char *const oracle_names[];

// Filters from the table of taps. False for a name that is not there.
bool oracle_filters_find(const char *name, struct oracle_filters *filters);

// Filters from taps in the normalisation above. False where the two filters do not belong
// together: perfect reconstruction asks for sum_(k+l=2m) (-1)^k h_k g_l = (m == 0), which also
// fixes sign and shift of the high-pass filter.
bool oracle_filters_from_taps(const struct oracle_filter *low, const struct oracle_filter *high,
                              double zeta, struct oracle_filters *filters);

// Filters from lifting steps, found by pushing impulses through plain 1-D lifting: step 0 adds
// to the odd samples (odd[n] += sum_k p_k even[n+k]), step 1 to the even ones
// (even[n] += sum_k u_k odd[n+k]), and so on. A step may have no taps. Only for wavelets
// without a table of taps, and as a second route to check that table.
bool oracle_filters_from_lifting(int steps, const struct oracle_filter step[], double zeta,
                                 struct oracle_filters *filters);

// Whether the transform is defined: periodic borders need even sizes at every level (1 passes
// through), symmetric borders need filters that are not ORACLE_ASYMMETRIC.
bool oracle_defined(const struct oracle_filters *filters, enum oracle_border border, int levels,
                    int w, int h);

// The factor of each coefficient over its value in jpeg2000; mallat holds w * h numbers. An axis
// of one sample passes through unscaled.
void oracle_gains(const struct oracle_filters *filters, enum oracle_norm norm, int levels,
                  int w, int h, double *mallat);

// Rows of w samples, row 0 first; LL|HL over LH|HH per level, HL high in x; low bands have
// ceil(N/2) samples, high bands floor(N/2). False where oracle_defined() is. `image` and
// `mallat` may be the same array.
bool oracle_forward(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *image, double *mallat);
bool oracle_inverse(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *mallat, double *image);

// The same coefficients where an in-place transform leaves them: column X, row Y of band HL of
// level l goes to ((2X + 1) 2^(l-1), 2Y 2^(l-1)), LL of the last level to (X 2^l, Y 2^l).
// The arrays must not overlap.
void oracle_to_mixed(int w, int h, int levels, const double *mallat, double *mixed);

#endif
