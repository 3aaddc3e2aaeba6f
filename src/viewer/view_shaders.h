// The viewer's own shaders (shaders/), embedded, and read again from a directory while the
// viewer runs. All functions need the viewer's context to be current.
#ifndef WP_VIEW_SHADERS_H
#define WP_VIEW_SHADERS_H

#include "program.h"

struct wp_gl;

enum wp_view_shader { WP_SHADER_DISPLAY, WP_SHADER_LOAD, WP_SHADER_EDIT, WP_SHADER_MEASURE,
                      WP_SHADERS };

// The program of the shader. Variant 1 of LOAD and EDIT writes to textures of 16 bits; those of
// DISPLAY and MEASURE are told in their texts.
// NULL after the error of wp_program_get().
struct wp_program *wp_view_program(struct wp_gl *gl, enum wp_view_shader shader, int variant);

// Takes the shaders that lie in a directory in place of those in use. A shader that does not
// compile leaves the one before in use: false after that error or WP_ERROR_FILE. `count` gets
// the number of texts that are new.
bool wp_view_shaders_reload(struct wp_gl *gl, const char *directory, int *count);

// Back to the embedded ones.
void wp_view_shaders_reset(void);

// True once after a file of the directory has changed since the latest reload.
bool wp_view_shaders_changed(const char *directory);

#endif
