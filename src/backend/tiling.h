// The geometry of tiled execution (tiled_exec.h): tiles of an image that overlap, and groups of
// levels that are computed at once in each tile.
#ifndef WP_TILING_H
#define WP_TILING_H

#include "description.h"

#include <stdbool.h>

enum { WP_TILING_AXES = 2 };

// A tile along an axis: samples first..end-1. Samples from..to-1 are exact and are stored. With
// periodic extension it may begin before sample 0 and end after the last sample.
struct wp_span {
    int first, end, from, to;
};

// Tiles of an axis: `count` tiles of `tile_size` samples; the last one ends at `size`. They begin at
// multiples of `unit`, 2^levels, so that the parities of their samples are those of the image.
struct wp_tiling {
    int size, count, tile_size, unit;
    int before, after; // margins: samples of a tile that its artificial borders affect
    bool wraps;        // periodic extension
};

// Consecutive levels that are computed at once, after the first `level` levels.
struct wp_tile_group {
    int level, levels;
    struct wp_tiling tiling[WP_TILING_AXES];
};

// Divides the levels of an image into groups, and each into tiles of at most tile_size[a] samples
// along axis a. Returns the number of groups, or 0 if margins are too large for such tiles, or if
// one tile suffices.
int wp_tiling_plan(const struct wp_description *description, const int tile_size[WP_TILING_AXES],
                   struct wp_tile_group group[WP_MAX_LEVELS]);

// Whether the group has more than one tile.
bool wp_tiling_is_tiled(const struct wp_tile_group *group);

// Tile number `i` along an axis, and its length. The last tile may be shorter than the others by
// less than 2^levels.
struct wp_span wp_tiling_span(const struct wp_tiling *tiling, int i);
int wp_span_length(struct wp_span span);

// The length of the first or the last tile; each tile has one of these two lengths.
int wp_tiling_length(const struct wp_tiling *tiling, bool last);

#endif
