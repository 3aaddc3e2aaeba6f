// The picture of coefficients that people look at.
#ifndef WP_PICTURE_H
#define WP_PICTURE_H

#include "description.h"
#include "image.h"

#include <stdbool.h>

struct wp_picture_params {
    int levels; // of the transform; with 0 all is LL
    enum wp_layout layout;
    bool labels;         // name the bands, where there is room for readable text
    const char *caption; // UTF-8, in a strip below the picture, wrapped; NULL = none
};

// Draws coefficients of an image as a new image with values in 0..1, for wp_image_write(), which
// the caller owns. It has the coefficients' size plus the caption's strip, three planes where they
// have three colour planes or values that are not finite, else one; alpha is left out.
//
// LL is stretched to its own range. Each detail band is stretched about zero, which is drawn
// as 128/255 exactly, by one scale for all its planes. Both ranges leave out the few most
// extreme values, which saturate. Details below the precision of float arithmetic count as
// zero. What is not finite is red and has no influence on the scales. In the Mallat layout
// lines separate the bands where they are large enough.
//
// Memory: the result and half a megabyte. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_picture_create(const struct wp_image *coefficients,
                                   const struct wp_picture_params *params);

// The same of a volume, which may hold more slices than the description, of which the first are
// drawn; levels and layout are the description's. A slice through the middle of what is low along
// z, then one through each high band from the last level to the first, side by side; each band that
// a slice goes through is stretched and named by itself, in its place in the Mallat layout.
struct wp_image *wp_picture_create_volume(const struct wp_image *coefficients,
                                          const struct wp_description *description,
                                          const struct wp_picture_params *params);

#endif
