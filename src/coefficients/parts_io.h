// What writing and reading parts share. Internal to this layer.
#ifndef WP_PARTS_IO_H
#define WP_PARTS_IO_H

#include "parts.h"
#include "tiff_tiles.h"

// Pages of a file: subbands that have samples, and alpha.
struct wp_parts_list {
    int bands; // of the transform
    int count;
    int number[WP_TILES_PAGES];           // of a band, its page, or -1
    struct wp_tiles_page page[WP_TILES_PAGES];
    struct wp_band_grid grid[WP_TILES_PAGES]; // where its samples lie in an array
};

struct wp_parts_list wp_parts_list(const struct wp_sidecar *sidecar);

// The page of a band, or of WP_PARTS_ALPHA.
int wp_parts_page(const struct wp_parts_list *list, int band);

// What a row adds to the sum.
unsigned long long wp_parts_row_hash(const struct wp_parts_list *list, int page, int plane, int row,
                                     const float *samples);

#endif
