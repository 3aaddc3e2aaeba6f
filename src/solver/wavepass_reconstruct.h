/// @file
/// Compressed-sensing reconstruction of images and volumes with the split Bregman method: the
/// interface of libwavepass-reconstruct, which requires libwavepass. It computes the image u that
/// minimizes
///
///     tv * ||grad u||_1 + wav * ||W u||_1      subject to      ||K u - f||_2 < sigma
///
/// for data f, a linear model K of the measurement and a wavelet transform W of libwavepass. By
/// default there are 16 outer iterations of 32 inner ones:
///
///     struct wp_cartesian *k = wp_cartesian_create(size, mask, NULL, 1, 0);
///     const struct wp_reconstruct_params p =
///         WP_RECONSTRUCT_PARAMS(.width = 256, .height = 256, .tv = 1, .wav = 0.1);
///     struct wp_reconstruct *r = wp_reconstruct_create(&p, wp_cartesian_model(k), kspace);
///     if (r && wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, image))
///         ...
///     wp_reconstruct_destroy(&r);
///     wp_cartesian_destroy(&k);
///
/// Complex numbers are pairs of floats, real and imaginary part. In arrays x varies fastest, then
/// y, z, and coils; DC is at index 0. Errors are reported as in wavepass_log.h. An object may be
/// used by one thread at a time, and different objects at the same time.
#ifndef WAVEPASS_RECONSTRUCT_H
#define WAVEPASS_RECONSTRUCT_H

#include "wavepass_log.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A model of the measurement. The functions must be linear and adjoint to each other: <K u, f> =
/// <u, K' f>. A function that returns false, after wp_fail(), ends the run.
struct wp_reconstruct_model {
    void *user;    ///< passed to the functions
    size_t values; ///< complex numbers in the data
    bool (*forward)(void *user, const float *image, float *data); ///< data = K image
    bool (*adjoint)(void *user, const float *data, float *image); ///< image = K' data
    /// F K' K F', where F is the unitary Fourier transform, if that is diagonal in k-space: a value
    /// of 0 or more per sample. Otherwise an approximation, for preconditioning. It must outlive
    /// the reconstruction.
    const float *diagonal;
    bool diagonalises; ///< K' K is F' diagonal F, so that a solve is a division between two
                       ///< transforms
    /// `forward` for CUDA memory: enqueues work in the stream, a cudaStream_t, and returns. NULL:
    /// the backend "cuda" supports the model only if it diagonalises.
    bool (*forward_cuda)(void *user, const float *image, float *data, void *stream);
    /// `adjoint` for CUDA memory; the same applies as for `forward_cuda`.
    bool (*adjoint_cuda)(void *user, const float *data, float *image, void *stream);
};

/// Parameters of a reconstruction. Members that are 0 or NULL have their default; initialize the
/// others with WP_RECONSTRUCT_PARAMS().
struct wp_reconstruct_params {
    size_t struct_size;  ///< sizeof(struct wp_reconstruct_params), so that the struct can grow
    int width;           ///< of the image, in samples
    int height;          ///< of the image, in samples
    int depth;           ///< slices; 0: 1
    double tv;           ///< weight of the total variation, for images with a peak of about 1
    double wav;          ///< weight of the wavelet coefficients; `tv` or `wav` must be above 0
    double mu;           ///< penalty parameter of the data; 0: 100
    double lambda;       ///< penalty parameter of the total variation; 0: 100
    double gamma;        ///< penalty parameter of the wavelet coefficients; 0: 100 * wav
    const char *wavelet; ///< a name of libwavepass, or the path of a wavelet file; NULL: "haar"
    int levels;          ///< on each axis; 0: 4. The image is zero-padded to multiples of 2^levels
                         ///< for the wavelet transform.
    int outer;           ///< outer iterations; 0: 16
    int inner;           ///< inner iterations per outer one; 0: 32
    double sigma;        ///< stops the outer iterations once ||K u - f||_2 is below; 0: never
    bool spin;           ///< cycle spinning: each iteration shifts the image by a random periodic
                         ///< offset
    unsigned long long seed; ///< seed of the offsets
    bool exact;          ///< for wavelets that are not orthonormal: solve with W' W, by one
                         ///< preconditioned conjugate gradient step per iteration. By default w is
                         ///< stored as an image, which is faster and about as good, but not the
                         ///< exact minimum.
    int threads;         ///< 0: one per processor
    const char *backend; ///< "cpu" (default), "cuda" (cuFFT), or "compute" (OpenGL compute shaders,
                         ///< in a context of its own; each call restores the current one).
                         ///< "compute" supports models that do not diagonalise only from
                         ///< wp_cartesian.
    int report;          ///< iterations between callbacks, which also run after each outer
                         ///< iteration; 0: chosen by the backend, 1 or a whole outer iteration
};

/// Parameters with the given members, like WP_TRANSFORM_PARAMS().
#define WP_RECONSTRUCT_PARAMS(...) \
    {.struct_size = sizeof(struct wp_reconstruct_params), __VA_ARGS__}

/// Facts about a reconstruction.
struct wp_reconstruct_info {
    int iterations;     ///< inner iterations so far
    int most;           ///< outer * inner
    bool finished;      ///< all iterations ran, or sigma was reached
    bool reached_sigma; ///< the residual is below sigma
    double residual;    ///< ||K u - f||_2 of the latest iteration; ||f||_2 before the first
    double seconds;     ///< of all iterations, without callbacks
    double transform_seconds; ///< of these in Fourier transforms; 0 if not measured
    int padded[3];      ///< size of the zero-padded image for the wavelet
    double bytes;       ///< minimum memory traffic per iteration, without Fourier transforms
    int transforms;     ///< Fourier transforms per iteration, without those of the model's
                        ///< functions
    const char *backend; ///< "cpu", "cuda" or "compute"
    const char *form;   ///< how w is stored: "coefficients", "image" or "exact"; "none" without
                        ///< wavelet
};

struct wp_reconstruct; ///< opaque

/// Called after wp_reconstruct_params.report iterations. False stops the run, which can be
/// continued.
typedef bool (*wp_reconstruct_callback)(void *user, struct wp_reconstruct *reconstruct);

/// Creates a reconstruction. The model and `data`, model->values complex numbers, must outlive it.
/// NULL if a parameter is invalid, the wavelet is unknown, the data are not finite, or memory is
/// exhausted.
WP_API struct wp_reconstruct *wp_reconstruct_create(const struct wp_reconstruct_params *params,
                                                    const struct wp_reconstruct_model *model,
                                                    const float *data);
/// Destroys a reconstruction and sets the pointer to NULL; accepts NULL.
WP_API void wp_reconstruct_destroy(struct wp_reconstruct **reconstruct);

/// Sets the initial image, width * height * depth complex numbers, instead of zeros; for example
/// the result for other weights. Only before the first iteration: otherwise WP_ERROR_USAGE.
WP_API bool wp_reconstruct_start(struct wp_reconstruct *reconstruct, const float *image);

/// Runs the remaining iterations. `callback` may be NULL.
WP_API bool wp_reconstruct_run(struct wp_reconstruct *reconstruct,
                               wp_reconstruct_callback callback, void *user);

/// Facts about a reconstruction, valid until the next call for it.
WP_API const struct wp_reconstruct_info *
wp_reconstruct_get_info(struct wp_reconstruct *reconstruct);

/// Copies the image after the latest iteration. May be called from a callback.
WP_API bool wp_reconstruct_image(struct wp_reconstruct *reconstruct, float *image);

/// The size in bytes of a saved state. A state is valid on this machine, for an object created with
/// the same parameters, model and data; the run then continues as if it had not been interrupted.
WP_API size_t wp_reconstruct_state_size(const struct wp_reconstruct *reconstruct);
/// Saves the state.
WP_API void wp_reconstruct_save(const struct wp_reconstruct *reconstruct, void *state);
/// Restores a state. False after WP_ERROR_USAGE if its size or its parameters differ.
WP_API bool wp_reconstruct_resume(struct wp_reconstruct *reconstruct, const void *state,
                                  size_t size);

struct wp_cartesian; ///< opaque

/// Creates a model of Cartesian k-space: for each coil the unitary Fourier transform of the image
/// times the sensitivity of the coil, where the mask is not 0. `mask` has width * height * depth
/// values; `maps` has as many complex numbers per coil, or is NULL for one coil of uniform
/// sensitivity. Both are copied. `threads`: 0 for one per processor. NULL after an error.
WP_API struct wp_cartesian *wp_cartesian_create(const int size[3], const unsigned char *mask,
                                                const float *maps, int coils, int threads);
/// Destroys a model and sets the pointer to NULL; accepts NULL.
WP_API void wp_cartesian_destroy(struct wp_cartesian **cartesian);
/// The model, which lives as long as the object.
WP_API const struct wp_reconstruct_model *wp_cartesian_model(const struct wp_cartesian *cartesian);

#ifdef __cplusplus
}
#endif

#endif
