// Pages of a TIFF file: the current directory of libtiff, and its samples. Internal to this layer.
#ifndef WP_TIFF_PAGE_H
#define WP_TIFF_PAGE_H

#include "tiff_io.h"

// The blocks of a page: strips or tiles. A strip is as wide as the page, and the last one may have
// fewer rows; tiles are always complete.
struct wp_tiff_blocks {
    bool tiled;
    uint32_t width, height;
    tmsize_t bytes;
};

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
    struct wp_tiff_blocks blocks;
};

// Counts the slices: the pages from the first directory on (always a page, of any subfile type), or
// the slices of an ImageJ stack; 1 if only images are requested. Gets the layout of the first page,
// which is then the current directory. Sizes are checked first, so that a damaged header is
// reported as such. False after WP_ERROR_FILE.
bool wp_tiff_find_pages(struct wp_tiff *t, struct wp_tiff_layout *first, unsigned *pages);

// Allocates memory for a block and its conversion. NULL after WP_ERROR_TOO_LARGE.
unsigned char *wp_tiff_allocate_block(const struct wp_tiff_layout *layout);

// A rectangle inside a page, and where its samples are stored: as floats or as the file's doubles or
// integers of 8 or 16 bits, rows of each plane `step` samples apart. Planes without a destination are not
// stored and, if samples are not interleaved, not read.
struct wp_tiff_part {
    uint32_t x, y, width, height;
    void *to[WP_IMAGE_MAX_PLANES];
    enum wp_element type;
    size_t step;
};

// A part of complete rows; they are stored from sample `first` of each plane of the image on, as
// integers if the image has pixels.
struct wp_tiff_part wp_tiff_rows_part(const struct wp_tiff_layout *layout, uint32_t y,
                                      uint32_t height, const struct wp_image *image, size_t first);

// Reads the blocks that overlap the part; `data` is memory for a block. False after an error.
bool wp_tiff_read_part(struct wp_tiff *t, const struct wp_tiff_layout *layout,
                       unsigned char *data, const struct wp_tiff_part *part);

// Stores a row, as wide as the page, of interleaved samples as row `row` of an image.
void wp_tiff_store_row(const struct wp_tiff_layout *layout, unsigned char *data,
                       const struct wp_image *image, size_t row);

// Reads slice `z` of a file of that layout, from sample `first` of each plane on. Slices must be
// read in order, and slice 0 after wp_tiff_find_pages(). False after an error.
bool wp_tiff_read_slice(struct wp_tiff *t, const struct wp_tiff_layout *layout, unsigned z,
                        const struct wp_image *image, size_t first);

#endif
