// Coefficients with an array for each subband, in NumPy's archives (.npz).
//
// Arrays are called LL3 HL3 LH3 HH3 HL2 …, those of volumes as in operand.h; or, in PyWavelets' words
// and with its signs, cA3 cH3 cV3 cD3 cH2 …. Of several planes they have an axis more, the first
// one; alpha is an array of its own. The description is the text in an array of bytes, "wavepass",
// so that it stays with the others where somebody loads all of them and saves them again.
#ifndef WP_SUBBANDS_H
#define WP_SUBBANDS_H

#include "image.h"
#include "sidecar.h"

// False after WP_ERROR_USAGE where such an archive has no room for these coefficients: groups of
// slices; under PyWavelets' names volumes, other borders than periodic, other norms than
// orthonormal, integers, a side of one sample, or a wavelet that PyWavelets does not have.
bool wp_subbands_check(const struct wp_sidecar *sidecar);

// PyWavelets' name of a wavelet, or NULL; it ends where the aliases do or at a space.
const char *wp_subbands_pywt_name(const struct wp_wavelet *wavelet);

// Writes all of them, with the description. False after an error, wp_subbands_check()'s too.
bool wp_subbands_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                       const char *path, bool overwrite);

// Reads them into the layout that is described. Of images that are not described the arrays tell
// planes, sizes and levels, and these and the naming alone are in the sidecar then; the layout is
// Mallat's, and PyWavelets' names want to know the wavelet. NULL after an error.
struct wp_image *wp_subbands_read(const char *path, const char *wavelet,
                                  struct wp_sidecar *sidecar, bool *described);

#endif
