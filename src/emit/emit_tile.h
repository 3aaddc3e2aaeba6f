// Shaders that run all passes of a level on a tile of quads, on chip.
//
// Compute: the invocations of a workgroup stand side by side; each holds one column of the tile
// in registers. Neighbours along y come from these, along x through shared memory.
//
// Fragments: each holds a block of quads with its halo in registers and shares nothing.
#ifndef WP_EMIT_TILE_H
#define WP_EMIT_TILE_H

#include "emit.h"
#include "lifting.h"

struct wp_tile {
    int lanes;       // invocations of a workgroup: wp_tile_step() of them write a column of
                     // results, the others compute the halo. 0: a fragment
    int columns;     // quads along x that a fragment writes, even
    int rows;        // quads that each invocation writes along y; even for fragments
    int tiers;       // 0, or lanes: such tiles below each other in one workgroup
    int levels;      // 0, or with tiers: that it runs, one after the other, at most, each a whole
                     // one
    const struct wp_lifting *along; // NULL, or lanes: it goes through slices, and lifts along z
                                    // what it makes of them. Outlives the tile
    bool shares;     // the four fragments of 2x2 load a part each and have the rest from each other
    bool keep_loops; // gives loops an end that compilers cannot know, so that they do not
                     // unroll them: where compiling takes longer than running
};

// What one invocation does, the halo's share included.
struct wp_tile_counts {
    int operations; // multiply-adds whose results are used, as counted for Table 1
    int fetches;    // texels read
    int exchanged;  // floats of shared memory for the workgroup
    int cells;      // quads that an invocation holds
    // Quads before its first one and behind its last that a fragment loads for itself or, where it
    // shares, for its neighbours. What it finds there has to be a number.
    struct wp_reach loads;
};

// Columns that a workgroup writes; not above 0 where the halo fills it.
int wp_tile_step(const struct wp_scheme *scheme, const struct wp_tile *tile);

// Adds the whole shader, for any form of a scheme, derived from its matrices. The uniform `gain` is
// to be the scheme's scale_out (forward) or scale_in (inverse), so that one text serves all norms.
// Workgroup or fragment (0, 0) begins at quad (0, 0) of the level; shaders/level.glsl and
// shaders/block.glsl have the other uniforms. The dialect of compute shaders, and of fragments that
// store, is to be wp_glsl_430, of those that share at least wp_glsl_400. {0} where memory is short.
struct wp_tile_counts wp_emit_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                                   const struct wp_emit_target *target, struct wp_text *out);

// The same without a text.
struct wp_tile_counts wp_tile_count(const struct wp_scheme *scheme, const struct wp_tile *tile);

// The tile that a block of CUDA's threads runs a scheme on, for the dialect wp_cuda_c.
struct wp_tile wp_tile_of_block(const struct wp_scheme *scheme);

// Adds the whole shader of a level along z alone, whose slices pass by the invocations; the dialect
// is to be wp_glsl_430. shaders/lines.glsl and shaders/slices.glsl have the uniforms.
void wp_emit_lines(const struct wp_lifting *lifting, const struct wp_emit_target *target,
                   struct wp_text *out);

// What goes through slices needs so many before the first that it writes, which is even, and behind
// the last one, and has to keep at most so many values of a line from one to the next.
struct wp_lines_reach {
    int before, after, kept;
};

struct wp_lines_reach wp_lines_reach(const struct wp_lifting *lifting);

#endif
