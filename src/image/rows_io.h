// Rows of a file that is open. Internal to this layer.
#ifndef WP_ROWS_IO_H
#define WP_ROWS_IO_H

#include "bytes.h"
#include "rows.h"

// What reads rows of one kind of file; `own` is its own.
struct wp_rows_reader {
    // Row `y`, one below the one before, or with `anywhere` any, into row 0 of `place`, whose
    // planes lie anywhere. False after an error.
    bool (*read)(void *own, int y, struct wp_image *place);
    bool anywhere;
    // NULL, or samples of a plane from (x, y) on.
    bool (*part)(void *own, int plane, int x, int y, int count, float *to);
    void (*close)(void *own);
};

// Takes `own` over, which has `file` and `memory` bytes beside the rows of others.
struct wp_rows *wp_rows_create_reader(const char *name, int file, const struct wp_rows_info *info,
                                      size_t memory, const struct wp_rows_reader *reader,
                                      void *own);

// Opens one kind of file. Takes `*bytes`, of which none was read, over and clears the pointer where
// it has rows to give; else it leaves them, and says why. `head` has the first bytes, and the size
// of all of them. False after an error.
typedef bool wp_rows_opener(struct wp_bytes **bytes, const struct wp_source *head,
                            struct wp_rows **rows, const char **why);
wp_rows_opener wp_png_rows, wp_tiff_rows;

// Samples that are not compressed, in rows without gaps, of pixels.
struct wp_raster_layout {
    unsigned long long width, height, offset; // in bytes
    int planes;
    bool bottom_up; // the lowest row comes first
    bool bounded;   // a sample above the maximum is damage
    bool alpha;     // the last plane is
    bool line_feed; // the samples follow CR and begin with LF: perhaps both end the header
    struct wp_samples samples;
    bool slice_axis, plane_axis; // as in struct wp_origin
};

// What such a file says of itself, by its first bytes; width 0 where it is not of that kind. False
// after an error.
typedef bool wp_raster_layout_finder(const struct wp_source *head, struct wp_raster_layout *layout);
wp_raster_layout_finder wp_pnm_layout, wp_pam_layout, wp_pfm_layout, wp_npy_raster_layout;

// Bytes of the file up to the last sample. Sides have been checked.
unsigned long long wp_raster_layout_end(const struct wp_raster_layout *layout);

// All of it, and what a row opener does. The file has to be as long as the layout's end.
struct wp_image *wp_read_layout(const struct wp_source *source,
                                const struct wp_raster_layout *layout);
bool wp_layout_rows(struct wp_bytes **bytes, const struct wp_source *head,
                    const struct wp_raster_layout *layout, struct wp_rows **rows);

#endif
