// Which planes of an image are transformed and seen: all three of a colour image, its luma, or one.
// One notion for the command line, the viewer's state and reports.
#ifndef WP_CHANNEL_H
#define WP_CHANNEL_H

#include "image.h"
#include "rows.h"

#include <stdbool.h>

enum wp_channel {
    WP_CHANNEL_RGB,   // three planes, each by itself
    WP_CHANNEL_LUMA,  // wp_image_to_gray()
    WP_CHANNEL_FIRST, // one plane, and the others behind it
    WP_CHANNELS = WP_CHANNEL_FIRST + WP_IMAGE_MAX_PLANES
};

// Planes that are seen together: of a colour image, else 1.
enum { WP_COLOURS = 3 };

// "rgb", "luma", "0", …, by the enum, and behind these "red", "green", "blue" for the first three.
enum { WP_CHANNEL_WORDS = WP_CHANNELS + WP_COLOURS };
extern const char *const wp_channel_words[WP_CHANNEL_WORDS];
// By the enum, as people call those of a colour image; "gray" is luma.
extern const char *const wp_channel_names[WP_CHANNELS];

// One of the words. False after WP_ERROR_USAGE.
bool wp_channel_find(const char *word, enum wp_channel *channel);

// Whether images of so many planes without alpha have it: luma is gray's own plane, too.
bool wp_channel_is_of(enum wp_channel channel, int colours);

// What is taken of images without three planes where colour is wished for: the first.
enum wp_channel wp_channel_or_first(enum wp_channel channel, int colours);

// The same, but after WP_ERROR_USAGE, that `name` has no such channel.
bool wp_channel_check(enum wp_channel channel, int colours, const char *name);

// Leaves the channel's planes and alpha. False as wp_channel_check(), with the image as it was.
bool wp_image_select_channel(struct wp_image *image, enum wp_channel channel, const char *name);

// The shape, without samples, that an image which is read by rows has once the channel called `word`
// was taken of it, or, of NULL, all of it. False as wp_channel_find() and wp_channel_check().
bool wp_channel_shape(const char *word, const struct wp_rows_info *info, const char *name,
                      struct wp_image *shape);

#endif
