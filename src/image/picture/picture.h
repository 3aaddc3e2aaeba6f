// Pictures of coefficients for display.
#ifndef WP_PICTURE_H
#define WP_PICTURE_H

#include "description.h"
#include "image.h"

#include <stdbool.h>

struct wp_picture_params {
    int levels; // of the transform; 0: all samples are LL
    enum wp_layout layout;
    bool labels;         // name the bands in which readable text fits
    const char *caption; // UTF-8, wrapped, in a strip below the picture; NULL: no caption
};

// Draws the coefficients of an image as a new image with values in 0..1 for wp_image_write(); the
// caller destroys it. It has the size of the coefficients plus the strip of the caption. It has
// three planes if they have three color planes or values that are not finite, else one, and no
// alpha.
//
// LL is stretched to its range of values. Each detail band is stretched about zero, which is
// exactly 128/255, with one scale for all planes. A small share of extreme values is excluded from
// the ranges and saturates. Details below the precision of float arithmetic count as zero. Values
// that are not finite are red and do not affect the scales. In the Mallat layout, lines separate
// the bands where these are large enough.
//
// Allocates half a megabyte besides the result. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_picture_create(const struct wp_image *coefficients,
                                   const struct wp_picture_params *params);

// Like wp_picture_create(), for a volume, with levels and layout of the description. The
// coefficients may have more slices than the description; only its slices are drawn. The picture
// has panels: a slice through the middle of the low band along z, then one through each high band
// from the last level to the first. Each band in a panel is stretched and named separately, at its
// position in the Mallat layout.
struct wp_image *wp_picture_create_volume(const struct wp_image *coefficients,
                                          const struct wp_description *description,
                                          const struct wp_picture_params *params);

// Like wp_picture_create(), for wavelet packets: nodes of the tree of the description, stretched and
// named separately, and lines between the children of each node that is split.
struct wp_image *wp_picture_create_packets(const struct wp_image *coefficients,
                                           const struct wp_description *description,
                                           const struct wp_picture_params *params);

// Like wp_picture_create(), for coefficients that are more than the samples. Redundant bands have a
// panel each, of volumes of their middle slice: a row for each level, from the first to the last,
// and one for the low band, or as many columns as make the picture square if levels have one band.
// Those of the borders of PyWavelets, of images, are at their positions in the array.
struct wp_image *wp_picture_create_bands(const struct wp_image *coefficients,
                                         const struct wp_description *description,
                                         const struct wp_picture_params *params);

#endif
