// Built-in test patterns: images and volumes.
#ifndef WP_PATTERN_H
#define WP_PATTERN_H

#include "image.h"

enum { WP_PATTERN_SIDE_MAX = 65536 };

struct wp_pattern {
    const char *name, *description;
};

// The number of patterns, and a pattern by number from 0; NULL if there is none.
int wp_pattern_count(void);
const struct wp_pattern *wp_pattern_get(int number);

// The part of a path after "pattern:", or NULL if it does not begin with it.
const char *wp_pattern_of_path(const char *path);

// Draws "NAME", "NAME:WxH", for some patterns "NAME:WxHxD" and for noise "NAME:SIZE:SEED". Values
// are in 0..1; the default size is 512x512. NULL after WP_ERROR_USAGE or WP_ERROR_TOO_LARGE.
struct wp_image *wp_pattern_create(const char *text);

// Like wp_pattern_create(). If `volume` is WP_VOLUME_NO, more than one slice is WP_ERROR_USAGE.
struct wp_image *wp_pattern_create_as(const char *text, enum wp_volume volume);

#endif
