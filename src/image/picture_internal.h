// What pictures of images' and of volumes' coefficients share. Internal to this layer.
#ifndef WP_PICTURE_INTERNAL_H
#define WP_PICTURE_INTERNAL_H

#include "bands.h"
#include "image.h"

// Memory for counting; free() it. NULL after WP_ERROR_TOO_LARGE.
size_t *wp_picture_bins(void);

// Draw a band of the coefficients in the same place of the picture: the low one in its own range,
// and others about zero. The low one gives the `floor` of the others, which counts as zero.
float wp_picture_low(struct wp_image *picture, const struct wp_image *coefficients,
                     const struct wp_band_view *view, size_t *bins);
void wp_picture_detail(struct wp_image *picture, const struct wp_image *coefficients,
                       const struct wp_band_view *view, float floor, size_t *bins);
void wp_picture_mark_nonfinite(struct wp_image *picture, const struct wp_image *coefficients);

// Lines between the bands of the Mallat layout.
void wp_picture_outlines(struct wp_image *picture, int width, int height, int levels);

// A name in the corner of a band, where there is room.
void wp_picture_name(struct wp_image *picture, const struct wp_band_view *view, const char *name);

// The height of a caption's strip, NULL for none, and the caption from row `top` on.
int wp_picture_caption_height(const char *caption, int width, int height);
void wp_picture_caption(struct wp_image *picture, const char *caption, int top);

#endif
