// Volumes that are read and written slice by slice, for volumes larger than memory.
#ifndef WP_SLICES_H
#define WP_SLICES_H

#include "image.h"

// Members as in struct wp_image, for one plane.
struct wp_slices_info {
    int width, height;
    int depth; // 0: unknown before the end
    struct wp_origin origin;
    struct wp_geometry geometry;
};

struct wp_slices;

// Opens a file that wp_image_read_with() reads. Sets `*slices` if its slices can be read in order
// (Y4M, videos, image sequences, raw, NIfTI, TIFF of upright pages with one plane, NPY in C order);
// otherwise reads it to `*image` and counts `*nonfinite`. False after the same errors.
bool wp_slices_open(const char *path, const struct wp_read_params *params,
                    struct wp_slices **slices, struct wp_image **image, size_t *nonfinite);
void wp_slices_close(struct wp_slices **slices); // accepts NULL, clears the pointer

const struct wp_slices_info *wp_slices_info(const struct wp_slices *slices);
const char *wp_slices_name(const struct wp_slices *slices); // of its file, for messages

// Reads the next `count` slices; `*got` is less only at the end. False after WP_ERROR_FILE.
bool wp_slices_read(struct wp_slices *slices, float *to, int count, int *got);

// Call this before the first slice; wp_slices_hash() is then wp_image_hash() of all slices so far.
void wp_slices_keep_hash(struct wp_slices *slices);
unsigned long long wp_slices_hash(const struct wp_slices *slices);

struct wp_slices_output;
struct wp_output;

// True if the file can be written by slices: .npy, .nii or, for pictures, .y4m, new or a regular
// file; or an image sequence, "frame-%04d.png".
bool wp_slices_can_write(const char *path, enum wp_content content);

// Like wp_image_write(), slice by slice. The depth may be unknown. NULL after WP_ERROR_FILE or
// WP_ERROR_USAGE.
struct wp_slices_output *wp_slices_create(const char *path, const struct wp_slices_info *info,
                                          const struct wp_write_params *params);
// Writes the next `count` slices. False after WP_ERROR_FILE.
bool wp_slices_write(struct wp_slices_output *output, const float *from, int count);
// wp_image_hash() of all slices so far; only for coefficients.
unsigned long long wp_slices_written(const struct wp_slices_output *output);
// Ends the file with the number of slices that were written, commits `*first` immediately before it
// unless `first` is NULL (output.h), and frees the output. False after WP_ERROR_FILE.
bool wp_slices_commit(struct wp_slices_output **output, struct wp_output **first);
void wp_slices_discard(struct wp_slices_output **output); // accepts NULL, clears the pointer

#endif
