// Compute shaders that go down the rows of a level. Each invocation has a strip of columns and lifts it
// along x, row by row, in registers: of the strips beside its own it loads what that reads, so that
// nothing is exchanged and nobody waits. Along y it keeps of the rows above what is still read. The next
// two rows are loaded while two are worked on.
#ifndef WP_EMIT_STRIP_H
#define WP_EMIT_STRIP_H

#include "emit_tile.h"

struct wp_strip_shape {
    int lanes; // invocations of a workgroup, each with the strip beside the one before
    int width; // samples along x of a strip: 4 or 8
};

// Adds the whole shader, for separable lifting that does not round; the dialect is to be wp_glsl_430.
// shaders/strip.glsl has the uniforms; `gain` as of wp_emit_tile(). Returns what is done for the quads
// of a strip in two rows; {0} where memory is short.
struct wp_tile_counts wp_emit_strip(const struct wp_lifting *lifting, const struct wp_strip_shape *shape,
                                   const struct wp_emit_target *target, struct wp_text *out);

// The same without a text.
struct wp_tile_counts wp_strip_count(const struct wp_lifting *lifting, const struct wp_strip_shape *shape);

#endif
