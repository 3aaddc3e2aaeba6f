// Transfers of integers and halves between the caller's memory and the GPU. A texture of 32-bit
// words has the samples of a slice in the caller's format; shaders convert from and to floats
// (shaders/pixel_pack.glsl). Values of numbers are looked up in a table that the host computes,
// so that they are bit-identical to the host's, whatever the precision of the GPU's division. Every
// function requires the context to be current.
#ifndef WP_PIXEL_PACK_H
#define WP_PIXEL_PACK_H

#include "context.h"
#include "elements.h"
#include "operand.h"
#include "program.h"
#include "text.h"
#include "texture.h"

// Supported types, as bits of wp_backend.elements.
enum { WP_PIXEL_PACK_ELEMENTS = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_U8 | 1 << WP_ELEMENT_U16 };

struct wp_pixel_pack {
    struct wp_texture texture;
    struct wp_texture counts;  // numbers of lost samples
    struct wp_texture table;   // value of each number, 256 per row
    unsigned *strip;           // words of some rows of texels
    // The format:
    struct wp_operand pixels;
    struct wp_element_scale scale;
    int size[2];  // samples of a plane along x and y
    int channels; // number of interleaved planes, else 1
    int row;      // words per row
    int bits;     // log2 of the texture's width
};

// Creates the textures for a description's image, unless that has floats.
bool wp_pixel_pack_create(struct wp_pixel_pack *pack, struct wp_gl *gl,
                          const struct wp_description *description);

// Prepares for pixels of such an image. False after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL;
// textures that were created are reused by later calls.
bool wp_pixel_pack_prepare(struct wp_pixel_pack *pack, struct wp_gl *gl,
                           const struct wp_description *description,
                           const struct wp_operand *pixels);
void wp_pixel_pack_destroy(struct wp_pixel_pack *pack); // accepts {0}, resets to {0}

// Adds the functions for a shader that reads words, writes them, or counts lost samples.
enum wp_pixel_pack_act { WP_PIXEL_PACK_READ, WP_PIXEL_PACK_WRITE, WP_PIXEL_PACK_COUNT };
void wp_pixel_pack_emit(enum wp_pixel_pack_act act, struct wp_text *source);

// Sets the uniforms of such a program.
void wp_pixel_pack_set(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                       struct wp_program *program);

// The texture that it writes.
const struct wp_texture *wp_pixel_pack_target(const struct wp_pixel_pack *pack,
                                              enum wp_pixel_pack_act act);

// Copies a slice of `channels` planes, from number `plane` on, to the texture, or waits and copies
// it from the texture and adds the counts to pixels.lost.
void wp_pixel_pack_load(const struct wp_pixel_pack *pack, int plane, int z);
bool wp_pixel_pack_store(const struct wp_pixel_pack *pack, int plane, int z);

// Are lost samples to be counted?
bool wp_pixel_pack_counts(const struct wp_pixel_pack *pack);

#endif
