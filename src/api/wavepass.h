// wavepass: two-dimensional discrete wavelet transforms as render passes.
//
// The public interface of libwavepass. A transform is made once for a size and a set of
// options and then run on any number of planes:
//
//     const struct wp_transform_params params = {.width = 640, .height = 480};
//     struct wp_transform *t = wp_transform_create(&params);
//     if (t && wp_transform_forward(t, image, coefficients))
//         ...
//     wp_transform_destroy(&t);
//
// Everything that is zero in the parameters takes its default. Functions that fail return
// NULL or false after one message to a handler; wavepass_log.h tells how to set it and which kinds
// of failure there are.
//
// A transform on the GPU keeps a GL context of its own, which its functions make current in
// the calling thread and leave current: a program with its own context makes that current
// again afterwards. A transform may be used by one thread at a time.
#ifndef WAVEPASS_H
#define WAVEPASS_H

#include "wavepass_log.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The one place that has it: the build reads it here.
#define WAVEPASS_VERSION "0.1.0"

enum { WP_LEVELS_MOST = -1 };

struct wp_transform_params {
    int width, height;   // of the planes, in pixels; at least 1
    int planes;          // that each call transforms, 3 of an RGB image; 0: one
    const char *wavelet; // a name ("cdf97", the default) or the path of a wavelet file
    const char *scheme;  // "nonsep-polyconvolution" (default), "sep-lifting", …
    bool plain;          // without the optimisation of Barina et al. 2017, section 5
    const char *border;  // "symmetric" (default), "periodic"
    const char *norm;    // "jpeg2000" (default), "orthonormal", "none"
    const char *layout;  // "mallat" (default), "mixed"
    const char *precision; // "f32" (default), "f16": what samples are kept in; f16 has 11 bits and
                           // up to 65504, and only the backend "fragment" can
    const char *backend; // "auto" (default), "fragment", "compute", "cuda", "cpu", "reference"
    const char *variant; // one of the backend's ways to compute; its own choice by default
    int device;          // 0: any; else 1 + the number that `wavepass info` shows
    int levels;          // 0: 3 or as many as fit; WP_LEVELS_MOST; else just as many
};

// What a transform turned out to be. Strings live as long as the transform.
struct wp_transform_info {
    const char *name;    // "cdf97/nonsep-polyconvolution/optimized"
    const char *note;    // NULL, or what a reader should know of this combination
    int levels;
    int steps;                   // passes of a level
    double operations, fetches;  // of one level and quad: multiply-adds, reads. Of the scheme
                                 // before a run, then of the variant that was taken
    const char *backend; // "fragment"
    const char *variant; // "hybrid"; NULL where the backend has one way only, or before a run
    const char *device;  // "NVIDIA H200"
    bool software;       // a GPU interface without a GPU behind it
    const char *reason;  // `auto`: why backends before this one were passed over, or ""
    int planes_at_once;  // by the latest run: how many went through every draw or dispatch, all
                         // or one after the other; 0 before the first
    double seconds;      // of the latest run, all planes, without transfers; 0 before the first
};

struct wp_transform;

// NULL where a name, a size or the number of levels is wrong, a wavelet file cannot be read,
// or the backend is not available.
WP_API struct wp_transform *wp_transform_create(const struct wp_transform_params *params);
// Accepts NULL, clears the pointer.
WP_API void wp_transform_destroy(struct wp_transform **transform);

// The result is valid until the next call for this transform.
WP_API const struct wp_transform_info *wp_transform_get_info(struct wp_transform *transform);

// Planes are width*height floats, row 0 at the top, without padding between rows; where the
// parameters say that there are several, one behind the other. Input and output may be the same
// memory. Errors of float32 stay below 1e-5 for data in 0..1 and norm
// jpeg2000.
WP_API bool wp_transform_forward(struct wp_transform *transform, const float *planes,
                                 float *coefficients);
WP_API bool wp_transform_inverse(struct wp_transform *transform, const float *coefficients,
                                 float *planes);

// Gives back the memory for planes; the next run takes it anew. What was compiled stays.
WP_API void wp_transform_rest(struct wp_transform *transform);

#ifdef __cplusplus
}
#endif

#endif
