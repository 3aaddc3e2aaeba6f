// Compute shaders that stream down the rows of a level. Each invocation has a strip of columns and
// lifts it along x, row by row, in registers. It also loads what it reads of adjacent strips, so
// invocations exchange nothing and need no barriers. Along y it stores the values of previous rows
// that are still read. The next two rows are loaded while two are processed.
#ifndef WP_EMIT_STRIP_H
#define WP_EMIT_STRIP_H

#include "emit_tile.h"

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
