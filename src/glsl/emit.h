// Fragment shaders from passes.
#ifndef WP_EMIT_H
#define WP_EMIT_H

#include "scheme.h"
#include "text.h"

// Adds the whole fragment shader of a pass: GLSL 3.30 core in the subset that GLSL ES 3.00
// shares, so that the same text after another #version line serves there. The text depends on
// the scheme alone and is the same on every run; its hash can key a cache.
//
// The shader reads `uniform sampler2D source`, writes one RGBA result, and expects
// `uniform ivec2 offset`: from the fragment's texel to the same quad in the source.
void wp_emit_fragment_pass(const struct wp_scheme *scheme, int pass, struct wp_text *out);

// The same for planes of an image one below the other (plane.glsl): it expects `flat in int plane`
// and `uniform ivec4 plane_rows`, too.
void wp_emit_stacked_pass(const struct wp_scheme *scheme, int pass, struct wp_text *out);

#endif
