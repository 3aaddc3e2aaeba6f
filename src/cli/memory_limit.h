// How much memory a command may take for images, and which then go in strips of rows.
#ifndef WP_MEMORY_LIMIT_H
#define WP_MEMORY_LIMIT_H

#include "options.h"

#include <stdbool.h>

// Of a command's options: SIZE as text.
extern const struct wp_option wp_options_memory[]; // const char *: --memory

// How many bytes a command may take for images. False after WP_ERROR_USAGE.
struct wp_memory_limit {
    double bytes; // a quarter of the computer's memory, where none was given; 0: not known
    bool given;
};
bool wp_memory_limit(const char *memory, struct wp_memory_limit *limit);

// Whether what takes `whole` bytes at once goes in strips: where that is above the limit. `why` is
// NULL, or why it cannot. False after WP_ERROR_TOO_LARGE where it would have to: where a limit was
// given, or half the memory is not enough.
bool wp_memory_choose(const struct wp_memory_limit *limit, double whole, const char *name,
                      const char *why, bool *strips);
// What image and coefficients of that size take at once.
double wp_memory_of_image(int width, int height, int planes);

#endif
