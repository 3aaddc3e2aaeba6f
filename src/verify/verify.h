// Compares a backend with the reference: every scheme, form, border and direction of a wavelet, also
// of adjoints.
//
// The reference is the double precision interpreter with plain separable lifting, so that the
// algebra of the scheme is verified along with the backend. The tolerance is wp_verify_tolerance()
// for norm jpeg2000 and data in 0..1; it is multiplied by the gain of the band in other norms, and
// by the largest magnitude of the data if that is above 1. The first slice of a volume is also
// transformed as an image.
//
// Bands of adjoints have other gains than those of the norm: their tolerance is relative to the
// largest magnitude of the band, or of the low band before its level if that is larger, since a band
// may have few and small coefficients. So it is for the two borders that extend by differences of samples,
// to the largest one of all bands. Adjoints do not rely on the reference alone: the products <W x, y>
// and <x, W^T y> must be equal, and <W^-1 y, x> and <y, W^-T x>.
#ifndef WP_VERIFY_H
#define WP_VERIFY_H

#include "backend.h"
#include "operand.h"

#include <stdbool.h>

enum wp_verify_status {
    WP_VERIFY_PASSED,
    WP_VERIFY_FAILED,
    WP_VERIFY_SKIPPED,
    WP_VERIFY_STATUS_COUNT
};

enum wp_verify_check {
    WP_VERIFY_FORWARD,    // coefficients against the reference's
    WP_VERIFY_INVERSE,    // image from the reference's coefficients against the reference's
    WP_VERIFY_ROUND_TRIP, // the backend's inverse of its own coefficients against the image
    WP_VERIFY_ONE_SLICE,  // only volumes, with borders that backends compute, not adjoints: one slice
                          // must equal its image transform exactly
    WP_VERIFY_PRODUCTS,   // only adjoints: the products above, relative to the norms
    WP_VERIFY_CHECK_COUNT
};

extern const char *const wp_verify_status_names[WP_VERIFY_STATUS_COUNT]; // "pass", "fail", "skip"
extern const char *const wp_verify_check_names[WP_VERIFY_CHECK_COUNT];   // "forward", …

struct wp_verify_row {
    const struct wp_scheme_kind *kind; // NULL: any, the backend is schemeless
    enum wp_form form;                 // meaningless if `kind` is NULL
    enum wp_border border;
    bool adjoint;
    enum wp_verify_check check;
    bool is_last; // check of its scheme, form and border
    enum wp_verify_status status;
    const char *reason; // why it was skipped, valid during the callback; else NULL
    // The members below are not set if it was skipped. The error is that of the position with the
    // largest error / tolerance; infinite if the backend's value is not finite.
    double error, tolerance;
    struct wp_subband band; // of the coefficient at that position; without letters: a sample
    int at[WP_DIMS_MAX];    // position x, y, z in the band or image
};

// error / tolerance; a check fails above 1.
double wp_verify_excess(const struct wp_verify_row *row);

// Factors of the tolerance for volume schemes of wavelets with two or more lifting pairs. Their
// passes process all three axes before the next pair, which loses digits, more so in plain form.
enum { WP_VERIFY_LOST = 5, WP_VERIFY_LOST_PLAIN = 10 };

// Factor of the tolerance for 16-bit floats: the ratio of the spacings of half and single
// precision, whose significands have 11 and 24 bits.
enum { WP_VERIFY_HALF = 8192 };

// Factor of the tolerance for pywt-smooth and pywt-antireflect, whose differences of samples lose
// digits, more with each level.
enum { WP_VERIFY_LINES = 16 };

// Factor of the tolerance for bands of adjoints, relative to their own magnitude.
enum { WP_VERIFY_ADJOINT = 4 };

// The tolerance of redundant banks per level and one more, relative to the largest magnitude of all
// bands, for samples to that of the image: sums of products of tens of taps.
#define WP_VERIFY_REDUNDANT 1e-6

// The tolerance of the products, relative to that of samples: sums of many errors, relative to the
// norms.
#define WP_VERIFY_PRODUCT 0.1

// The tolerance for coefficients of a level, or for samples if it is the number of levels: the
// larger of WP_WAVELET_EXACT, with the factors above for volumes, and wp_wavelet_error() times the
// noise gain of the levels of each axis, for the inverse that of both directions. Times
// WP_VERIFY_HALF for f16. 0.5 for reversible transforms: integers must be equal. Redundant banks
// have WP_VERIFY_REDUNDANT instead.
double wp_verify_tolerance(const struct wp_description *description, int level);

// Compares results with those of the reference and sets error, tolerance, position and status of
// the row. `scale`: the largest magnitude of the image, at least 1. schedule->kind is NULL for
// schemeless backends. Elements of no band (wp_description_extent()) are ignored.
void wp_verify_judge(const struct wp_description *schedule, double scale, const float *got,
                     const float *expected, struct wp_verify_row *row);

// Computes one plane with the reference, in doubles also between the levels, and rounds the result
// to floats. The scheme and the form are those of the description. `device`: of the reference. False
// after an error.
bool wp_verify_reference(struct wp_device *device, const struct wp_description *description,
                         const float *from, float *to);

typedef void (*wp_verify_callback)(void *user, const struct wp_verify_row *row);

struct wp_verify_extent {
    int size[WP_DIMS_MAX]; // size along z 0 or 1: an image
    int levels, levels_z;
};

struct wp_verify_params {
    const struct wp_backend *backend;
    struct wp_device *device;         // of the backend
    const struct wp_variant *variant; // a variant that the device supports; NULL: the default
    const struct wp_wavelet *wavelet; // for the reference
    const struct wp_wavelet *tested;  // for the backend; NULL: the same. Only tests set it
    unsigned kinds;    // bit k for wp_scheme_kinds[k]; 0: all schemes of images or volumes
    unsigned borders;  // bit b for border b; 0: those that backends compute
    bool adjoint;      // of these borders
    bool one_form;     // only the optimized form
    enum wp_norm norm;
    enum wp_precision precision; // the backend's
    enum wp_decomposition decomposition;
    enum wp_bank bank; // redundant ones have no adjoints but those of native borders, and no checks
                       // of one slice
    int start_level; // of redundant banks
    bool reversible; // only plain separable lifting; `plane` contains integers
    struct wp_verify_extent extent; // of the image; fewer levels if they do not fit
    const float *plane; // samples, which must be finite
};

// The size and levels that are verified for a border mode: for periodic borders the largest part of
// the image, from the top left corner, whose sides every level can halve. Other borders have the
// size and the levels of symmetric ones. For redundant banks that is so for all borders.
struct wp_verify_extent wp_verify_extent(const struct wp_verify_extent *extent,
                                         enum wp_border border);

// Calls `row` for every combination of scheme, border, form and check, nested in this order, and
// for a schemeless backend of border and check. False after an error if a transform could not run
// (schedule.h, backend.h); failed checks are reported only in the rows.
bool wp_verify(const struct wp_verify_params *params, wp_verify_callback row, void *user);

#endif
