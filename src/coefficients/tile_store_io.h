// Shared by the reader and the writer of tile stores. Internal to this layer.
#ifndef WP_TILE_STORE_IO_H
#define WP_TILE_STORE_IO_H

#include "tile_store.h"
#include "tiff_tiles.h"

// The pages of a file: subbands that have samples, and alpha.
struct wp_tile_store_list {
    int bands; // subbands of the transform
    int count;
    int number[WP_TILES_PAGES];           // page of each subband, or -1
    struct wp_tiles_page page[WP_TILES_PAGES];
    struct wp_band_grid grid[WP_TILES_PAGES]; // position of a page's samples in an array
};

struct wp_tile_store_list wp_tile_store_list(const struct wp_sidecar *sidecar);

// The page of a subband or of WP_TILE_STORE_ALPHA.
int wp_tile_store_page(const struct wp_tile_store_list *list, int band);

// The hash of a row, which is added to the sum.
unsigned long long wp_tile_store_row_hash(const struct wp_tile_store_list *list, int page,
                                          int plane, int row, const float *samples);

#endif
