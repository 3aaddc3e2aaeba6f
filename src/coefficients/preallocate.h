// Subbands that several processes write to one file (tile_store.h): the location of their rows in
// preallocated space, and writing them.
#ifndef WP_PREALLOCATE_H
#define WP_PREALLOCATE_H

#include "tile_store.h"
#include "tiff_tiles.h"

// Sent to the other processes, which have the same description; it has no pointers.
struct wp_preallocated {
    int tile[2];                              // columns and rows of a tile; 0: an array
    unsigned long long first[WP_TILES_PAGES]; // byte offset of the array, or of each page's tiles
};

// Access to the file. Only arrays with alpha are read.
struct wp_tile_store_file {
    void *state; // private data of the functions
    bool (*write)(void *state, unsigned long long at, const void *bytes, size_t count);
    bool (*read)(void *state, unsigned long long at, void *bytes, size_t count);
};

// Writes rows first..first+rows-1 of a subband, or of alpha, from consecutive planes, and adds
// their hashes to `*hash`. Alpha of an array must be written after all processes have written all
// rows of all subbands, since it is interleaved with them. False after an error.
bool wp_preallocated_write(const struct wp_preallocated *space, const struct wp_sidecar *sidecar,
                           int band, int first, int rows, const float *samples,
                           const struct wp_tile_store_file *file, unsigned long long *hash);

#endif
