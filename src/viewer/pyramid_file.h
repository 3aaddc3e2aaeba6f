// Coefficients of an image of any size, read as the tiles of a pyramid: each is a region of the
// inverse transform (region.h). No OpenGL; one thread at a time, but for what says otherwise.
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
    bool of_file;         // samples are those of a file of 8 or 16 bits, divided by its maximum
    char wavelet[64];     // for people
};

// Whether `path` is for a pyramid: coefficients in tiles, or an image or coefficients that take
// more than `limit` bytes as a whole (0: nobody knows) or are wider than textures are, where parts
// of these can be read. Without an error: what is wrong with a file is said by whoever reads it.
// `coefficients` tells which of the two it is.
bool wp_pyramid_accepts(const char *path, const struct wp_read_params *read, double limit,
                      bool *coefficients);

// Coefficients with their description; `sidecar` NULL: which lies beside them. NULL after an error.
struct wp_pyramid_file *wp_pyramid_file_open(const char *path, const struct wp_sidecar *sidecar);
void wp_pyramid_file_close(struct wp_pyramid_file **file); // accepts NULL, clears the pointer
const struct wp_pyramid_info *wp_pyramid_file_info(const struct wp_pyramid_file *file);

// Planes that a channel has of it: WP_COLOURS, or 1.
int wp_pyramid_planes(int colours, enum wp_channel channel);

// Bytes that reading takes beside the tile, at most.
size_t wp_pyramid_file_memory(int colours);

// A tile's planes, one behind the other, as the image would have them: low bands without the gain
// of their norm, integers of 8 and 16 bits from 0 to 1. The caller frees them. NULL after an error:
// WP_ERROR_FILE also where the file is not what it was when it was opened. Where `*stop` becomes
// true meanwhile, in whatever thread, it returns NULL soon.
float *wp_pyramid_file_read(struct wp_pyramid_file *file, enum wp_channel channel,
                            struct wp_pyramid_tile tile, const atomic_bool *stop);

#endif
