// Independent oracle: wavelet transforms in double precision by the definition of a two-channel
// filter bank. It includes no code of the program (no lifting of images, polyphase matrices or
// schemes); its filters are tables of published taps.
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>

// Filters have first and last indices within -ORACLE_REACH..ORACLE_REACH.
enum { ORACLE_REACH = 64, ORACLE_MAX_TAPS = 2 * ORACLE_REACH + 1 };

// tap[i] has the index first + i.
struct oracle_filter {
    int first, count;
    double tap[ORACLE_MAX_TAPS];
};

enum oracle_symmetry {
    ORACLE_WHOLE_SAMPLE, // low and high symmetric about index 0
    ORACLE_LOCAL, // low within 0..1, high within -1..0 (Haar)
    ORACLE_ASYMMETRIC
};

// Filters of one level along one axis, in the normalization jpeg2000 (low-pass gain 1 at DC,
// high-pass gain 2 at Nyquist):
//     low[n]  = sum_k h_k x[2n + k]        high[n] = sum_k g_k x[2n + 1 + k]
//     x[m]    = sum_n low[n] p_(m - 2n) + sum_n high[n] q_(m - 2n - 1)
// with p_k = (-1)^k g_(-k) and q_k = (-1)^k h_(-k).
struct oracle_filters {
    struct oracle_filter low, high;           // h, g
    struct oracle_filter low_synthesis, high_synthesis; // p, q
    // Lifting without scaling gives low * zeta and high / zeta. The taps do not determine zeta: it
    // depends on the lifting factorization. Set it if a db wavelet is lifted by other steps.
    double zeta;
    enum oracle_symmetry symmetry;
};

enum oracle_border { ORACLE_SYMMETRIC, ORACLE_PERIODIC };

enum oracle_norm { ORACLE_NONE, ORACLE_JPEG2000, ORACLE_ORTHONORMAL };

// Names of the built-in wavelets, terminated by NULL.
extern const char *const oracle_names[];

// Looks up the filters in the table of taps. Returns false for an unknown name.
bool oracle_filters_find(const char *name, struct oracle_filters *filters);

// Creates filters from taps in the normalization above. Returns false without perfect
// reconstruction, which requires sum_(k+l=2m) (-1)^k h_k g_l = (m == 0). This also determines sign
// and shift of the high-pass filter.
bool oracle_filters_from_taps(const struct oracle_filter *low, const struct oracle_filter *high,
                              double zeta, struct oracle_filters *filters);

// Creates filters from lifting steps, from the impulse responses of plain 1-D lifting: step 0 adds
// to the odd samples (odd[n] += sum_k p_k even[n+k]), step 1 to the even ones (even[n] += sum_k u_k
// odd[n+k]), and so on. A step can have no taps. Used for wavelets without a table of taps and to
// check that table.
bool oracle_filters_from_lifting(int steps, const struct oracle_filter step[], double zeta,
                                 struct oracle_filters *filters);

// True if the transform is defined. Periodic borders require an even size, or size 1, at each
// level; symmetric borders require filters that are not ORACLE_ASYMMETRIC.
bool oracle_defined(const struct oracle_filters *filters, enum oracle_border border, int levels,
                    int w, int h);

// Writes the factor of each coefficient relative to jpeg2000; mallat has w * h elements. An axis of
// one sample has the factor 1.
void oracle_gains(const struct oracle_filters *filters, enum oracle_norm norm, int levels,
                  int w, int h, double *mallat);

// Transforms an image. Rows have w samples; each level is stored as LL|HL over LH|HH, where HL is
// high-pass in x. Low bands have ceil(N/2) samples, high bands floor(N/2). Returns false if
// oracle_defined() does. `image` and `mallat` may be the same array.
bool oracle_forward(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *image, double *mallat);
bool oracle_inverse(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *mallat, double *image);

// Reorders coefficients to the positions of an in-place transform: column X, row Y of band HL of
// level l moves to ((2X + 1) 2^(l-1), 2Y 2^(l-1)), LL of the last level to (X 2^l, Y 2^l). The
// arrays must not overlap.
void oracle_to_mixed(int w, int h, int levels, const double *mallat, double *mixed);

#endif
