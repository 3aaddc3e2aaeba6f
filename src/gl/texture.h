// Float textures that can be rendered to, and textures of the caller. All functions require their
// context to be current.
#ifndef WP_TEXTURE_H
#define WP_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>

struct wp_gl;

enum { WP_TEXTURE_VIEWS = 5 };

// A texture with one level, immutable storage, NEAREST filters and a framebuffer; RGBA32F unless
// the parameters say otherwise. {0}: no texture.
struct wp_texture {
    unsigned id, framebuffer;
    int width, height;       // in texels
    int layers;              // of an array texture, each attached to the framebuffer; else 0
    bool deep;               // the framebuffer has at most one layer, the one that is read
    unsigned target, format; // GL_TEXTURE_2D…, GL_RGBA32F…
    unsigned view[WP_TEXTURE_VIEWS]; // of deep textures: views of the layers from i on, if it has
                                     // more and wp_gl_info.texture_views is set; [0] is `id`
    int integers; // of the caller's textures: the largest value of channels of unsigned normalized
                  // integers of 8 or 16 bits, 2^8 - 1 or 2^16 - 1; else 0
    bool half;    // of the caller's textures: 16-bit floats
};

struct wp_texture_params {
    int width, height;
    int layers;  // 1 to 8: a 2-D array texture; 0: a 2-D texture
    bool deep;   // 1 or more layers, drawn on through wp_targets
    bool half;   // 16-bit floats
    bool words;  // one channel of 32-bit unsigned integers (R32UI)
};

// Creates a texture with undefined content. Returns false after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL, with {0}.
bool wp_texture_create_from(struct wp_gl *gl, const struct wp_texture_params *params,
                            struct wp_texture *texture);
bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture);
void wp_texture_destroy(struct wp_texture *texture); // accepts {0}, leaves {0}

enum { WP_TARGETS_MAX = 8 }; // attachments that every OpenGL 3.3 supports

struct wp_layer {
    const struct wp_texture *texture;
    int layer;
};

// Deep textures as the attachments of one framebuffer, each from a first layer on. Without views
// all first layers must be equal; with views they differ by at most WP_TEXTURE_VIEWS - 1. Must be
// destroyed before the textures. NULL after WP_ERROR_TOO_LARGE.
struct wp_targets *wp_targets_create(void);
void wp_targets_set(struct wp_targets *targets, const struct wp_layer first[], int count);
unsigned wp_targets_framebuffer(const struct wp_targets *targets);
int wp_targets_first(const struct wp_targets *targets); // the smallest of the first layers
void wp_targets_destroy(struct wp_targets **targets); // accepts NULL, clears the pointer

// One layer of an array texture as a texture with a framebuffer, until wp_texture_unbind().
// `texture` must outlive it. Returns false after WP_ERROR_INTERNAL, with {0}.
bool wp_texture_of_layer(const struct wp_texture *texture, int layer, struct wp_texture *result);

// The first level of a caller's 2-D texture, to be read. It must have at least this size and number
// of channels, of floats or normalized integers. Returns false after WP_ERROR_USAGE, with {0}.
bool wp_texture_of_name(unsigned name, int width, int height, int channels,
                        struct wp_texture *result);
// wp_texture_of_name() with a framebuffer, to be drawn on. Channels must be floats; for images also
// those of `integers`.
bool wp_texture_of_target(unsigned name, int width, int height, int channels, bool image,
                          struct wp_texture *result);
// Destroys the framebuffer, not the texture. Accepts {0}, leaves {0}.
void wp_texture_unbind(struct wp_texture *texture);

// Copy a rectangle of texels from or to memory: 4 floats per texel, rows without padding, row 0 is
// row y of the texture. Reading waits for the GPU. Values for 16-bit textures are rounded to
// nearest; writing them returns false after WP_ERROR_TOO_LARGE if memory is exhausted.
bool wp_texture_write(const struct wp_texture *texture, int x, int y, int width, int height,
                      const float *texels);
void wp_texture_read(const struct wp_texture *texture, int x, int y, int width, int height,
                     float *texels);

// Like the functions above, which use layer 0, for a layer of an array texture.
bool wp_texture_write_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                            int height, const float *texels);
void wp_texture_read_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                           int height, float *texels);

// Like the functions above, for a texture of `words`, one integer per texel.
void wp_texture_write_words(const struct wp_texture *texture, int x, int y, int width, int height,
                            const void *words);

// An asynchronous copy of texels to memory. {0}: no copy.
struct wp_texture_copy {
    unsigned buffer;
    size_t bytes;
};

// Starts to copy a rectangle of at least 16 bytes. The copy can be used again after
// wp_texture_copy_return().
void wp_texture_copy_begin(struct wp_texture_copy *copy, const struct wp_texture *texture,
                           int layer, int x, int y, int width, int height);
// Waits for the texels, which are valid until wp_texture_copy_return(). NULL after
// WP_ERROR_INTERNAL.
const void *wp_texture_copy_wait(const struct wp_texture_copy *copy);
void wp_texture_copy_return(const struct wp_texture_copy *copy);
void wp_texture_copy_destroy(struct wp_texture_copy *copy); // accepts {0}, leaves {0}

#endif
