// Where outputs lead to, by whatever names.
#ifndef WP_OUTPUT_PATH_H
#define WP_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

// The same path with symbolic links followed, also to a file that is not there yet; free() it. NULL
// where errno says why.
char *wp_output_target(const char *path);

struct wp_output_named {
    const char *option, *path; // what the user called it, "--json"; NULL: there is none
};

// False after WP_ERROR_USAGE where two of these outputs are one file, or both stdout.
bool wp_output_check_apart(const struct wp_output_named *outputs, size_t count);

#endif
