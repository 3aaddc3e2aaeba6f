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

// What a pass writes to. `stacked`: planes of an image one below the other (shaders/plane.glsl); the
// shader expects `flat in int plane` and `uniform ivec4 plane_rows`, too. `half`: RGBA16F.
struct wp_emit_target {
    bool stacked, half;
};

void wp_emit_fragment_pass_to(const struct wp_scheme *scheme, int pass,
                              const struct wp_emit_target *target, struct wp_text *out);

// `vec4 stored(vec4 v)` in GLSL: v rounded to the nearest that RGBA16F holds. What is written is
// to be rounded before, because devices may cut off what does not fit, and do (NVIDIA, llvmpipe):
// twice the error, all to one side. For 32 bits v as it is.
const char *wp_emit_stored(bool half);

#endif
