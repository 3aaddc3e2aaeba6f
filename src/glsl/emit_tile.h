// Shaders that run all passes of a level on a tile of quads in registers.
#ifndef WP_EMIT_TILE_H
#define WP_EMIT_TILE_H

#include "scheme.h"
#include "text.h"

// What runs a tile, and where the results go.
enum wp_tile_kind {
    // A workgroup of compute invocations side by side, each holding one column of the tile.
    // Neighbours along x come through shared memory, along y from the invocation's registers.
    WP_TILE_COMPUTE,
    // A fragment holds the whole tile. Its quads go into an attachment each (at most 8),
    WP_TILE_ATTACHMENTS,
    // or by imageStore into one image.
    WP_TILE_IMAGE,
};

struct wp_tile {
    enum wp_tile_kind kind;
    int columns, rows; // quads that one invocation writes; one column for WP_TILE_COMPUTE
    int lanes;         // WP_TILE_COMPUTE: invocations of a workgroup; they write
                       // wp_tile_step() columns, and the others compute the halo
};

// What one invocation does, the halo's share included.
struct wp_tile_counts {
    int operations; // multiply-adds whose results are used, as counted for Table 1
    int fetches;    // quads read
    int exchanged;  // floats of shared memory for the workgroup; 0 for fragments
};

// What all passes of a scheme reach together, in quads; `fetches` is not set.
struct wp_reach wp_tile_reach(const struct wp_scheme *scheme);

// Columns that a workgroup writes; not above 0 where the halo fills it.
int wp_tile_step(const struct wp_scheme *scheme, const struct wp_tile *tile);

// Adds main() of the shader, and the declarations of what it writes: any form of a scheme,
// derived from its matrices. The text before it must define the uniforms and functions of
// shaders/level.glsl. Tile (0, 0) begins at quad (0, 0) of the level; a fragment's tile has
// the fragment's texel for a number, plus `uniform ivec2 first`.
void wp_emit_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                  struct wp_text *out, struct wp_tile_counts *counts);

#endif
