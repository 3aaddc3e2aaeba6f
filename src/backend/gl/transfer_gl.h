// Transfers between surfaces and a texture with an array of samples or coefficients in one channel,
// in the layout of host memory: row 0 of the array is row 0 of texels. Every function requires the
// context to be current.
#ifndef WP_TRANSFER_GL_H
#define WP_TRANSFER_GL_H

#include "context.h"
#include "pixel_pack.h"
#include "schedule.h"
#include "texture.h"

// wp_transfer_load() and wp_transfer_store() for a complete transfer of quads. Quad (0, 0) is at
// (x, y) of the transfer in a 2-D texture, or in the transfer's layer. False after
// WP_ERROR_INTERNAL.
bool wp_transfer_load_texture(struct wp_gl *gl, const struct wp_description *description,
                              const struct wp_transfer *transfer, const struct wp_texture *from,
                              int channel, const struct wp_texture *to);
bool wp_transfer_store_texture(struct wp_gl *gl, const struct wp_description *description,
                               const struct wp_transfer *transfer, const struct wp_texture *from,
                               const struct wp_texture *to, int channel);

// Loads from a plane of packed words: the transfer's slice (slice `slice` of the image, -1: zeros)
// to a 2-D texture or a layer, where the plane begins at row `row`.
bool wp_transfer_load_packed(struct wp_gl *gl, const struct wp_description *description,
                             const struct wp_transfer *transfer, const struct wp_pixel_pack *pack,
                             int channel, int slice, const struct wp_layer *to, int row);

// Writes packed words, or the counts of lost samples, from `count` stores of one slice. Their
// layers are in one texture, counted from from->layer; the first plane begins at row `row`, the
// others at distances of `plane_rows`.
bool wp_transfer_store_packed(struct wp_gl *gl, const struct wp_transfer transfer[], int count,
                              const struct wp_layer *from, int row, int plane_rows,
                              const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act);

#endif
