// Interface of readers by slices. Internal to this layer.
#ifndef WP_SLICES_IO_H
#define WP_SLICES_IO_H

#include "rows_io.h"
#include "slices.h"

// A reader of one format; `state` is its private data.
struct wp_slices_reader {
    // Reads the next slice, number `number`, or sets `*end`. False after WP_ERROR_FILE.
    bool (*read)(void *state, int number, float *to, bool *end);
    void (*close)(void *state);
    // Reads all slices; NULL: slice by slice.
    bool (*all)(void *state, const struct wp_image *image);
};

// Reads all slices, whose number is known, and finds the end. NULL after an error.
struct wp_image *wp_slices_read_image(struct wp_slices *slices);

// Takes ownership of `state`.
struct wp_slices *wp_slices_create_reader(const char *name, const struct wp_slices_info *info,
                                          const struct wp_slices_reader *reader, void *state);

// Opens a file of one format. `head` has its first bytes, `size` is its size; for Y4M it may be
// unknown. If it can be read by slices, sets `*slices`, takes ownership of `*bytes`, of which
// nothing was read, and clears that pointer. False after an error.
typedef bool wp_slices_opener(struct wp_bytes **bytes, const struct wp_source *head,
                              unsigned long long size, struct wp_slices **slices);
wp_slices_opener wp_y4m_slices, wp_nifti_slices, wp_tiff_slices;

// Reads uncompressed samples of one plane in C order by slices. Takes ownership of `bytes`, of
// which nothing was read. NULL after an error.
struct wp_slices *wp_layout_slices(struct wp_bytes *bytes, const struct wp_source *head,
                                   const struct wp_raster_layout *layout);

// wp_image_read_with() for a single file. If `slices` is not NULL, it may be set instead of an
// image being returned, as in wp_slices_open(). NULL, with `*slices` not set, after an error.
struct wp_image *wp_read_file(const char *path, const struct wp_read_params *params,
                              struct wp_slices **slices);

#endif
