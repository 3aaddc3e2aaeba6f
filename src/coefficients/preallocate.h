// Rows of subbands that several processes write into one file (tile_store.h): where they go, and what of
// it is there.
#ifndef WP_PREALLOCATE_H
#define WP_PREALLOCATE_H

#include "tile_store.h"
#include "tiff_tiles.h"

// One process tells it the others, who have the same description; there are no pointers in it.
struct wp_preallocated {
    int tile[2];                                // columns and rows of a tile; 0: an array
    unsigned long long first[WP_TILES_PAGES];   // byte of the array, or of each page's first tile
};

// The file as it is written and, of an array with alpha, read.
struct wp_tile_store_file {
    void *own;
    bool (*write)(void *own, unsigned long long at, const void *bytes, size_t count);
    bool (*read)(void *own, unsigned long long at, void *bytes, size_t count);
};

// Rows first..first+rows-1 of a subband, or of alpha, which lie plane after plane without gaps.
// What they add to the hash is added to `*hash`. Alpha of an array comes when all rows of all
// subbands are written, by all processes: its samples lie among theirs. False after an error.
bool wp_preallocated_write(const struct wp_preallocated *space, const struct wp_sidecar *sidecar,
                         int band, int first, int rows, const float *samples,
                         const struct wp_tile_store_file *file, unsigned long long *hash);

#endif
