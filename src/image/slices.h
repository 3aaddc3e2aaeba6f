// Volumes that are read and written slice after slice, so that memory need not hold them.
#ifndef WP_SLICES_H
#define WP_SLICES_H

#include "image.h"

// One plane, as the members of struct wp_image.
struct wp_slices_info {
    int width, height;
    int depth; // 0: only the end will tell
    struct wp_origin origin;
    struct wp_geometry geometry;
};

struct wp_slices;

// Opens what wp_image_read_with() reads. Where its slices come one after another (Y4M, videos,
// numbered frames, raw, NIfTI, TIFF of upright pages of one plane, NPY in C order), `*slices` gets
// them; else `*image` gets it whole, and `nonfinite` what it counts. False after its errors.
bool wp_slices_open(const char *path, const struct wp_read_params *params,
                    struct wp_slices **slices, struct wp_image **image, size_t *nonfinite);
void wp_slices_close(struct wp_slices **slices); // accepts NULL, clears the pointer

const struct wp_slices_info *wp_slices_info(const struct wp_slices *slices);
const char *wp_slices_name(const struct wp_slices *slices); // of its file, for messages

// The next `count` slices, or as many as are left, which `got` tells. False after WP_ERROR_FILE.
bool wp_slices_read(struct wp_slices *slices, float *to, int count, int *got);

// From the first slice on, wp_slices_hash() is what wp_image_hash() says of all that were read.
void wp_slices_keep_hash(struct wp_slices *slices);
unsigned long long wp_slices_hash(const struct wp_slices *slices);

struct wp_slices_output;
struct wp_output;

// Whether a file of that name can be written so: a new or regular one, .npy, .nii, or of pictures
// .y4m; or numbered ones of a slice each, "frame-%04d.png".
bool wp_slices_can_write(const char *path, enum wp_content content);

// As wp_image_write(), in parts. The depth need not be known. NULL after WP_ERROR_FILE or
// WP_ERROR_USAGE.
struct wp_slices_output *wp_slices_create(const char *path, const struct wp_slices_info *info,
                                          const struct wp_write_params *params);
// False after WP_ERROR_FILE.
bool wp_slices_write(struct wp_slices_output *output, const float *from, int count);
// What wp_image_hash() says of all slices so far; of coefficients alone.
unsigned long long wp_slices_written(const struct wp_slices_output *output);
// The file appears, with as many slices as were written, and right before it `*first`, where that is
// not NULL (output.h). False after WP_ERROR_FILE.
bool wp_slices_commit(struct wp_slices_output **output, struct wp_output **first);
void wp_slices_discard(struct wp_slices_output **output); // accepts NULL, clears the pointer

#endif
