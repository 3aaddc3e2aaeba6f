// Coefficients with one array per subband, in an NPZ archive.
//
// Arrays are named LL3 HL3 LH3 HH3 HL2 …, those of volumes as in operand.h; or, with the names and
// signs of PyWavelets, cA3 cH3 cV3 cD3 cH2 …. Several planes are an additional first axis; alpha is
// a separate array. The metadata is the text in an array of bytes, "wavepass", so that it is kept
// if a program loads all arrays and saves them again.
#ifndef WP_SUBBANDS_H
#define WP_SUBBANDS_H

#include "image.h"
#include "sidecar.h"

// Checks whether an archive supports these coefficients. False after WP_ERROR_USAGE for groups of
// slices and, with PyWavelets' names, for volumes, borders other than periodic, norms other than
// orthonormal, integers, a width or height of 1, and wavelets that PyWavelets does not have.
bool wp_subbands_check(const struct wp_sidecar *sidecar);

// PyWavelets' name of a wavelet, which ends at a space or a null character; NULL if it has none.
const char *wp_subbands_pywt_name(const struct wp_wavelet *wavelet);

// Writes all subbands and the metadata. False after an error, also of wp_subbands_check().
bool wp_subbands_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                       const char *path, bool overwrite);

// Reads subbands to the layout in the metadata. Without metadata, planes, size and levels are
// inferred from the arrays (images only), and the sidecar has only these and the naming; the layout
// is Mallat's, and PyWavelets' names require `wavelet`. NULL after an error.
struct wp_image *wp_subbands_read(const char *path, const char *wavelet,
                                  struct wp_sidecar *sidecar, bool *has_metadata);

#endif
