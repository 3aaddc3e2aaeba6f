// The text of the shaders.
#ifndef WP_FOURIER_SHADER_H
#define WP_FOURIER_SHADER_H

#include "fourier_plan.h"
#include "text.h"

// Lines from one buffer to another; with `between` (gl_fft.h; may be NULL) forth, that, and back.
void wp_fourier_emit(const struct wp_fourier_plan *plan, const char *between,
                     struct wp_text *text);

// A function `void butterfly_R(inout vec2 w[R])`, the transform of R numbers, in straight lines.
void wp_fourier_emit_butterfly(int radix, struct wp_text *text);

#endif
