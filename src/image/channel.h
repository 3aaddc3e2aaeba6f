// The planes of an image to transform and display: all three of a color image, its luma, or one.
// Used by the command line, the viewer's state and reports.
#ifndef WP_CHANNEL_H
#define WP_CHANNEL_H

#include "image.h"
#include "rows.h"

#include <stdbool.h>

enum wp_channel {
    WP_CHANNEL_RGB,   // three planes, each transformed separately
    WP_CHANNEL_LUMA,  // wp_image_to_gray()
    WP_CHANNEL_FIRST, // plane 0; the following values are the other planes
    WP_CHANNELS = WP_CHANNEL_FIRST + WP_IMAGE_MAX_PLANES
};

// Planes that are displayed together in color.
enum { WP_COLOURS = 3 };

// Option values: "rgb", "luma", "0", ... by enum value, then "red", "green", "blue" for planes 0-2.
enum { WP_CHANNEL_WORDS = WP_CHANNELS + WP_COLOURS };
extern const char *const wp_channel_words[WP_CHANNEL_WORDS];
// Display names by enum value, those of a color image; "gray" is luma.
extern const char *const wp_channel_names[WP_CHANNELS];

// Finds a channel by one of the words. False after WP_ERROR_USAGE.
bool wp_channel_find(const char *word, enum wp_channel *channel);

// True if images of that many planes without alpha have the channel. Luma of a gray image is its
// plane.
bool wp_channel_is_of(enum wp_channel channel, int colours);

// The channel, or WP_CHANNEL_FIRST instead of WP_CHANNEL_RGB if the image is not RGB.
enum wp_channel wp_channel_or_first(enum wp_channel channel, int colours);

// Like wp_channel_is_of(), but false is reported as WP_ERROR_USAGE, with the name of the image.
bool wp_channel_check(enum wp_channel channel, int colours, const char *name);

// Removes all planes but the channel's and alpha. If wp_channel_check() fails, returns false and
// leaves the image unchanged.
bool wp_image_select_channel(struct wp_image *image, enum wp_channel channel, const char *name);

// The shape, without samples, of an image that is read by rows, reduced to the channel `word`
// (NULL: all planes). False if wp_channel_find() or wp_channel_check() fails.
bool wp_channel_shape(const char *word, const struct wp_rows_info *info, const char *name,
                      struct wp_image *shape);

#endif
