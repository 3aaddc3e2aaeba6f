// Files that belong together, such as the frames of a clip: each is written into a directory that
// is made beside them for the time, and gets its name when all are there.
#ifndef WP_OUTPUT_GROUP_H
#define WP_OUTPUT_GROUP_H

#include <stdbool.h>

struct wp_output_group;

// `path` is of one of the files, `suffix` (".png") what their names end in. NULL after
// WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_output_group *wp_output_group_open(const char *path, const char *suffix);

// Where the next file is to be written. It holds until the next call.
const char *wp_output_group_next(struct wp_output_group *group);

int wp_output_group_count(const struct wp_output_group *group);

// Moves file `number`, from 1 on, to its own name, over what may be there. False after
// WP_ERROR_FILE.
bool wp_output_group_move(struct wp_output_group *group, int number, const char *path);

// Removes the directory with all that was not moved. Accepts NULL, clears the pointer.
void wp_output_group_discard(struct wp_output_group **group);

// The same, as the program is interrupted. False where another thread just wrote one more file.
// Async-signal-safe.
bool wp_output_group_discard_on_signal(void);

#endif
