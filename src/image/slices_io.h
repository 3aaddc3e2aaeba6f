// Interface of readers by slices. Internal to this layer.
#ifndef WP_SLICES_IO_H
#define WP_SLICES_IO_H

#include "bytes.h"
#include "raw.h"
#include "slices.h"

// A reader of one format; `state` is its private data.
struct wp_slices_reader {
    // Reads the next slice, number `number`, or sets `*end`. False after WP_ERROR_FILE.
    bool (*read)(void *state, int number, float *to, bool *end);
    void (*close)(void *state);
};

// Takes ownership of `state`.
struct wp_slices *wp_slices_create_reader(const char *name, const struct wp_slices_info *info,
                                          const struct wp_slices_reader *reader, void *state);

// Like wp_slices_of(), for NIfTI and TIFF files of known size; `head` has the first bytes.
bool wp_nifti_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                     struct wp_slices **slices);
bool wp_tiff_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                    struct wp_slices **slices);

// Reads uncompressed samples of one plane in C order by slices. Takes ownership of `bytes`, of
// which nothing was read. NULL after an error.
struct wp_slices *wp_layout_slices(struct wp_bytes *bytes, const struct wp_raster_layout *layout);

// Opens a file for reading by slices. If that is supported, sets `*slices`, takes ownership of
// `*bytes`, of which nothing was read, and clears that pointer; otherwise `*slices` is NULL. False
// after an error.
bool wp_slices_of(struct wp_bytes **bytes, const struct wp_read_params *params,
                  const struct wp_raw *raw, struct wp_slices **slices);

// wp_image_read_with() for a single file. If `slices` is not NULL, it may be set instead of an
// image being returned, as in wp_slices_open(). NULL, with `*slices` not set, after an error.
struct wp_image *wp_read_file(const char *path, const struct wp_read_params *params,
                              struct wp_slices **slices);

#endif
