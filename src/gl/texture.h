// Float textures that can be rendered to, and a program's of other kinds. All functions need their
// context to be current.
#ifndef WP_TEXTURE_H
#define WP_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>

struct wp_gl;

enum { WP_TEXTURE_VIEWS = 5 };

// RGBA32F where nothing else was asked for, one level, NEAREST, immutable storage, with a
// framebuffer of its own. {0} is no texture.
struct wp_texture {
    unsigned id, framebuffer;
    int width, height;       // in texels
    int layers;              // of an array texture, each an attachment of the framebuffer; else 0
    bool deep;               // the framebuffer has none of them, or one that was read
    unsigned target, format; // GL_TEXTURE_2D…, GL_RGBA32F…
    unsigned view[WP_TEXTURE_VIEWS]; // deep ones: the same from so many layers on, where there are
                                     // more and wp_gl_info.texture_views; from none on, itself
    int integers; // of a program's: the largest of channels of integers from 0 on that stand for
                  // 0..1 as they are, 2^8 - 1 or 2^16 - 1; else 0
    bool half;    // of a program's: it has 16-bit floats
};

struct wp_texture_params {
    int width, height;
    int layers;  // 1 to 8: a 2D array texture; 0: a 2D texture
    bool deep;   // 1 or more layers, drawn on as wp_targets
    bool half;   // 16-bit floats
    bool words;  // one channel of 32-bit integers without a sign (R32UI), for those who read or
                 // write nothing else of it than that
};

// Its content is undefined. False after WP_ERROR_TOO_LARGE that names size and limit; {0} then.
bool wp_texture_create_from(struct wp_gl *gl, const struct wp_texture_params *params,
                            struct wp_texture *texture);
bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture);
void wp_texture_destroy(struct wp_texture *texture); // accepts {0}, leaves {0}

enum { WP_TARGETS_MAX = 8 }; // as many attachments as every OpenGL 3.3 has

struct wp_layer {
    const struct wp_texture *texture;
    int layer;
};

// Deep textures that are drawn on together, as the attachments of one framebuffer, each from one of
// its layers on: the first that a draw writes. Those lie at most WP_TEXTURE_VIEWS - 1 apart, and
// only with views apart at all. It keeps textures alive, so it is to go before them. NULL after
// WP_ERROR_TOO_LARGE.
struct wp_targets *wp_targets_create(void);
void wp_targets_set(struct wp_targets *targets, const struct wp_layer first[], int count);
unsigned wp_targets_framebuffer(const struct wp_targets *targets);
int wp_targets_first(const struct wp_targets *targets); // layer, as the framebuffer counts them
void wp_targets_destroy(struct wp_targets **targets); // accepts NULL, clears the pointer

// One layer of a texture with layers as a texture to draw on, with a framebuffer of its own; until
// wp_texture_unbind(), and the texture lives longer. False after WP_ERROR_INTERNAL, {0} then.
bool wp_texture_of_layer(const struct wp_texture *texture, int layer, struct wp_texture *result);

// A program's 2-D texture by its name, to be read: its first level. Of at least so many texels and
// channels, none of integers. False after WP_ERROR_USAGE, {0} then.
bool wp_texture_of_name(unsigned name, int width, int height, int channels,
                        struct wp_texture *result);
// To be drawn on as well: with a framebuffer of ours, and channels of floats, or for an image of the
// `integers` above.
bool wp_texture_of_target(unsigned name, int width, int height, int channels, bool image,
                          struct wp_texture *result);
// Destroys the framebuffer, not the texture. Accepts {0}, leaves {0}.
void wp_texture_unbind(struct wp_texture *texture);

// Copies a rectangle of texels from or to memory: 4 floats a texel, rows without padding,
// row 0 is the texture's row y. Reading waits for the GPU. A texture of 16 bits gets what is
// nearest, unless there is no memory to round it in: false after WP_ERROR_TOO_LARGE then.
bool wp_texture_write(const struct wp_texture *texture, int x, int y, int width, int height,
                      const float *texels);
void wp_texture_read(const struct wp_texture *texture, int x, int y, int width, int height,
                     float *texels);

// The same of a layer of an array texture; layer 0 is what the others take.
bool wp_texture_write_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                            int height, const float *texels);
void wp_texture_read_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                           int height, float *texels);

// The same of a texture of words, an integer each.
void wp_texture_write_words(const struct wp_texture *texture, int x, int y, int width, int height,
                            const void *words);

// Texels on their way to memory: the GPU sends them while the host does something else. {0} is
// none.
struct wp_texture_copy {
    unsigned buffer;
    size_t bytes;
};

// Asks for a rectangle, as above, of at least 16 bytes. One at a time; a copy serves again once its texels are returned.
void wp_texture_copy_begin(struct wp_texture_copy *copy, const struct wp_texture *texture,
                           int layer, int x, int y, int width, int height);
// Waits for the texels, which stay until they are returned. NULL after WP_ERROR_INTERNAL.
const void *wp_texture_copy_wait(const struct wp_texture_copy *copy);
void wp_texture_copy_return(const struct wp_texture_copy *copy);
void wp_texture_copy_destroy(struct wp_texture_copy *copy); // accepts {0}, leaves {0}

#endif
