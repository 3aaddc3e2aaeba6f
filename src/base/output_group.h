// A group of output files, such as the frames of a clip. Each is written to a temporary directory
// next to the output, and moved when all are complete.
#ifndef WP_OUTPUT_GROUP_H
#define WP_OUTPUT_GROUP_H

#include <stdbool.h>

struct wp_output_group;

// Creates the temporary directory. `path` is the path of one of the files, `suffix` (".png") the
// end of their names. NULL after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_output_group *wp_output_group_open(const char *path, const char *suffix);

// The path for the next file, valid until the next call.
const char *wp_output_group_next(struct wp_output_group *group);

int wp_output_group_count(const struct wp_output_group *group);

// Moves file `number` (from 1) to `path` and replaces an existing file. False after WP_ERROR_FILE.
bool wp_output_group_move(struct wp_output_group *group, int number, const char *path);

// Removes the directory and all files in it. Accepts NULL, sets the pointer to NULL.
void wp_output_group_discard(struct wp_output_group **group);

// Removes the open group from a signal handler. False if another thread created a file meanwhile.
// Async-signal-safe.
bool wp_output_group_discard_on_signal(void);

#endif
