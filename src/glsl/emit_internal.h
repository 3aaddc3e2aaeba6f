// Pieces of GLSL text that the emitters share.
#ifndef WP_EMIT_INTERNAL_H
#define WP_EMIT_INTERNAL_H

#include "scheme.h"
#include "text.h"

extern const char wp_emit_component[WP_COMPONENTS]; // 'r', 'g', 'b', 'a'

// "a", " + c * a", " - a": never a product with one.
void wp_emit_product(struct wp_text *out, bool first, double c, const char *operand);

// True where some gain is not 1.
bool wp_emit_is_scaled(const double scale[WP_COMPONENTS]);

// "vec4(1.0, 2.0, 2.0, 4.0)".
void wp_emit_vec4(struct wp_text *out, const double value[WP_COMPONENTS]);

#endif
