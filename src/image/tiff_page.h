// A page of a TIFF file: the directory that libtiff is at, and its samples. Internal to this layer.
#ifndef WP_TIFF_PAGE_H
#define WP_TIFF_PAGE_H

#include "tiff_view.h"

struct wp_tiff_layout {
    struct wp_samples samples;
    uint32_t width, height;
    uint16_t planes, orientation;
    uint16_t packed;   // bits of a sample that does not fill whole bytes, read as u16; else 0
    bool alpha, separate;
    bool white_is_zero; // of integers: v is to become least + most - v
    bool converted;     // libtiff converts the colors, of the whole page, to 8-bit gray or RGB
    // ImageJ's stacks above 4 GB have one directory, and their slices one after another in the
    // file. 1 in all other files.
    unsigned slices;
    unsigned stated; // slices that ImageJ's description names; 0: none
    unsigned long long first; // byte of the first slice
    bool big_endian;          // of these samples
};

// Sides are checked first, so that an absurd header is reported as such. False after WP_ERROR_FILE.
bool wp_tiff_read_layout(const struct wp_source *source, TIFF *tiff,
                         struct wp_tiff_layout *layout);

// Counts the slices: the pages from the first directory on, which counts as a page whatever its kind
// is, or those of one of ImageJ's stacks. Images have one. Gives the first page's layout. False after
// WP_ERROR_FILE.
bool wp_tiff_find_pages(const struct wp_tiff_view *view, TIFF *tiff,
                        const struct wp_tiff_errors *errors, struct wp_tiff_layout *first,
                        unsigned *pages);

// Whether pages can be slices of one volume.
bool wp_tiff_same_kind(const struct wp_tiff_layout *a, const struct wp_tiff_layout *b);

// Strips and tiles alike are blocks of the page. A strip is as wide as the page and cut off at its
// bottom; a tile is always whole.
struct wp_tiff_blocks {
    bool tiled;
    uint32_t width, height;
    tmsize_t bytes;
};

// False after WP_ERROR_FILE, also where the file is too short for the page.
bool wp_tiff_find_blocks(const struct wp_source *source, TIFF *tiff,
                         const struct wp_tiff_layout *layout, struct wp_tiff_blocks *blocks);

// Memory for a block and what converting it needs. NULL after WP_ERROR_TOO_LARGE.
unsigned char *wp_tiff_allocate_block(const struct wp_tiff_layout *layout,
                                      const struct wp_tiff_blocks *blocks);

// The destination of a page: an image from its sample `first` in each plane on, or rows from
// `top` on.
struct wp_tiff_page {
    struct wp_image *image;
    size_t first;
    uint32_t top;
};

// Reads the blocks that begin in row `y`. False after an error.
bool wp_tiff_read_block_row(const struct wp_tiff_view *view, TIFF *tiff,
                            const struct wp_tiff_errors *errors,
                            const struct wp_tiff_layout *layout,
                            const struct wp_tiff_blocks *blocks, uint32_t y, unsigned char *data,
                            const struct wp_tiff_page *page);

// Converts a row of pixels, which is as long as a block, of a page whose planes are not separate.
void wp_tiff_convert_row(const struct wp_tiff_layout *layout, unsigned char *data,
                         const struct wp_tiff_blocks *blocks, struct wp_image *place);

// Reads the whole page. False after an error.
bool wp_tiff_decode_page(const struct wp_tiff_view *view, TIFF *tiff,
                         const struct wp_tiff_errors *errors, const struct wp_tiff_page *page);

// Reads slice `z` of one of ImageJ's stacks. False after an error.
bool wp_tiff_read_slice(const struct wp_tiff_view *view, const struct wp_tiff_layout *layout,
                        unsigned z, const struct wp_tiff_page *page);

#endif
