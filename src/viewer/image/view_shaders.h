// The viewer's shaders (shaders/): embedded, or loaded from a directory at run time. All functions
// require the viewer's context to be current.
#ifndef WP_VIEW_SHADERS_H
#define WP_VIEW_SHADERS_H

#include "program.h"
#include "texture.h"

#include <time.h>

struct wp_gl;

enum wp_view_shader { WP_SHADER_DISPLAY, WP_SHADER_LOAD, WP_SHADER_EDIT, WP_SHADER_MEASURE,
                      WP_SHADER_ELEMENTS, WP_SHADER_SHOW, WP_SHADERS };

// Returns the program of a shader, compiled on first use. Variant 1 of LOAD, EDIT and ELEMENTS
// writes to 16-bit textures; the variants of DISPLAY and MEASURE are documented in their sources.
// NULL after the error of wp_program_get(). They are for wp_program_draw(), except DISPLAY and
// SHOW, which are for wp_screen_draw(), unless wp_view_computes().
struct wp_program *wp_view_program(struct wp_gl *gl, enum wp_view_shader shader, int variant);

// Are the texels computed by a compute shader, because GPUs may have many times as many invocations
// as fragments? Of DISPLAY only of reduced images, whose pixels read several samples.
bool wp_view_computes(const struct wp_gl *gl, enum wp_view_shader shader, int variant);

// Loads the shaders from a directory. A shader that cannot be read or compiled is not replaced, and
// the function returns false after the error. `count` is the number of changed shaders.
bool wp_view_shaders_reload(struct wp_gl *gl, const char *directory, int *count);

// Restores the embedded shaders.
void wp_view_shaders_reset(void);

// True if a file of the directory has changed since the latest reload.
bool wp_view_shaders_changed(const char *directory);

// Creates a texture with one row of 256 colors for each enum wp_view_map.
bool wp_colours_create(struct wp_gl *gl, struct wp_texture *maps);

// ---- Files that are read again when they change: shaders and images.

// The time of the last modification of a file; {0} if there is no such file.
struct timespec wp_file_modified(const char *path);
// True if the file was modified, since a time that is not {0}.
bool wp_file_modified_since(const char *path, struct timespec since);

#endif
