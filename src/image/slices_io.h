// Slices of a file that is open. Internal to this layer.
#ifndef WP_SLICES_IO_H
#define WP_SLICES_IO_H

#include "bytes.h"
#include "raw.h"
#include "slices.h"

// What reads slices of one kind of file; `own` is its own.
struct wp_slices_reader {
    // The next slice, which is number `number`, or the end. False after WP_ERROR_FILE.
    bool (*read)(void *own, int number, float *to, bool *end);
    void (*close)(void *own);
};

// Takes `own` over.
struct wp_slices *wp_slices_create_reader(const char *name, const struct wp_slices_info *info,
                                          const struct wp_slices_reader *reader, void *own);

// Samples of one plane that lie one after another.
struct wp_slices_layout {
    unsigned long long width, height, depth, offset; // in bytes
    struct wp_samples samples;
};

// What a NPY holds, by its first bytes; depth 0 where it is not such a volume. False after an error.
bool wp_npy_layout(const struct wp_source *head, struct wp_slices_layout *layout);

// As wp_slices_of(), of a NIfTI-1 or TIFF whose size is known; `head` has its first bytes.
bool wp_nifti_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                     struct wp_slices **slices);
bool wp_tiff_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                    struct wp_slices **slices);

// Takes `*bytes`, of which none was read, over and clears the pointer where its slices come one after
// another; else it gives NULL and leaves them. False after an error.
bool wp_slices_of(struct wp_bytes **bytes, const struct wp_read_params *params,
                  const struct wp_raw *raw, struct wp_slices **slices);

// wp_image_read_with() of one file; where `slices` is not NULL, it may get these in place of an
// image, as from wp_slices_open(). Else NULL after an error.
struct wp_image *wp_read_file(const char *path, const struct wp_read_params *params,
                              struct wp_slices **slices);

#endif
