// What targets of images share.
#ifndef WP_FUZZ_IMAGE_H
#define WP_FUZZ_IMAGE_H

#include "image.h"

#include <stdbool.h>
#include <stddef.h>

// What the readers make of a file in memory.
struct wp_image *fuzz_parse(const unsigned char *data, size_t size, enum wp_volume volume);

// The same, which is one answer, twice the same and as an image should be.
struct wp_image *fuzz_read_twice(const unsigned char *data, size_t size, enum wp_volume volume);

// Of sizes, planes and samples, to the bit.
bool fuzz_same_samples(const struct wp_image *a, const struct wp_image *b);

#endif
