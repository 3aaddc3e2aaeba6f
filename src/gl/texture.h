// Float textures that can be rendered to. All functions need their context to be current.
#ifndef WP_TEXTURE_H
#define WP_TEXTURE_H

#include <stdbool.h>

struct wp_gl;

// RGBA32F, one level, NEAREST, immutable storage, with a framebuffer of its own. {0} is no
// texture.
struct wp_texture {
    unsigned id, framebuffer;
    int width, height; // in texels
};

// Its content is undefined. False after WP_ERROR_TOO_LARGE that names size and limit.
bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture);
void wp_texture_destroy(struct wp_texture *texture); // accepts {0}, leaves {0}

// One component (R32F) and no framebuffer: for images that shaders write and read. {0} after
// the same failures.
bool wp_texture_create_single(struct wp_gl *gl, int width, int height,
                              struct wp_texture *texture);

// Copies a rectangle of texels from or to memory: 4 floats a texel, rows without padding,
// row 0 is the texture's row y. Reading waits for the GPU.
void wp_texture_write(const struct wp_texture *texture, int x, int y, int width, int height,
                      const float *texels);
void wp_texture_read(const struct wp_texture *texture, int x, int y, int width, int height,
                     float *texels);

#endif
