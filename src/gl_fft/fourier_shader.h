// Emits the source of the compute shaders.
#ifndef WP_FOURIER_SHADER_H
#define WP_FOURIER_SHADER_H

#include "fourier_plan.h"
#include "text.h"

// Transforms lines from one buffer to another; with `between` (gl_fft.h; may be NULL) a round trip
// that applies it in k-space.
void wp_fourier_emit(const struct wp_fourier_plan *schedule, const char *between,
                     struct wp_text *text);

// The function `void butterfly_R(inout vec2 w[R])`, a transform of R numbers without loops.
void wp_fourier_emit_butterfly(int radix, struct wp_text *text);

#endif
