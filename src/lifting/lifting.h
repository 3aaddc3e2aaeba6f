// The lifting program of a transform: its steps along an axis with exact taps, gains, the border
// rule, how far everything reaches and where results are needed. Derived here once; schemes, the
// CPU's sweeps, CUDA's kernels and the shaders of tiles read it.
//
// All axes have the same steps. A quantity of one axis is a member, of several an array by axis
// (WP_X first). The 2^dims components of a group of neighbours are numbered by parity: bit a of a
// component is set where it is odd, high-pass, along axis a.
#ifndef WP_LIFTING_H
#define WP_LIFTING_H

#include "wavelet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WP_X, WP_Y, WP_Z, WP_DIMS_MAX };

enum wp_direction { WP_FORWARD, WP_INVERSE, WP_DIRECTION_COUNT };

extern const char *const wp_direction_names[WP_DIRECTION_COUNT]; // "forward", "inverse"

// Scaling at the end of a transform. 1-D gains relative to raw lifting.
enum wp_norm {
    WP_NORM_JPEG2000,    // low / zeta, high * zeta: gain 1 at DC, 2 at the Nyquist frequency
    WP_NORM_ORTHONORMAL, // jpeg2000, then low * sqrt(2), high / sqrt(2)
    WP_NORM_NONE,        // raw lifting
    WP_NORM_COUNT
};

extern const char *const wp_norm_names[WP_NORM_COUNT]; // "jpeg2000", "orthonormal", "none"

enum wp_border { WP_BORDER_SYMMETRIC, WP_BORDER_PERIODIC, WP_BORDER_COUNT };

extern const char *const wp_border_names[WP_BORDER_COUNT]; // "symmetric", "periodic"

// How an axis goes on beyond its samples 0..n-1. Indices are those of interleaved samples.
enum wp_extension {
    WP_EXTEND_MIRROR, // whole-sample symmetric: x[-k] = x[k], x[n-1+k] = x[n-1-k]
    WP_EXTEND_WRAP,   // periodic
    WP_EXTEND_CLAMP,  // repeats the edge: the missing partner of a WP_SYMMETRY_LOCAL wavelet
    WP_EXTEND_ZERO,   // the same in the coefficients: its detail is zero
};

// The sample that stands at index i, or -1 for zero. n >= 1. Every extension but CLAMP keeps
// the parity of the index.
int wp_extend(enum wp_extension extension, int i, int n);

// target[n] += the sum of c * other[n + k] over the taps, where target is the odd samples and other
// the even ones, or the other way round.
struct wp_lifting_step {
    bool odd;                // the target
    struct wp_filter filter; // may have no taps: the step does nothing
    int low, high;           // the least and the greatest k; 0, 0 without taps
    int before, after;       // pairs beyond the domain, at either end, where its result is needed
    int lag;                 // it can run this many pairs behind the newest that was read
    // Of reversible programs, else 0: this is added to what the step makes of integers, and then it
    // is rounded down.
    double round;
};

enum { WP_STEPS_MAX = 2 * WP_MAX_PAIRS };

struct wp_lifting {
    enum wp_direction direction;
    enum wp_extension extension;
    int steps; // two for each lifting pair, in the order in which they run
    struct wp_lifting_step step[WP_STEPS_MAX];
    int before, after; // pairs beyond the domain that are read
    bool reversible;   // every step rounds to an integer, so axes do not commute: see
                       // wp_lifting_y_first()
    // Of even samples and of odd ones: what the result is to be multiplied by, or in the inverse
    // what is read, before the first step.
    double gain[2];
};

// Never fails. Whether wavelet and border go together is for wp_description_check().
struct wp_lifting wp_lifting_make(const struct wp_wavelet *wavelet, enum wp_direction direction,
                                  enum wp_norm norm, enum wp_border border);

// Whether a wavelet's steps can round to integers: all taps are multiples of 2^-WP_BITS_MOST, and
// nothing is scaled.
enum { WP_BITS_MOST = 12 };
bool wp_lifting_is_reversible(const struct wp_wavelet *wavelet);

// The least b so that every tap is a whole number times 2^-b; above WP_BITS_MOST, one more.
int wp_lifting_bits(const struct wp_filter *filter);

// Has every step of a program without gains round to an integer, of a wavelet that is reversible.
// As JPEG 2000 does (ISO/IEC 15444-1, Annex F), and M. D. Adams and F. Kossentini, Reversible
// integer-to-integer wavelet transforms for image compression, IEEE Trans. Image Processing 9(6),
// 2000, table I: forward, a step adds its sum rounded to the nearest integer, halves upwards, and
// one of a single tap adds it rounded down (the S transform). The inverse takes the same away.
void wp_lifting_set_reversible(struct wp_lifting *lifting);

// The order of axes x and y in a reversible program: all steps of the one, then all of the other.
// Forward it is the vertical one that comes first, as in JPEG 2000.
bool wp_lifting_y_first(const struct wp_lifting *lifting);

// The gain of a component, where the axes of the set `axes` (bit a for axis a) are transformed.
double wp_lifting_gain(const struct wp_lifting *lifting, unsigned axes, unsigned component);

// The set of axes that have more than one sample; the others pass through.
unsigned wp_lifting_axes(const int size[], int dims);

#ifdef __cplusplus
}
#endif

#endif
