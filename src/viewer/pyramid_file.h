// Coefficients of an image of any size, read as tiles of a pyramid, each a region of the inverse
// transform (region.h). Does not use OpenGL. Not thread-safe.
#ifndef WP_PYRAMID_FILE_H
#define WP_PYRAMID_FILE_H

#include "channel.h"
#include "pyramid.h"
#include "sidecar.h"

#include <stdatomic.h>
#include <stdbool.h>

struct wp_pyramid_file;

struct wp_pyramid_info {
    struct wp_pyramid pyramid;
    int colours;          // planes without alpha
    bool of_file;         // samples are integers of 8 or 16 bits divided by their maximum
    char wavelet[64];     // display name
};

// Opens coefficients with metadata; `sidecar` NULL: read the sidecar file. NULL after an error.
struct wp_pyramid_file *wp_pyramid_file_open(const char *path, const struct wp_sidecar *sidecar);
void wp_pyramid_file_close(struct wp_pyramid_file **file); // accepts NULL, sets it to NULL
const struct wp_pyramid_info *wp_pyramid_file_info(const struct wp_pyramid_file *file);

// The number of planes of a channel: WP_COLOURS or 1.
int wp_pyramid_planes(int colours, enum wp_channel channel);

// Maximum number of bytes needed for reading, without the tile.
size_t wp_pyramid_file_memory(int colours);

// Reads the planes of a tile, one after the other, with the range of the image: low bands are
// divided by the gain of their normalization, and integers of 8 and 16 bits are scaled to 0..1. The
// caller frees them. NULL after an error; WP_ERROR_FILE also if the file has changed since it was
// opened. Setting `*stop` in any thread cancels the call, which then returns NULL.
float *wp_pyramid_file_read(struct wp_pyramid_file *file, enum wp_channel channel,
                            struct wp_pyramid_tile tile, const atomic_bool *stop);

#endif
