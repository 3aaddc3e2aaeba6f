// A reconstruction of the program: input from files, options, measured quality, and output.
#ifndef WP_RECONSTRUCTION_H
#define WP_RECONSTRUCTION_H

#include "kspace.h"
#include "image.h"
#include "wavepass_reconstruct.h"

#include <stdbool.h>

struct wp_curve_point {
    int iteration; // from 1
    double residual, seconds;
    double psnr, ssim; // NaN if not measured
};

struct wp_curve {
    int count, capacity;
    struct wp_curve_point *point;
};

void wp_curve_add(struct wp_curve *curve, const struct wp_curve_point *point);
void wp_curve_free(struct wp_curve *curve);

// Weights and penalties of a reconstruction; 0: the default, which for gamma is 100 times wav.
struct wp_weights {
    double tv, wav; // for a peak of 1; if both are 0: 1 and 0.1
    double mu, lambda, gamma;
};

// Members that are 0 or NULL have their default.
struct wp_reconstruction_options {
    const char *mask, *maps, *truth; // files
    const char *wavelet, *backend;
    struct wp_weights weights;
    double sigma, peak;
    int levels, outer, inner, iterations, seed, threads;
    bool spin, exact, centred;
};

struct wp_reconstruction {
    struct wp_reconstruction_options options; // with defaults set, except for gamma and peak
    struct wp_complex_array *kspace, *maps, *image;
    struct wp_mask *mask;
    struct wp_image *truth, *magnitude; // divided by the peak; truth is NULL without reference
                                        // image
    struct wp_cartesian *model;
    struct wp_reconstruct *reconstruct;
    struct wp_curve curve;
    double peak, psnr, ssim; // psnr, ssim: of the latest measurement, or NaN
};

// Call these in this order, each once. False after an error; call wp_reconstruction_free() in any
// case. begin() only checks the options.
bool wp_reconstruction_begin(struct wp_reconstruction *r,
                             const struct wp_reconstruction_options *options);
bool wp_reconstruction_read(struct wp_reconstruction *r, const char *kspace);
// Creates the model, and sets `magnitude` to the magnitude of the zero-filled image.
bool wp_reconstruction_prepare(struct wp_reconstruction *r);
// Creates the solver, with a callback after `report` iterations (0: the backend's default). Another
// call, after a change of the options, replaces the solver; if it fails, the old one is kept.
bool wp_reconstruction_create(struct wp_reconstruction *r, int report);
void wp_reconstruction_free(struct wp_reconstruction *r);

// The number of iterations to run, and whether they ran or sigma was reached.
int wp_reconstruction_most(const struct wp_reconstruction *r);
bool wp_reconstruction_is_finished(const struct wp_reconstruction *r);

// Copies the solver's image to `image` and `magnitude`.
bool wp_reconstruction_fetch(struct wp_reconstruction *r);
// Measures PSNR, and SSIM if `with_ssim`, which takes longer than an iteration. Does nothing
// without reference image.
bool wp_reconstruction_measure(struct wp_reconstruction *r, bool with_ssim);
// Measures, with SSIM also after each outer iteration, and adds a point to the curve.
bool wp_reconstruction_record(struct wp_reconstruction *r, bool with_ssim);

struct wp_reconstruction_output {
    const char *path;
    bool magnitude;                     // write absolute values also to .npy
    bool overwrite;
    int slice;                          // slice of a volume to write to .png; -1: the middle one
    const struct wp_geometry *geometry; // or NULL
};

// Writes the image of the latest fetch: complex numbers or the magnitude, according to the suffix;
// .png files are divided by the peak. False after an error.
bool wp_reconstruction_check_output(const struct wp_reconstruction_output *output, int depth);
bool wp_reconstruction_write(struct wp_reconstruction *r,
                             const struct wp_reconstruction_output *output);

// Whether two sizes are equal.
bool wp_volume_size_equals(const int a[3], const int b[3]);
// Reports "NAME is 224x192, and the k-space 128x128". Always returns false.
bool wp_volume_size_fail(const char *name, const int size[3], const int of_kspace[3]);

#endif
