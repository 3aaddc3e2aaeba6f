// Coefficient files: the values, and beside them what `inverse` needs to know (sidecar.h); or both
// in one, an array a subband (subbands.h).
#ifndef WP_COEFFICIENTS_H
#define WP_COEFFICIENTS_H

#include "image.h"
#include "sidecar.h"
#include "slices.h"

// False after an error where the files could not be written, as far as can be told beforehand.
bool wp_coefficients_write_check(const char *path, int planes, int depth, bool overwrite);

// Writes COEFFS and COEFFS.json, which says by a hash what samples it is of. Both appear, the
// description first, or none; what is seen or left in between is refused by those who read. "-"
// writes the values to stdout, and no description. How many planes and slices there are, whether a
// plane is alpha, the bits of the source and the geometry are taken from the image. False after
// WP_ERROR_FILE. A .tiff is one of tiles where the sidecar tells of them (tile_store.h).
bool wp_coefficients_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                           const char *path, bool overwrite);

// Whether the description beside a file says that it has pages of tiles.
bool wp_coefficients_in_tiles(const char *path);

// The same for what comes slice after slice, of which the sidecar says how many there were: first
// the output, and then, when all were written to it, both files.
struct wp_slices_output *wp_coefficients_create(const char *path,
                                                const struct wp_slices_info *info, bool overwrite);
bool wp_coefficients_commit(struct wp_slices_output **output, const struct wp_slices_info *info,
                            const struct wp_sidecar *sidecar, const char *path, bool overwrite);

struct wp_coefficients_params {
    struct wp_read_params read;
    int gop;      // where there is no description: slices of a group; 0: all of them
    bool changed; // the samples need not be those that were described
    const char *wavelet; // NULL, or what subbands without a description are of
};

// Reads coefficients as wp_image_read_with() does, or subbands as wp_subbands_read(), and before
// them their description, which must fit and tells volumes from images. `described` tells whether
// there is one; it says then whether a plane is alpha, the bits of the source and the geometry.
// NULL after an error.
struct wp_image *wp_coefficients_read(const char *path, const struct wp_coefficients_params *params,
                                      struct wp_sidecar *sidecar, bool *described,
                                      size_t *nonfinite);

// The same, and where they are in groups of slices, and come one after another, `*slices` of them
// as wp_slices_open() has it. False after an error.
bool wp_coefficients_open(const char *path, const struct wp_coefficients_params *params,
                          struct wp_sidecar *sidecar, bool *described, struct wp_slices **slices,
                          struct wp_image **image, size_t *nonfinite);

// To be asked when all slices were read, before anything that was made of them is kept: whether
// they are those that were described. False after WP_ERROR_FILE.
bool wp_coefficients_check_slices(const char *path, const struct wp_coefficients_params *params,
                                  const struct wp_sidecar *sidecar, const struct wp_slices *slices);

#endif
