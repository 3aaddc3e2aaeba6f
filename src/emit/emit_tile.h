// Shaders that compute all passes of a level on a tile of quads, on chip.
//
// Compute: each invocation of a workgroup has one column of the tile in registers; neighbors along
// x are exchanged in shared memory.
//
// Fragments: each has a block of quads with its halo in registers and shares nothing, unless
// `shares`.
#ifndef WP_EMIT_TILE_H
#define WP_EMIT_TILE_H

#include "emit.h"
#include "lifting.h"

struct wp_tile {
    int lanes;       // invocations per workgroup: wp_tile_step() of them write a column of results,
                     // the others compute the halo. 0: a fragment
    int columns;     // quads along x that a fragment writes, even
    int rows;        // quads that each invocation writes along y; even for fragments
    int tiers;       // 0, or for lanes: number of such tiles in a workgroup, one below the other
    int levels;      // 0, or with tiers: maximum number of levels, each completely in one workgroup
    const struct wp_lifting *along; // NULL, or for lanes: streams through slices and lifts the
                                    // results along z. Must outlive the tile
    bool shares;     // each of 2x2 fragments loads a part, and exchanges the rest with the others
    bool keep_loops; // loops end at a value unknown to compilers, so that they are not unrolled;
                     // for devices where compiling takes longer than running
};

// The operations of one invocation, including its part of the halo.
struct wp_tile_counts {
    int operations; // multiply-adds whose results are used, as counted for Table 1
    int fetches;    // texels read
    int exchanged;  // floats of shared memory per workgroup
    int cells;      // quads per invocation
    // Quads before the first and after the last one that a fragment loads, for itself or with
    // `shares` for its neighbors. They must be finite numbers.
    struct wp_reach loads;
};

// Columns that a workgroup writes; not positive if the halo fills it.
int wp_tile_step(const struct wp_scheme *scheme, const struct wp_tile *tile);

// Adds the shader, for any form of a scheme. The uniform `gain` must be the scheme's scale_out
// (forward) or scale_in (inverse), so that one text serves all normalizations. Workgroup or
// fragment (0, 0) begins at quad (0, 0) of the level; shaders/level.glsl and shaders/block.glsl
// have the other uniforms. The dialect must be wp_glsl_430 for compute shaders and with `store`, at
// least wp_glsl_400 with `shares`. Returns {0} if memory is exhausted.
struct wp_tile_counts wp_emit_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                                   const struct wp_emit_target *target, struct wp_text *out);

// Returns the operations without emitting the shader.
struct wp_tile_counts wp_tile_count(const struct wp_scheme *scheme, const struct wp_tile *tile);

// The tile for which a block of CUDA threads runs a scheme, for the dialect wp_cuda_c.
struct wp_tile wp_tile_of_block(const struct wp_scheme *scheme);

// Adds the shader of a level that is only along z and streams through slices; the dialect must be
// wp_glsl_430. shaders/lines.glsl and shaders/slices.glsl have the uniforms.
void wp_emit_lines(const struct wp_lifting *lifting, const struct wp_emit_target *target,
                   struct wp_text *out);

// Streaming through slices needs `before` slices before the first one written, which is even, and
// `after` slices after the last one, and stores at most `stored` values of a line between slices.
struct wp_lines_reach {
    int before, after, stored;
};

struct wp_lines_reach wp_lines_reach(const struct wp_lifting *lifting);

// ---- strips ----

// Compute shaders that stream down the rows of a level. Each invocation has a strip of columns and
// lifts it along x, row by row, in registers. It also loads what it reads of adjacent strips, so
// invocations exchange nothing and need no barriers. Along y it stores the values of previous rows
// that are still read. The next two rows are loaded while two are processed.

struct wp_strip_shape {
    int lanes; // invocations per workgroup, with adjacent strips
    int width; // samples of a strip along x: 4 or 8
};

// Adds the shader, for separable lifting without rounding; the dialect must be wp_glsl_430.
// shaders/strip.glsl has the uniforms; `gain` as for wp_emit_tile(). Returns the operations for the
// quads of a strip in two rows, or {0} if memory is exhausted.
struct wp_tile_counts wp_emit_strip(const struct wp_lifting *lifting,
                                    const struct wp_strip_shape *shape,
                                    const struct wp_emit_target *target, struct wp_text *out);

// Returns the operations without emitting the shader.
struct wp_tile_counts wp_strip_count(const struct wp_lifting *lifting,
                                     const struct wp_strip_shape *shape);

#endif
