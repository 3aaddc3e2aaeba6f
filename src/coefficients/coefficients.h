// Files of coefficients with the metadata that the inverse transform needs, in a separate file
// (sidecar.h) or in an archive with one array per subband (subbands.c).
#ifndef WP_COEFFICIENTS_H
#define WP_COEFFICIENTS_H

#include "image.h"
#include "rows.h"
#include "sidecar.h"
#include "slices.h"
#include "tile_store.h"

struct wp_lines;

// Checks whether the files could be written. False after an error.
bool wp_coefficients_write_check(const char *path, int planes, int depth, bool overwrite);

// Writes COEFFS and its metadata COEFFS.json, which has a hash of the samples. Either both files
// appear, the metadata first, or none; readers reject pairs that do not match. "-" writes the
// values to stdout, without metadata. Planes, slices, alpha, origin and geometry are those of the
// image. If the sidecar has a tile size, a .tiff has tiles (tile_store.h). False after
// WP_ERROR_FILE.
bool wp_coefficients_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                           const char *path, bool overwrite);

// Writes coefficients of an array, whose shape and type are in the sidecar, and their metadata,
// likewise.
bool wp_coefficients_write_array(const void *coefficients, const struct wp_sidecar *sidecar,
                                 const char *path, bool overwrite);
// The hash in their metadata, of all samples in the order of the file, f32 or f64.
unsigned long long wp_coefficients_hash_array(const void *samples, enum wp_element type,
                                              size_t count);

// True if the metadata of a file says that it has pages of tiles.
bool wp_coefficients_in_tiles(const char *path);

// Writing by slices: create the output, write all slices to it, and commit both files; `sidecar`
// has the number of slices.
struct wp_slices_output *wp_coefficients_create(const char *path,
                                                const struct wp_slices_info *info, bool overwrite);
bool wp_coefficients_commit(struct wp_slices_output **output, const struct wp_slices_info *info,
                            const struct wp_sidecar *sidecar, const char *path, bool overwrite);

struct wp_coefficients_params {
    struct wp_read_params read;
    int gop;      // slices per group if there is no metadata; 0: all
    bool changed; // do not compare the samples with the hash in the metadata
    const char *wavelet; // wavelet of subbands without metadata; NULL: not given
};

// Reads coefficients with wp_image_read_with() or wp_subbands_read(). The metadata is read first:
// it must match the file, and says whether that is a volume. `*has_metadata` is set if there is
// metadata; alpha, origin and geometry are then taken from it. NULL after an error.
struct wp_image *wp_coefficients_read(const char *path, const struct wp_coefficients_params *params,
                                      struct wp_sidecar *sidecar, bool *has_metadata,
                                      size_t *nonfinite);

// Like wp_coefficients_read(), but if the coefficients are in groups of slices and can be read by
// slices, sets `*slices` as wp_slices_open() does. False after an error.
bool wp_coefficients_open(const char *path, const struct wp_coefficients_params *params,
                          struct wp_sidecar *sidecar, bool *has_metadata, struct wp_slices **slices,
                          struct wp_image **image, size_t *nonfinite);

// Compares the hash of all slices with the metadata. Call it after reading the last slice and
// before committing results. False after WP_ERROR_FILE.
bool wp_coefficients_check_slices(const char *path, const struct wp_coefficients_params *params,
                                  const struct wp_sidecar *sidecar, const struct wp_slices *slices);

// ---- rows in order: of an image, or of the array of coefficients in the Mallat layout, whatever
// the layout of the file ----

// Opens a file; with `has_metadata`, its metadata is read if it exists. If the file cannot be read
// by rows, `*lines` is NULL and `*why` is the reason. False after an error.
bool wp_lines_open(const char *path, const struct wp_read_params *params, bool has_metadata,
                   struct wp_lines **lines, const char **why);
void wp_lines_close(struct wp_lines **lines); // accepts NULL, clears the pointer

const struct wp_rows_info *wp_lines_info(const struct wp_lines *lines);
const struct wp_sidecar *wp_lines_sidecar(const struct wp_lines *lines); // NULL: no metadata
size_t wp_lines_memory(const struct wp_lines *lines);

// Reads the next row, plane by plane. After the last row, checks that the file was not changed
// while it was read and, unless `changed`, that it matches its metadata. False after WP_ERROR_FILE.
bool wp_lines_read(struct wp_lines *lines, bool changed, float *to);

// ---- one array per subband, in an NPZ archive (subbands.c) ----

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
