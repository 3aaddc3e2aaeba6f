// Interface of readers by rows. Internal to this layer.
#ifndef WP_ROWS_IO_H
#define WP_ROWS_IO_H

#include "bytes.h"
#include "rows.h"

// A reader of one format; `state` is its private data.
struct wp_rows_reader {
    // Reads row `y`, the next one or, with `any_order`, any, to row `row` of an image. Without
    // `all`, the image may have pixels. False after an error.
    bool (*read)(void *state, int y, const struct wp_image *image, size_t row);
    bool any_order;
    // Reads `count` samples of a plane from (x, y) on; NULL: not supported.
    bool (*part)(void *state, int plane, int x, int y, int count, float *to);
    void (*close)(void *state);
    // Reads all rows to an image, which may have pixels; NULL: row by row.
    bool (*all)(void *state, const struct wp_image *image);
};

// Takes ownership of `state`, which owns `bytes` and uses `memory` bytes.
struct wp_rows *wp_rows_create_reader(const struct wp_bytes *bytes, const struct wp_rows_info *info,
                                      size_t memory, const struct wp_rows_reader *reader,
                                      void *state);

// Opens a file of one format. `head` has its first bytes and its size. If it can be read by rows,
// sets `*rows`, takes ownership of `*bytes`, of which nothing was read, and clears that pointer;
// otherwise sets `*why`. False after an error.
typedef bool wp_rows_opener(struct wp_bytes **bytes, const struct wp_source *head,
                            struct wp_rows **rows, const char **why);
wp_rows_opener wp_png_rows, wp_tiff_rows;

// The layout of uncompressed, interleaved samples in rows without padding.
struct wp_raster_layout {
    unsigned long long width, height, depth; // samples
    unsigned long long offset; // of the first sample, in bytes
    int planes;
    bool fortran;   // slices vary fastest, then rows, columns, planes
    bool bottom_up; // the bottom row is first
    bool bounded;   // samples above the maximum are errors
    bool alpha;     // the last plane is alpha
    bool line_feed; // a LF follows the CR that ends the header, possibly by mistake
    struct wp_samples samples;
    bool slice_axis, plane_axis; // as in struct wp_origin
};

// Gets the layout from the first bytes of a file; width 0 if the header is damaged or longer. False
// after an error.
typedef bool wp_raster_layout_finder(const struct wp_source *head, struct wp_raster_layout *layout);
wp_raster_layout_finder wp_pnm_layout, wp_pam_layout, wp_pfm_layout, wp_npy_layout;

// The size of the file up to the last sample, in bytes. The sides must have been checked.
unsigned long long wp_raster_layout_end(const struct wp_raster_layout *layout);

// Reads such a file completely. Its size must have been checked. NULL after an error.
struct wp_image *wp_read_layout(const struct wp_source *source,
                                const struct wp_raster_layout *layout);
// Finds the layout and reads the file; `damaged` is the message if the header is damaged. NULL
// after an error.
struct wp_image *wp_read_raster(const struct wp_source *source, wp_raster_layout_finder *find,
                                const char *damaged);
// Opens an image in C order for reading by rows. Its size must have been checked.
bool wp_layout_rows(struct wp_bytes **bytes, const struct wp_source *head,
                    const struct wp_raster_layout *layout, struct wp_rows **rows);

#endif
