// Test patterns that need no file: images, and volumes, of which one slice is an image.
#ifndef WP_PATTERN_H
#define WP_PATTERN_H

#include "image.h"

enum { WP_PATTERN_SIDE_MAX = 65536 };

struct wp_pattern {
    const char *name, *description;
};

// The patterns by number, for lists. NULL from wp_pattern_count() on.
int wp_pattern_count(void);
const struct wp_pattern *wp_pattern_get(int number);

// What stands behind "pattern:", or NULL where a path does not begin so.
const char *wp_pattern_of_path(const char *path);

// Draws "NAME", "NAME:WxH", of some "NAME:WxHxD" or, for noise, "NAME:SIZE:SEED", values in 0..1,
// 512x512 where no size is given. NULL after WP_ERROR_USAGE or WP_ERROR_TOO_LARGE.
struct wp_image *wp_pattern_create(const char *text);

// The same; with WP_VOLUME_NO, WP_ERROR_USAGE where there is more than one slice.
struct wp_image *wp_pattern_create_as(const char *text, enum wp_volume volume);

#endif
