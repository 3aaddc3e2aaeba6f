// The shapes of kernels in GLSL, for dialect_glsl.c.
#ifndef WP_GLSL_WORDS_H
#define WP_GLSL_WORDS_H

#include "kernel.h"

// For a quad, and for both quads of an octet.
#define WP_GLSL_COMPONENTS "rgbargba"

const char *wp_glsl_direction(const struct wp_writer *w); // "forward" or "inverse"

// Begins the function of a tile, with the memory of its workgroup.
void wp_glsl_begin_tile(const struct wp_writer *w);

extern const struct wp_shape_words wp_glsl_pass;                                // glsl_pass.c
extern const struct wp_shape_words wp_glsl_lanes, wp_glsl_lines, wp_glsl_strip; // glsl_compute.c
extern const struct wp_shape_words wp_glsl_block, wp_glsl_depth;                // glsl_fragment.c

#endif
