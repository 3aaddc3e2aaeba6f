// Shared code of the targets that read images.
#ifndef WP_FUZZ_IMAGE_H
#define WP_FUZZ_IMAGE_H

#include "image.h"

#include <stdbool.h>
#include <stddef.h>

// Reads a file in memory; NULL after an error.
struct wp_image *fuzz_parse(const unsigned char *data, size_t size, enum wp_volume volume);

// Like fuzz_parse(); also checks the image, and that reading again and by rows gives the same.
struct wp_image *fuzz_read_twice(const unsigned char *data, size_t size, enum wp_volume volume);

// Whether sizes, planes and all bits of the samples are equal.
bool fuzz_same_samples(const struct wp_image *a, const struct wp_image *b);

#endif
