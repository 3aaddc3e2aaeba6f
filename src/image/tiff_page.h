// Pages of a TIFF file: the current directory of libtiff, and its samples. Internal to this layer.
#ifndef WP_TIFF_PAGE_H
#define WP_TIFF_PAGE_H

#include "tiff_view.h"

struct wp_tiff_layout {
    struct wp_samples samples;
    uint32_t width, height;
    uint16_t planes, orientation;
    uint16_t packed;   // bits per sample if not a multiple of 8 (converted to u16); else 0
    bool alpha, separate;
    bool white_is_zero; // integers v become minimum + maximum - v
    bool converted;     // libtiff converts complete pages to 8-bit gray or RGB
    // ImageJ's stacks above 4 GB have one directory, and consecutive slices. 1 in all other files.
    unsigned slices;
    unsigned declared; // number of slices in ImageJ's description; 0: no description
    unsigned long long first; // byte offset of the first slice
    bool big_endian;          // byte order of these slices
};

// Reads the current directory. Sizes are checked first, so that a damaged header is reported as
// such. False after WP_ERROR_FILE.
bool wp_tiff_read_layout(const struct wp_source *source, TIFF *tiff,
                         struct wp_tiff_layout *layout);

// Counts the slices: the pages from the first directory on (always a page, of any subfile type), or
// the slices of an ImageJ stack; 1 if only images are requested. Gets the layout of the first page.
// False after WP_ERROR_FILE.
bool wp_tiff_find_pages(const struct wp_tiff_view *view, TIFF *tiff,
                        const struct wp_tiff_errors *errors, struct wp_tiff_layout *first,
                        unsigned *pages);

// True if pages can be slices of one volume.
bool wp_tiff_same_kind(const struct wp_tiff_layout *a, const struct wp_tiff_layout *b);

// The blocks of a page: strips or tiles. A strip is as wide as the page, and the last one may have
// fewer rows; tiles are always complete.
struct wp_tiff_blocks {
    bool tiled;
    uint32_t width, height;
    tmsize_t bytes;
};

// Gets the blocks. False after WP_ERROR_FILE, also if the file is too short for the page.
bool wp_tiff_find_blocks(const struct wp_source *source, TIFF *tiff,
                         const struct wp_tiff_layout *layout, struct wp_tiff_blocks *blocks);

// Allocates memory for a block and its conversion. NULL after WP_ERROR_TOO_LARGE.
unsigned char *wp_tiff_allocate_block(const struct wp_tiff_layout *layout,
                                      const struct wp_tiff_blocks *blocks);

// The destination of a page: an image from sample `first` of each plane on; row `top` of the page
// is stored there.
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

// Converts a row, as wide as the page, of interleaved pixels to row 0 of an image.
void wp_tiff_convert_row(const struct wp_tiff_layout *layout, unsigned char *data,
                         const struct wp_tiff_blocks *blocks, struct wp_image *row_image);

// Reads the current page. False after an error.
bool wp_tiff_decode_page(const struct wp_tiff_view *view, TIFF *tiff,
                         const struct wp_tiff_errors *errors, const struct wp_tiff_page *page);

// Reads slice `z` of an ImageJ stack. False after an error.
bool wp_tiff_read_slice(const struct wp_tiff_view *view, const struct wp_tiff_layout *layout,
                        unsigned z, const struct wp_tiff_page *page);

#endif
