// Paths of output files.
#ifndef WP_OUTPUT_PATH_H
#define WP_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

// Follows symbolic links, also to a file that does not exist. free() the result. NULL with errno
// set on failure.
char *wp_output_target(const char *path);

struct wp_output_named {
    const char *option, *path; // an option ("--json") and its argument, or NULL
};

// False after WP_ERROR_USAGE if two of the outputs are the same file, or both stdout.
bool wp_output_check_apart(const struct wp_output_named *outputs, size_t count);

#endif
