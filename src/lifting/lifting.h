// The lifting program of a transform: its steps along an axis with exact taps, gains, the border
// rule, the support, and the range of pairs where results are needed. All backends and schemes use
// it.
//
// All axes have the same steps. Quantities for one axis are plain members, those for several axes
// are arrays by axis (WP_X first). The 2^dims components of a group of neighbors are numbered by
// parity: bit a of a component is set if it is odd, high-pass, along axis a.
#ifndef WP_LIFTING_H
#define WP_LIFTING_H

#include "wavelet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WP_X, WP_Y, WP_Z, WP_DIMS_MAX };

enum wp_direction { WP_FORWARD, WP_INVERSE, WP_DIRECTION_COUNT };

extern const char *const wp_direction_names[WP_DIRECTION_COUNT]; // "forward", "inverse"

// Scaling at the end of a transform, as 1-D gains relative to unscaled lifting.
enum wp_norm {
    WP_NORM_JPEG2000,    // low / zeta, high * zeta: gain 1 at DC, 2 at the Nyquist frequency
    WP_NORM_ORTHONORMAL, // jpeg2000, then low * sqrt(2), high / sqrt(2)
    WP_NORM_NONE,        // unscaled lifting
    WP_NORM_PYWT,        // orthonormal, with the sign of PyWavelets' high-pass filters
    WP_NORM_COUNT
};

// "jpeg2000", "orthonormal", "none", "pywt".
extern const char *const wp_norm_names[WP_NORM_COUNT];

// The sign of the high-pass gain.
double wp_norm_high_sign(const struct wp_wavelet *wavelet, enum wp_norm norm);

// With these gains the transform of an orthogonal wavelet is orthonormal.
static inline bool wp_norm_is_orthonormal(enum wp_norm norm)
{
    return norm == WP_NORM_ORTHONORMAL || norm == WP_NORM_PYWT;
}

// Backends compute the first two; plans compute the modes of PyWavelets from them (axis_map.h). The
// word of a mode is "pywt-" and PyWavelets' name.
enum wp_border {
    WP_BORDER_SYMMETRIC, // whole-sample, as pywt-reflect, but with as many coefficients as samples
    WP_BORDER_PERIODIC,  // even sizes
    WP_BORDER_NATIVE,    // number of borders that backends compute
    WP_BORDER_PYWT_ZERO = WP_BORDER_NATIVE,
    WP_BORDER_PYWT_CONSTANT,     // the first and the last sample
    WP_BORDER_PYWT_SYMMETRIC,    // half-sample symmetric: x[-1-k] = x[k]
    WP_BORDER_PYWT_REFLECT,      // whole-sample symmetric: x[-k] = x[k]
    WP_BORDER_PYWT_PERIODIC,     // x[k - n] = x[k]
    WP_BORDER_PYWT_SMOOTH,       // lines through the first and the last two samples
    WP_BORDER_PYWT_ANTISYMMETRIC, // x[-1-k] = -x[k]
    WP_BORDER_PYWT_ANTIREFLECT,  // x[-k] = 2 x[0] - x[k]
    WP_BORDER_PYWT_PERIODIZATION, // periodic, after the last sample of an odd size is repeated
    WP_BORDER_COUNT
};

extern const char *const wp_border_names[WP_BORDER_COUNT]; // "symmetric", "periodic", …

// Extension of an axis beyond its samples 0..n-1. Indices are those of interleaved samples.
enum wp_extension {
    WP_EXTEND_MIRROR, // whole-sample symmetric: x[-k] = x[k], x[n-1+k] = x[n-1-k]
    WP_EXTEND_WRAP,   // periodic
    WP_EXTEND_CLAMP,  // repeats the edge, for the missing sample of WP_SYMMETRY_LOCAL wavelets
    WP_EXTEND_ZERO,   // the same wavelets, for coefficients: the missing detail is zero
};

// The sample that index i is extended from, or -1 for zero. n >= 1. All extensions except CLAMP
// preserve the parity of the index.
int wp_extend(enum wp_extension extension, int i, int n);

// target[n] += the sum of c * other[n + k] over the taps. The target is the odd samples and `other`
// the even ones, or vice versa.
struct wp_lifting_step {
    bool odd;                // the target
    struct wp_filter filter; // without taps the step does nothing
    int low, high;           // the smallest and the largest k; 0, 0 without taps
    int before, after;       // pairs before and after the domain for which the result is needed
    int lag;                 // distance in pairs to the newest pair read when the step can run
    // Reversible programs add this to the result of the step on integers, which is then rounded
    // down; else 0.
    double round;
};

enum { WP_STEPS_MAX = 2 * WP_MAX_PAIRS };

struct wp_lifting {
    enum wp_direction direction;
    enum wp_extension extension;
    int steps; // two per lifting pair, in the order of execution
    struct wp_lifting_step step[WP_STEPS_MAX];
    int before, after; // pairs before and after the domain that are read
    bool dual;         // of an adjoint
    bool reversible;   // every step rounds to an integer, so that the order of axes matters: see
                       // wp_lifting_y_first()
    // Gains of even and odd samples: forward of the result, inverse of the input before the first
    // step.
    double gain[2];
};

// Never fails. wp_description_check() checks whether the wavelet supports the border.
struct wp_lifting wp_lifting_make(const struct wp_wavelet *wavelet, enum wp_direction direction,
                                  enum wp_norm norm, enum wp_border border);

// Gets the dual wavelet for a norm: its transforms with periodic borders are the transposed ones of
// the given wavelet, forward (W^-1)^T and inverse W^T. W is a product of lifting steps and gains,
// so (W^-1)^T has the same order of steps; a step from even to odd samples with taps c at k becomes
// one from odd to even samples with taps -c at -k, and the gains are inverted. Pairs without taps
// at both ends are left out. The dual has the same name, symmetry and window; its gain at DC may be
// anything.
// False after WP_ERROR_USAGE if it has more than WP_MAX_PAIRS lifting pairs.
bool wp_lifting_dual(const struct wp_wavelet *wavelet, enum wp_norm norm, struct wp_wavelet *dual);

// Does a wavelet support reversible transforms? All taps must be multiples of 2^-WP_BITS_MOST, and
// nothing is scaled.
enum { WP_BITS_MOST = 12 };
bool wp_lifting_is_reversible(const struct wp_wavelet *wavelet);

// The smallest b for which all taps are integers times 2^-b; WP_BITS_MOST + 1 if it is larger.
int wp_lifting_bits(const struct wp_filter *filter);

// Makes every step of a program without gains round to an integer; the wavelet must be reversible.
// As in JPEG 2000 (ISO/IEC 15444-1, Annex F) and M. D. Adams and F. Kossentini, Reversible
// integer-to-integer wavelet transforms for image compression, IEEE Trans. Image Processing 9(6),
// 2000, table I: forward, a step adds its sum rounded to the nearest integer, halves upwards, but
// a step with a single tap rounds down (the S transform). The inverse subtracts the same integers.
void wp_lifting_set_reversible(struct wp_lifting *lifting);

// The order of the axes in a reversible program: true if all steps along y precede those along x.
// As in JPEG 2000 this is so forward.
bool wp_lifting_y_first(const struct wp_lifting *lifting);

// The gain of a component if the axes of the set `axes` (bit a for axis a) are transformed.
double wp_lifting_gain(const struct wp_lifting *lifting, unsigned axes, unsigned component);

// The set of axes with more than one sample; others are not transformed.
unsigned wp_lifting_axes(const int size[], int dims);

#ifdef __cplusplus
}
#endif

#endif
