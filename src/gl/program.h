// Fragment and compute programs, draws and dispatches. All functions require their context to be
// current.
#ifndef WP_PROGRAM_H
#define WP_PROGRAM_H

#include "buffer.h"
#include "texture.h"

#include <stdbool.h>

struct wp_program;

// Returns the program of a fragment shader and a full-screen triangle. Each source is compiled once
// per kind of program and context, which owns it. NULL after WP_ERROR_TOO_LARGE, or after
// WP_ERROR_INTERNAL with the lines around the error. Sources are logged with level debug.
struct wp_program *wp_program_get(struct wp_gl *gl, const char *fragment_source);

// Rectangles of equal size in columns of `rows`, of which the last one may have fewer.
struct wp_stack {
    int count, rows; // count 0: one rectangle per draw
    int step[2];     // distances in texels along x and y
};

// Like wp_program_get(), for a shader that reads `flat in ivec2 plane`. After wp_program_stack(),
// each draw repeats the rectangle, with `plane` the column and the row of each one, and
// `plane_at[i]` these multiplied by the uniform `plane_steps[i]`, i < 4.
struct wp_program *wp_program_get_stacked(struct wp_gl *gl, const char *fragment_source);
void wp_program_stack(struct wp_program *program, const struct wp_stack *stack);

// Like wp_program_get(), for a shader that reads `flat in ivec2 drawn`, only for
// wp_program_draw_targets(). After wp_program_layers(), each draw writes `count` groups of layers
// (drawn.x), which begin `step` layers apart, and `layers` layers of each group (drawn.y).
struct wp_program *wp_program_get_layered(struct wp_gl *gl, const char *fragment_source);
void wp_program_layers(struct wp_program *program, int count, int step, int layers);

// Only if wp_gl_info.links_in_parallel is set. While `ahead` is true, the functions above start to
// compile programs that do not exist yet, and return NULL without a message. When
// wp_gl_is_linking() returns false, they return these programs without waiting.
void wp_gl_link_ahead(struct wp_gl *gl, bool ahead);
bool wp_gl_links_ahead(const struct wp_gl *gl);
bool wp_gl_is_linking(struct wp_gl *gl);

// The source of the program.
const char *wp_program_source(const struct wp_program *program);

// Set integer uniforms, and make the program the one in use. Names that the program does not use
// are ignored.
void wp_program_set(struct wp_program *program, const char *uniform, int value);
void wp_program_set2(struct wp_program *program, const char *uniform, int x, int y);
void wp_program_set3(struct wp_program *program, const char *uniform, const int values[3]);
void wp_program_set4(struct wp_program *program, const char *uniform, const int values[4]);

// Sets an array of integers, or of vectors of two or four.
void wp_program_set_array(struct wp_program *program, const char *uniform, int components,
                          int count, const int *values);

// Sets one to four floats.
void wp_program_set_floats(struct wp_program *program, const char *uniform, int count,
                           const float *values);

// Binds a texture to a sampler. Unit 0 is used by wp_program_draw().
void wp_program_read(struct wp_program *program, const char *sampler, int unit,
                     const struct wp_texture *texture);

void wp_program_use(struct wp_program *program);

// Textures of tile shaders. NULL for those that the program does not use.
struct wp_tile_textures {
    const struct wp_texture *source, *low; // samplers `source` and `low`
    const struct wp_texture *result;       // image 0 with all layers, or the target of a draw
};

// Channels of a target: bit c for channel c.
enum { WP_DRAW_RED = 1, WP_DRAW_ALL = 15 };

// Draws a rectangle of texels of `target`, with `source` bound to the sampler `source`. The two
// must differ: GL does not report a feedback loop. Only `channels` are written. A compute shader
// (shaders/texels.glsl) writes all channels, in workgroups of 16x16 invocations: its uniform
// `rectangle` has x, y, width and height, and its image 0 is the target.
void wp_program_draw(struct wp_program *program, const struct wp_texture *source,
                     const struct wp_texture *target, int x, int y, int width, int height,
                     unsigned channels);

// Draws with a layered program into layers of targets. Textures are bound with wp_program_read().
void wp_program_draw_targets(struct wp_program *program, const struct wp_targets *targets, int x,
                             int y, int width, int height, unsigned channels);

// Draws with the textures of a tile into all layers of `result`.
void wp_program_draw_layers(struct wp_program *program, const struct wp_tile_textures *textures,
                            int x, int y, int width, int height);

// Like wp_program_get() for a compute shader. Only if wp_gl_info.max_invocations is not 0.
struct wp_program *wp_program_get_compute(struct wp_gl *gl, const char *source);

// Runs groups_x * groups_y workgroups. Later commands see the results.
void wp_program_dispatch(struct wp_program *program, const struct wp_tile_textures *textures,
                         int groups_x, int groups_y);

// Runs groups[0] * groups[1] * groups[2] workgroups on parts of a buffer: storage block 0 is read,
// 1 is written.
void wp_program_dispatch_buffer(struct wp_program *program, const struct wp_buffer *buffer,
                                const struct wp_buffer_part *source,
                                const struct wp_buffer_part *result, const int groups[3]);

// Like wp_program_dispatch_buffer(), with complete buffers as storage blocks 0 to count - 1.
void wp_program_dispatch_buffers(struct wp_program *program, int count,
                                 const struct wp_buffer *const buffer[], const int groups[3]);

// Like wp_program_dispatch(), with a part of a buffer as storage block 0.
void wp_program_dispatch_between(struct wp_program *program, const struct wp_buffer *buffer,
                                 const struct wp_buffer_part *part,
                                 const struct wp_tile_textures *textures, const int groups[3]);

// Draws a rectangle whose fragments write only an image. Only if wp_gl_info.max_images is not 0.
// Later commands see the results.
void wp_program_draw_image(struct wp_gl *gl, struct wp_program *program,
                           const struct wp_tile_textures *textures, int x, int y, int width,
                           int height);

// Names a group of commands in debuggers and traces (KHR_debug). May be nested.
void wp_gl_group_begin(struct wp_gl *gl, const char *name);
void wp_gl_group_end(struct wp_gl *gl);

// Waits for all commands. Returns false after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL if GL reports
// an error.
bool wp_gl_finish(struct wp_gl *gl);

// Measures time on the GPU. Only if wp_gl_info.gpu_timer is set; cannot be nested.
void wp_gl_timer_begin(struct wp_gl *gl);
double wp_gl_timer_end(struct wp_gl *gl); // seconds; waits for the result
// Only if wp_gl_info.late_timer is set: _leave() ends the measurement; _late() returns the seconds
// when the browser has them, after control returned to it, or a negative number before.
void wp_gl_timer_leave(struct wp_gl *gl);
double wp_gl_timer_late(struct wp_gl *gl);

#endif
