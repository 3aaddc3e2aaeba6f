// The memory limit of commands for images; larger images are processed in row strips.
#ifndef WP_MEMORY_LIMIT_H
#define WP_MEMORY_LIMIT_H

#include "options.h"

#include <stdbool.h>

extern const struct wp_option wp_options_memory[]; // const char *: --memory

struct wp_memory_limit {
    double bytes; // by default a quarter of the computer's memory; 0: unknown
    bool given;   // by --memory
};

// Parses --memory; NULL is the default. False after WP_ERROR_USAGE.
bool wp_memory_limit(const char *memory, struct wp_memory_limit *limit);

// Sets `*strips` if `name`, which needs `bytes`, exceeds the limit and is to be processed in row
// strips. `why` is NULL, or the reason why that is not possible. False after WP_ERROR_TOO_LARGE if
// it is not possible and `bytes` exceeds the limit that was given or the computer's memory.
bool wp_memory_choose(const struct wp_memory_limit *limit, double bytes, const char *name,
                      const char *why, bool *strips);

// Bytes of an image and its coefficients.
double wp_memory_of_image(int width, int height, int planes);

#endif
