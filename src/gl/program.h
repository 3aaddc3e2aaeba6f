// Fragment programs and the passes that run them. All functions need their context to be
// current.
#ifndef WP_PROGRAM_H
#define WP_PROGRAM_H

#include "texture.h"

#include <stdbool.h>

struct wp_program;

// The program of a fragment shader together with the full-screen triangle. Compiled once for
// each text and context; it belongs to the context. NULL after WP_ERROR_INTERNAL: the lines
// around the error with their numbers, and the full source saved to a file that the message
// names.
struct wp_program *wp_program_get(struct wp_gl *gl, const char *fragment_source);

// Integer uniforms; a name that the program does not use is ignored. Makes it the program in
// use.
void wp_program_set(struct wp_program *program, const char *uniform, int value);
void wp_program_set2(struct wp_program *program, const char *uniform, int x, int y);

// Runs the program on a rectangle of `target`'s texels, reading `source` through the sampler
// `source`. Source and target must differ: GL does not tell of a feedback loop. With
// `red_only` the other three components of the target stay.
void wp_program_draw(struct wp_program *program, const struct wp_texture *source,
                     const struct wp_texture *target, int x, int y, int width, int height,
                     bool red_only);

// Waits for everything to be done. False after WP_ERROR_INTERNAL where GL reports an error.
bool wp_gl_finish(struct wp_gl *gl);

// A stopwatch on the GPU's own clock; only where wp_gl_info.gpu_timer is set. Not nested.
void wp_gl_timer_begin(struct wp_gl *gl);
double wp_gl_timer_end(struct wp_gl *gl); // seconds; waits for the result

#endif
