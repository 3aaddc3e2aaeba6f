// Fragment programs and the passes that run them. All functions need their context to be
// current.
#ifndef WP_PROGRAM_H
#define WP_PROGRAM_H

#include "buffer.h"
#include "texture.h"

#include <stdbool.h>

struct wp_program;

// The program of a fragment shader together with the full-screen triangle. Compiled once for
// each text, kind of program and context; it belongs to the context. NULL after WP_ERROR_TOO_LARGE,
// or after WP_ERROR_INTERNAL with the lines around the error and their numbers. The source is a message
// of level debug before it is compiled.
struct wp_program *wp_program_get(struct wp_gl *gl, const char *fragment_source);

// The same for a shader that reads `flat in int plane`: after wp_program_stack() each of its draws
// takes the rectangle `count` times, every one `rows` texels below the one before it, with `plane`
// from 0 on.
struct wp_program *wp_program_get_stacked(struct wp_gl *gl, const char *fragment_source);
void wp_program_stack(struct wp_program *program, int count, int rows);

// The same for a shader that reads `flat in ivec2 drawn`: after wp_program_layers() each of its
// draws, which are for wp_program_draw_targets(), goes to `count` groups of layers, drawn.x from 0
// on, that begin `step` layers apart, and in each to `together` layers, drawn.y.
struct wp_program *wp_program_get_layered(struct wp_gl *gl, const char *fragment_source);
void wp_program_layers(struct wp_program *program, int count, int step, int together);

// Where wp_gl_info.links_aside is set: while `ahead`, what these functions have not yet is begun, and
// they return NULL without a word; once nothing is linking they have it without a wait.
void wp_gl_link_ahead(struct wp_gl *gl, bool ahead);
bool wp_gl_links_ahead(const struct wp_gl *gl);
bool wp_gl_is_linking(struct wp_gl *gl);

// The text that it was made of.
const char *wp_program_source(const struct wp_program *program);

// Integer uniforms; a name that the program does not use is ignored. Makes it the program in
// use.
void wp_program_set(struct wp_program *program, const char *uniform, int value);
void wp_program_set2(struct wp_program *program, const char *uniform, int x, int y);
void wp_program_set3(struct wp_program *program, const char *uniform, const int values[3]);
void wp_program_set4(struct wp_program *program, const char *uniform, const int values[4]);

// An array of integers, or of vectors of two or four.
void wp_program_set_array(struct wp_program *program, const char *uniform, int components,
                          int count, const int *values);

// One to four floats.
void wp_program_set_floats(struct wp_program *program, const char *uniform, int count,
                           const float *values);

// Makes a texture the one that a sampler reads. Unit 0 is the one of wp_program_draw().
void wp_program_read(struct wp_program *program, const char *sampler, int unit,
                     const struct wp_texture *texture);

void wp_program_use(struct wp_program *program);

// What the shaders of tiles read and write. NULL for what the program does not use.
struct wp_tile_textures {
    const struct wp_texture *source, *low; // the samplers `source` and `low`
    const struct wp_texture *result;       // image 0 of all layers, or the target of a draw
};

// Channels of a target: bit c is set for channel c.
enum { WP_DRAW_RED = 1, WP_DRAW_ALL = 15 };

// Runs the program on a rectangle of `target`'s texels, reading `source` through the sampler
// `source`. Source and target must differ: GL does not tell of a feedback loop. Channels that are
// not named stay.
void wp_program_draw(struct wp_program *program, const struct wp_texture *source,
                     const struct wp_texture *target, int x, int y, int width, int height,
                     unsigned channels);

// The same of a layered program, into layers of targets; what it reads was named by
// wp_program_read().
void wp_program_draw_targets(struct wp_program *program, const struct wp_targets *targets, int x,
                             int y, int width, int height, unsigned channels);

// The same with what tiles read, into all layers of `result`.
void wp_program_draw_layers(struct wp_program *program, const struct wp_tile_textures *textures,
                            int x, int y, int width, int height);

// The same for a compute shader; only where wp_gl_info.max_invocations is not 0.
struct wp_program *wp_program_get_compute(struct wp_gl *gl, const char *source);

// Runs groups_x * groups_y workgroups. What later commands read of the results is complete.
void wp_program_dispatch(struct wp_program *program, const struct wp_tile_textures *textures,
                         int groups_x, int groups_y);

// groups[0] * groups[1] * groups[2] of them on parts of a buffer as storage blocks, 0 to be read
// and 1 to be written.
void wp_program_dispatch_buffer(struct wp_program *program, const struct wp_buffer *buffer,
                                const struct wp_buffer_part *source,
                                const struct wp_buffer_part *result, const int groups[3]);

// The same on whole buffers as storage blocks, from number 0 on.
void wp_program_dispatch_buffers(struct wp_program *program, int count,
                                 const struct wp_buffer *const buffer[], const int groups[3]);

// The same between a part of a buffer, storage block 0, and textures.
void wp_program_dispatch_between(struct wp_program *program, const struct wp_buffer *buffer,
                                 const struct wp_buffer_part *part,
                                 const struct wp_tile_textures *textures, int groups_x,
                                 int groups_y);

// Draws a rectangle whose fragments write an image, nothing else; only where
// wp_gl_info.max_images is not 0. What later commands read of it is complete.
void wp_program_draw_image(struct wp_gl *gl, struct wp_program *program,
                           const struct wp_tile_textures *textures, int x, int y, int width,
                           int height);

// What stands between the two has a name in debuggers and traces (KHR_debug). May be nested.
void wp_gl_group_begin(struct wp_gl *gl, const char *name);
void wp_gl_group_end(struct wp_gl *gl);

// Waits for everything to be done. False after WP_ERROR_INTERNAL where GL reports an error.
bool wp_gl_finish(struct wp_gl *gl);

// A stopwatch on the GPU's own clock; only where wp_gl_info.gpu_timer is set. Not nested.
void wp_gl_timer_begin(struct wp_gl *gl);
double wp_gl_timer_end(struct wp_gl *gl); // seconds; waits for the result
// Where wp_gl_info.late_timer is set: the end without the result, and the seconds once a browser
// had its turn, negative before.
void wp_gl_timer_leave(struct wp_gl *gl);
double wp_gl_timer_late(struct wp_gl *gl);

#endif
