// Shared by the pictures of images and volumes of coefficients. Internal to this layer.
#ifndef WP_PICTURE_INTERNAL_H
#define WP_PICTURE_INTERNAL_H

#include "bands.h"
#include "image.h"

// Allocates the histogram; free() it. NULL after WP_ERROR_TOO_LARGE.
size_t *wp_picture_bins(void);

// Creates a picture of the size of the coefficients with room for the caption below, and *bins as
// wp_picture_bins(). It is in color if they are, or if some are `nonfinite`, which are marked in
// color. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_picture_begin(const struct wp_image *coefficients, const char *caption,
                                  bool nonfinite, size_t **bins);

// Draw a band at its position: the low band in its range of values, detail bands about zero.
// wp_picture_low() returns the `floor` of the detail bands; magnitudes up to it count as zero.
float wp_picture_low(struct wp_image *picture, const struct wp_image *coefficients,
                     const struct wp_band_view *view, size_t *bins);
void wp_picture_detail(struct wp_image *picture, const struct wp_image *coefficients,
                       const struct wp_band_view *view, float floor, size_t *bins);
void wp_picture_mark_nonfinite(struct wp_image *picture, const struct wp_image *coefficients);

// Draws lines between the bands of the Mallat layout.
void wp_picture_outlines(struct wp_image *picture, int width, int height, int levels);

// Draws the lines of a level between the four bands of a rectangle, which has a size and a position
// in coefficients of the given size. False if it is too small.
bool wp_picture_split(struct wp_image *picture, int width, int height, const int first[2],
                      const int size[2], int level);

// Draws a name in the corner of a band, if it fits.
void wp_picture_name(struct wp_image *picture, const struct wp_band_view *view, const char *name);

// Panels of a picture: the pixels between them, the number of columns that makes the picture as
// square as possible, and the copy of one of them to its position.
enum { WP_PICTURE_GAP = 8 };
int wp_picture_columns(int count, int width, int height);
void wp_picture_fill(struct wp_image *picture, float value);
void wp_picture_put(const struct wp_image *part, int width, int height, struct wp_image *picture,
                    int left, int top);

// The height of the caption's strip in rows (0 if `caption` is NULL), and drawing it from row
// `top`.
int wp_picture_caption_height(const char *caption, int width, int height);
void wp_picture_caption(struct wp_image *picture, const char *caption, int top);

#endif
