// A backend against the reference: every scheme, form, border and direction of a wavelet.
//
// The reference is the double precision interpreter running plain separable lifting, so that
// a scheme's algebra is checked along with the backend. The tolerance is wp_verify_tolerance() for
// norm jpeg2000 and data in 0..1; it grows with the band's gain in other norms and with the largest
// magnitude of the data above 1. A volume's first slice is transformed as an image as well.
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
    WP_VERIFY_ONE_SLICE,  // of volumes alone: one slice against the image that it is, exactly
    WP_VERIFY_CHECK_COUNT
};

extern const char *const wp_verify_status_names[WP_VERIFY_STATUS_COUNT]; // "pass", "fail", "skip"
extern const char *const wp_verify_check_names[WP_VERIFY_CHECK_COUNT];   // "forward", …

struct wp_verify_row {
    const struct wp_scheme_kind *kind; // NULL: the backend is schemeless, this is for any
    enum wp_form form;                 // and then for any form
    enum wp_border border;
    enum wp_verify_check check;
    enum wp_verify_status status;
    const char *reason; // why it was skipped, during the call; else NULL
    // The rest is not set where it was skipped. The error is that of the worst place, where
    // error / tolerance is largest; infinite where the backend's value is not finite.
    double error, tolerance;
    struct wp_subband band; // of the coefficient in that place; without letters it is a sample
    int at[WP_DIMS_MAX];       // x, y, z in it
};

// How much worse than its tolerance an error is: above 1 it fails.
double wp_verify_excess(const struct wp_verify_row *row);

// What that allows schemes of volumes, of wavelets with two lifting pairs or more: passes that take
// all three axes before the next pair lose digits, most where they are not optimised.
enum { WP_VERIFY_LOST = 5, WP_VERIFY_LOST_PLAIN = 10 };

// Numbers of 16 bits around 1 are so many times as far from each other: significands of 11 bits.
enum { WP_VERIFY_HALF = 8192 };

// WP_WAVELET_EXACT, so many times that for schemes that lose digits, or where it is more
// wp_wavelet_error() of the axes that the scheme takes together, by what levels up to `level` of
// each axis make of it, in the inverse there and back. WP_VERIFY_HALF times that for 16 bits. Of
// reversible ones 0.5: integers are the same or are not.
double wp_verify_tolerance(const struct wp_description *description, int level);

// Compares results of a plan with the reference's and sets error, tolerance, place and status of
// the row. `scale`: the largest magnitude of the plan's image, at least 1. `kind` is NULL where the
// backend has none.
void wp_verify_judge(const struct wp_description *plan, double scale, const float *got,
                     const float *expected, struct wp_verify_row *row);

typedef void (*wp_verify_callback)(void *user, const struct wp_verify_row *row);

struct wp_verify_extent {
    int size[WP_DIMS_MAX]; // of z 0 or 1: an image
    int levels, levels_z;
};

struct wp_verify_params {
    const struct wp_backend *backend;
    struct wp_device *device;         // of the backend
    const struct wp_variant *variant; // of the backend, runs on the device; NULL: its own choice
    const struct wp_wavelet *wavelet; // of the reference
    const struct wp_wavelet *tested;  // of the backend; NULL: the same. For tests of this test
    unsigned kinds;    // bit k for wp_scheme_kinds[k]; 0 for all that images or volumes have
    enum wp_norm norm;
    enum wp_precision precision; // the backend's
    enum wp_decomposition decomposition;
    bool reversible; // in separable lifting alone, plain; `plane` holds integers
    struct wp_verify_extent whole; // as many levels at most; fewer where the size takes no more
    const float *plane; // finite
};

// The size and levels that are verified under a border: periodic ones take the largest part,
// from the top left corner, that every level can halve.
struct wp_verify_extent wp_verify_extent(const struct wp_verify_extent *whole,
                                         enum wp_border border);

// How many checks there are of such a size; those of images come first.
int wp_verify_checks(const int size[WP_DIMS_MAX]);

// Calls `row` for every combination of scheme, border, form and check, in this order, the last
// one fastest; for a schemeless backend of border and check. False after the errors of plan.h and
// backend.h where something could not be run at all; whether it passed is in the rows.
bool wp_verify(const struct wp_verify_params *params, wp_verify_callback row, void *user);

#endif
