// wavepass: images and volumes from fewer measurements than they have samples, by Split Bregman.
//
// The public interface of libwavepass-reconstruct, a library beside libwavepass. It looks for the
// image u that makes
//
//     tv |grad u| + wav |W u|      least      where      |K u - f| < sigma,
//
// with f what was measured, K how it was (a model), W a wavelet transform of libwavepass. 16 outer
// loops of 32 inner ones by default:
//
//     struct wp_cartesian *k = wp_cartesian_create(size, mask, NULL, 1, 0);
//     const struct wp_reconstruct_params p =
//         WP_RECONSTRUCT_PARAMS(.width = 256, .height = 256, .tv = 1, .wav = 0.1);
//     struct wp_reconstruct *r = wp_reconstruct_create(&p, wp_cartesian_model(k), kspace);
//     if (r && wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, image))
//         ...
//     wp_reconstruct_destroy(&r);
//     wp_cartesian_destroy(&k);
//
// Complex numbers are pairs of floats, real and imaginary part. Arrays have x fastest, then y, z,
// and coils; zero frequency is at index 0. Failures are told as libwavepass tells them. One thread
// at a time uses an object; different ones may be used at once.
#ifndef WAVEPASS_RECONSTRUCT_H
#define WAVEPASS_RECONSTRUCT_H

#include "wavepass_log.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// How data come from an image. The functions must be linear, and each the other's adjoint:
// <K u, f> = <u, K'f>. They return false after a message, which ends the run.
struct wp_reconstruct_model {
    void *user;
    size_t values; // complex numbers of the data
    bool (*forward)(void *user, const float *image, float *data); // data = K image
    bool (*adjoint)(void *user, const float *data, float *image); // image = K'data
    // F K'K F', with F the unitary Fourier transform, where it is diagonal in k-space: a value of
    // 0 or more for every sample. Else about that, to precondition with. It is read as long as a
    // reconstruction lives.
    const float *diagonal;
    bool diagonalises; // K'K is F' diagonal F: a solve is one division between two transforms
    // The same functions on memory of a CUDA device: they put work into the stream, a cudaStream_t,
    // and return. NULL: backend "cuda" takes the model only where it diagonalises.
    bool (*forward_cuda)(void *user, const float *image, float *data, void *stream);
    bool (*adjoint_cuda)(void *user, const float *data, float *image, void *stream);
};

struct wp_reconstruct_params {
    size_t struct_size;      // sizeof(struct wp_reconstruct_params), so that it can grow
    int width, height;       // of the image
    int depth;               // slices; 0: 1
    double tv, wav;          // weights of total variation and wavelet, for images of a peak about
                             // 1; one of them above 0
    double mu, lambda, gamma; // penalties of the data, of tv and wav; 0: 100, 100 and 100 * wav
    const char *wavelet;     // as libwavepass names them, or the path of a file; NULL: "haar"
    int levels;              // along every axis; 0: 4. The wavelet sees zeros beyond the image, up
                             // to multiples of 2^levels.
    int outer, inner;        // loops; 0: 16 and 32
    double sigma;            // ends the outer loops once |K u - f| is below; 0: never
    bool spin;               // each iteration's wavelet sees the image shifted at random, periodic
    unsigned long long seed; // of these shifts
    bool exact;              // for wavelets that are not orthonormal: solves with W'W as it is, by
                             // a preconditioned step of conjugate gradients each. Else they keep w
                             // as an image, which is faster and about as good, but not the least
                             // of the sum above.
    int threads;             // 0: one a processor
    const char *backend;     // "cpu" (default), "cuda" with cuFFT, or "compute", OpenGL's
                             // shaders, in a context that its calls leave current; of models that
                             // do not diagonalise that takes wp_cartesian's alone
    int report;              // iterations from one callback to the next, which ends with an outer
                             // loop at the latest; 0: what suits the backend, 1 or all of those
};

// With the members that are named, as WP_TRANSFORM_PARAMS of wavepass.h.
#define WP_RECONSTRUCT_PARAMS(...) \
    {.struct_size = sizeof(struct wp_reconstruct_params), __VA_ARGS__}

struct wp_reconstruct_info {
    int iterations;     // that were done
    int most;           // outer * inner
    bool finished;      // all of them were, or sigma was reached
    bool reached_sigma;
    double residual;    // |K u - f| of the latest; of none |f|
    double seconds;     // of all of them, without what a callback took
    double transform_seconds; // of these, in Fourier transforms; 0 where nothing measures them
    int padded[3];      // what the wavelet sees; the image's size where nothing is added
    double bytes;       // that an iteration moves at least between its Fourier transforms
    int transforms;     // Fourier transforms of an iteration, without the model functions'
    const char *backend;
    const char *form;   // "coefficients", "image" or "exact": how w is kept; "none" without wavelet
};

struct wp_reconstruct;

// After `report` iterations. False ends the run behind it, and it can go on later.
typedef bool (*wp_reconstruct_callback)(void *user, struct wp_reconstruct *reconstruct);

// `data`, model->values complex numbers, and the model are read as long as it lives. NULL where the
// parameters make no sense, a wavelet is not known, data are not finite, or memory is short.
WP_API struct wp_reconstruct *wp_reconstruct_create(const struct wp_reconstruct_params *params,
                                                    const struct wp_reconstruct_model *model,
                                                    const float *data);
WP_API void wp_reconstruct_destroy(struct wp_reconstruct **reconstruct); // NULL too, clears it

// Before the first iteration: it begins with this image, width * height * depth complex numbers, and
// not with zeros. What another one came to, with other weights, is a good one. False after
// WP_ERROR_USAGE behind the first iteration, or where memory is short.
WP_API bool wp_reconstruct_start(struct wp_reconstruct *reconstruct, const float *image);

// All iterations that are left. `callback` may be NULL.
WP_API bool wp_reconstruct_run(struct wp_reconstruct *reconstruct,
                               wp_reconstruct_callback callback, void *user);

// Valid until the next call for this object.
WP_API const struct wp_reconstruct_info *
wp_reconstruct_get_info(struct wp_reconstruct *reconstruct);

// What the latest iteration came to. From a callback, too.
WP_API bool wp_reconstruct_image(struct wp_reconstruct *reconstruct, float *image);

// What it takes to go on as if nothing had been between: bytes of this machine, for an object that
// was created with the same parameters, model and data.
WP_API size_t wp_reconstruct_state_size(const struct wp_reconstruct *reconstruct);
WP_API void wp_reconstruct_save(const struct wp_reconstruct *reconstruct, void *state);
// False after WP_ERROR_USAGE where the state is of another size or of other parameters.
WP_API bool wp_reconstruct_resume(struct wp_reconstruct *reconstruct, const void *state,
                                  size_t size);

// Cartesian k-space: of each coil the unitary Fourier transform of the image times its
// sensitivity, where the mask is not 0. `mask` has width * height * depth values, `maps` as many
// complex ones for each coil, or is NULL for one coil that sees all alike. Both are copied. NULL
// after an error.
struct wp_cartesian;
WP_API struct wp_cartesian *wp_cartesian_create(const int size[3], const unsigned char *mask,
                                                const float *maps, int coils, int threads);
WP_API void wp_cartesian_destroy(struct wp_cartesian **cartesian); // NULL too, clears it
WP_API const struct wp_reconstruct_model *wp_cartesian_model(const struct wp_cartesian *cartesian);

#ifdef __cplusplus
}
#endif

#endif
