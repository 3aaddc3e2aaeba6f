// Integers and halves of a caller's memory on their way to and from the GPU: a slice's samples, as
// the memory has them, in a texture of words, of which shaders make floats or which they fill
// (shaders/pixel_pack.glsl). What numbers stand for is a table of what the host makes of each, so that it is
// that to the last bit whatever a GPU's division is worth. Every function needs the context to be
// current.
#ifndef WP_PIXEL_PACK_H
#define WP_PIXEL_PACK_H

#include "context.h"
#include "elements.h"
#include "operand.h"
#include "program.h"
#include "text.h"
#include "texture.h"

// What they can hold, as bits of wp_backend.elements.
enum { WP_PIXEL_PACK_ELEMENTS = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_U8 | 1 << WP_ELEMENT_U16 };

struct wp_pixel_pack {
    struct wp_texture texture;
    struct wp_texture counts;  // of what is lost
    struct wp_texture table;   // 256 texels a row
    unsigned *strip;           // words on their way
    // What they are words of:
    struct wp_pixels pixels;
    struct wp_element_scale scale;
    int size[2];  // samples of a plane along x and y
    int channels; // planes whose samples lie side by side there, or 1
    int row;      // words of a row
    int bits;     // log2 of a row of texels
};

// Makes the memory for those of a description's image, where that is not of floats.
bool wp_pixel_pack_create(struct wp_pixel_pack *pack, struct wp_gl *gl,
                     const struct wp_description *description);

// Makes them ready for the pixels of such an image. False after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL, and what was made is kept for the next time.
bool wp_pixel_pack_prepare(struct wp_pixel_pack *pack, struct wp_gl *gl,
                      const struct wp_description *description, const struct wp_pixels *pixels);
void wp_pixel_pack_destroy(struct wp_pixel_pack *pack); // accepts {0}, leaves {0}

// Adds what stands before a shader that reads them, that writes them, or that counts what is lost.
enum wp_pixel_pack_act { WP_PIXEL_PACK_READ, WP_PIXEL_PACK_WRITE, WP_PIXEL_PACK_COUNT };
void wp_pixel_pack_emit(enum wp_pixel_pack_act act, struct wp_text *source);

// Tells such a program of them.
void wp_pixel_pack_set(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                  struct wp_program *program);

// The texture that it fills.
const struct wp_texture *wp_pixel_pack_target(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act);

// Brings a slice of `channels` planes, from number `plane` on, to the texture; and back, waiting for
// it, with what was counted added to pixels.lost.
void wp_pixel_pack_load(const struct wp_pixel_pack *pack, int plane, int z);
bool wp_pixel_pack_store(const struct wp_pixel_pack *pack, int plane, int z);

// Whether anybody wants to know what is lost.
bool wp_pixel_pack_counts(const struct wp_pixel_pack *pack);

#endif
