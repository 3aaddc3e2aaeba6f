// A reconstruction as the program has it: from files, by options, with what is measured of it.
#ifndef WP_RECONSTRUCTION_H
#define WP_RECONSTRUCTION_H

#include "complex_array.h"
#include "curve.h"
#include "image.h"
#include "mask.h"
#include "wavepass_reconstruct.h"

#include <stdbool.h>

// Zeros and NULL stand for what is usual.
struct wp_reconstruction_options {
    const char *mask, *maps, *truth; // files
    const char *wavelet, *backend;
    double tv, wav; // for a peak of 1; where neither is given 1 and 0.1
    double mu, lambda, gamma, sigma, peak;
    int levels, outer, inner, iterations, seed, threads;
    bool spin, exact, centred;
};

struct wp_reconstruction {
    struct wp_reconstruction_options options; // what is usual filled in, but for gamma and peak
    struct wp_complex_array *kspace, *maps, *image;
    struct wp_mask *mask;
    struct wp_image *truth, *magnitude; // over the peak; truth NULL where none was given
    struct wp_cartesian *model;
    struct wp_reconstruct *reconstruct;
    struct wp_curve curve;
    double peak, psnr, ssim; // psnr, ssim: of the latest measurement, or NaN
};

// In this order, each once. False after an error; wp_reconstruction_free() is needed all the same.
// begin() looks at the options alone.
bool wp_reconstruction_begin(struct wp_reconstruction *r,
                             const struct wp_reconstruction_options *options);
bool wp_reconstruction_read(struct wp_reconstruction *r, const char *kspace);
// Behind it `magnitude` is that of the image without what was not measured.
bool wp_reconstruction_prepare(struct wp_reconstruction *r);
// Makes the solver, which tells after `report` iterations (0: as many as suit the backend). With
// other options it makes another one; where that fails the solver is the one that was there.
bool wp_reconstruction_create(struct wp_reconstruction *r, int report);
void wp_reconstruction_free(struct wp_reconstruction *r);

// Of all iterations, how many there are to be, and whether they were done or sigma was reached.
int wp_reconstruction_most(const struct wp_reconstruction *r);
bool wp_reconstruction_ended(const struct wp_reconstruction *r);

// Takes the solver's image into `image` and `magnitude`.
bool wp_reconstruction_fetch(struct wp_reconstruction *r);
// PSNR, and where `whole` SSIM, which takes longer than an iteration; nothing where there is no
// truth.
bool wp_reconstruction_measure(struct wp_reconstruction *r, bool whole);
// Measures, at the end of an outer loop as a whole, and adds a point to the curve.
bool wp_reconstruction_note(struct wp_reconstruction *r, bool whole);

struct wp_reconstruction_output {
    const char *path;
    bool magnitude;                     // absolute values in .npy, too
    bool overwrite;
    int slice;                          // of a volume in a .png; -1: the middle one
    const struct wp_geometry *geometry; // or NULL
};

// By the suffix: complex numbers, or the magnitude; in a .png over the peak. Of the image as it was
// fetched last. False after an error.
bool wp_reconstruction_check_output(const struct wp_reconstruction_output *output, int depth);
bool wp_reconstruction_write(struct wp_reconstruction *r,
                             const struct wp_reconstruction_output *output);

// "224x192", or "128x128x128".
const char *wp_volume_size_text(const int size[3], char text[48]);
bool wp_volume_size_is(const int a[3], const int b[3]);
// "WHAT is 224x192, and the k-space 128x128": always false.
bool wp_volume_size_fail(const char *what, const int size[3], const int of_kspace[3]);

#endif
