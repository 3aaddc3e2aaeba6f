// Ports between surfaces and a texture that holds an array of samples or coefficients in one of its
// channels, as one in memory does: row 0 of the array is row 0 of texels. Every function needs the
// context to be current.
#ifndef WP_TRANSFER_GL_H
#define WP_TRANSFER_GL_H

#include "context.h"
#include "pixel_pack.h"
#include "plan.h"
#include "texture.h"

// As wp_transfer_load() and wp_transfer_store() of a whole port of quads, whose quad (0, 0) lies at (x, y)
// of the port in a 2-D texture or in the port's layer. False after WP_ERROR_INTERNAL.
bool wp_transfer_load_texture(struct wp_gl *gl, const struct wp_description *description,
                          const struct wp_transfer *transfer, const struct wp_texture *from, int channel,
                          const struct wp_texture *to);
bool wp_transfer_store_texture(struct wp_gl *gl, const struct wp_description *description,
                           const struct wp_transfer *transfer, const struct wp_texture *from,
                           const struct wp_texture *to, int channel);

// The same of words, of one of their planes: the port's slice (number `slice` of the image, -1 for
// zeros) to a 2-D texture, or to a layer of one, whose plane begins at row `row` there.
bool wp_transfer_load_packed(struct wp_gl *gl, const struct wp_description *description,
                        const struct wp_transfer *transfer, const struct wp_pixel_pack *pack, int channel,
                        int slice, const struct wp_layer *to, int row);

// Fills words, or the counts of what is lost, with what `count` store ports of one slice have in
// layers of one texture, from each port's `layer` + `layer` on. Its planes are `plane_rows` apart, and
// the first begins at row `row`.
bool wp_transfer_store_packed(struct wp_gl *gl, const struct wp_transfer transfer[], int count,
                         const struct wp_layer *from, int row, int plane_rows,
                         const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act);

#endif
