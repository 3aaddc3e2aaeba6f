// Copies of one level's samples or coefficients: between host memory and textures, and between the
// textures of a redundant bank. All functions require the viewer's context to be current.
#ifndef WP_EXCHANGE_H
#define WP_EXCHANGE_H

#include "description.h"
#include "texture.h"

// The texture has at texel (x, y) the first quad of the level: component c of a quad has band c.
// For level 0 these are the samples of 2x2 pixels; redundant banks have a quad for each sample.
// `plane` has the samples, or the coefficients (wp_description_coefficients()). False after
// WP_ERROR_TOO_LARGE.
bool wp_exchange_upload(const struct wp_description *description, int level, const float *plane,
                        const struct wp_texture *texture);
bool wp_exchange_download(const struct wp_description *description, int level,
                          const struct wp_texture *texture, int x, int y, float *plane);

// Values are those of elements.frag.
enum wp_elements_act {
    WP_ELEMENTS_COPY,  // quads of a redundant bank
    WP_ELEMENTS_SPLIT, // the samples of 2x2 pixels to component 0 of a quad each
    WP_ELEMENTS_JOIN   // back
};

// Draws all quads of `to`, at least one for each of width x height samples or 2x2 of them, in its
// precision. False after the error of wp_program_get().
bool wp_elements_draw(struct wp_gl *gl, enum wp_elements_act act, const struct wp_texture *from,
                      int x, int y, const struct wp_texture *to, bool half, int width, int height);

#endif
