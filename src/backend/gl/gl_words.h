// Integers and halves of a caller's memory on their way to and from the GPU: a slice's samples, as
// the memory has them, in a texture of words, of which shaders make floats or which they fill
// (shaders/words.glsl). What numbers stand for is a table of what the host makes of each, so that it is
// that to the last bit whatever a GPU's division is worth. Every function needs the context to be
// current.
#ifndef WP_GL_WORDS_H
#define WP_GL_WORDS_H

#include "context.h"
#include "elements.h"
#include "place.h"
#include "program.h"
#include "text.h"
#include "texture.h"

// What they can hold, as bits of wp_backend.elements.
enum { WP_WORDS_ELEMENTS = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_U8 | 1 << WP_ELEMENT_U16 };

struct wp_words {
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
bool wp_words_create(struct wp_words *words, struct wp_gl *gl,
                     const struct wp_description *description);

// Makes them ready for the pixels of such an image. False after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL, and what was made is kept for the next time.
bool wp_words_prepare(struct wp_words *words, struct wp_gl *gl,
                      const struct wp_description *description, const struct wp_pixels *pixels);
void wp_words_destroy(struct wp_words *words); // accepts {0}, leaves {0}

// Adds what stands before a shader that reads them, that writes them, or that counts what is lost.
enum wp_words_act { WP_WORDS_READ, WP_WORDS_WRITE, WP_WORDS_COUNT };
void wp_words_emit(enum wp_words_act act, struct wp_text *source);

// Tells such a program of them.
void wp_words_set(const struct wp_words *words, enum wp_words_act act,
                  struct wp_program *program);

// The texture that it fills.
const struct wp_texture *wp_words_target(const struct wp_words *words, enum wp_words_act act);

// Brings a slice of `channels` planes, from number `plane` on, to the texture; and back, waiting for
// it, with what was counted added to pixels.lost.
void wp_words_load(const struct wp_words *words, int plane, int z);
bool wp_words_store(const struct wp_words *words, int plane, int z);

// Whether anybody wants to know what is lost.
bool wp_words_counts(const struct wp_words *words);

#endif
