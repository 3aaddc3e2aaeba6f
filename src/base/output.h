// Output files that are complete or do not exist.
//
// A regular file is written under a temporary name in its directory and renamed by
// wp_output_commit(). "-" is stdout; it and existing files that are not regular (pipes, devices)
// are written directly. A symbolic link is kept, and its target is replaced or created. Without
// commit, no file is left.
#ifndef WP_OUTPUT_H
#define WP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct wp_output;
struct wp_output_group;

// Opens `path` for writing. NULL after WP_ERROR_FILE if it exists and `overwrite` is false, or if
// it cannot be written.
struct wp_output *wp_output_open(const char *path, bool overwrite);

// Opens an unnamed file in `directory`, which is its name in messages. The file is removed when its
// last descriptor is closed, so that commit only finishes writing: duplicate the descriptor of the
// stream to read the file afterwards. NULL after WP_ERROR_FILE.
struct wp_output *wp_output_open_unnamed(const char *directory);

// The stream to write to, owned by the output. Seekable for regular files.
FILE *wp_output_stream(struct wp_output *output);

// Flushes the file, checks for write errors and renames it. Frees the output in any case and sets
// the pointer to NULL. False after WP_ERROR_FILE; then no file is left.
bool wp_output_commit(struct wp_output **output);

// Commits two files that belong together: both are on the disk before `first` is renamed,
// immediately followed by `output`. `*first` may be NULL.
bool wp_output_commit_pair(struct wp_output **output, struct wp_output **first);

// Commits a file and then calls rest(user), which creates files that belong to it. If that returns
// false, the file is removed unless it replaced an existing one.
bool wp_output_commit_then(struct wp_output **output, bool (*rest)(void *user), void *user);

// Sets a function that is called immediately before a file replaces another one, with its path, and
// if that is a symbolic link, also with the target: to remove an associated file, such as metadata
// of the old file. It returns false with errno set if it cannot. Not called for `path` if `output`
// is committed with a `first`.
void wp_output_on_replace(struct wp_output *output, bool (*forget)(const char *path));

// The temporary path of the file; NULL if it is written directly.
const char *wp_output_temporary(const struct wp_output *output);

// Represents an output of another process of this program by its temporary path, which is removed
// if this process discards it or is terminated. NULL after WP_ERROR_TOO_LARGE.
struct wp_output *wp_output_adopt(const char *temporary);

// Writes a file with this text.
bool wp_output_text(const char *path, bool overwrite, const char *text);

// Closes an output and removes its file. Accepts NULL, sets the pointer to NULL.
void wp_output_discard(struct wp_output **output);

// False, after the same error, if wp_output_open() would fail, as far as can be checked without
// writing; for checks before a long computation.
bool wp_output_check(const char *path, bool overwrite);

// Removes the temporary files of all open outputs and groups. False if files are being renamed;
// then signal `number` is raised again afterwards. Async-signal-safe.
bool wp_output_discard_all_on_signal(int number);

// Removes the temporary files of all open outputs and groups, if the program ends unexpectedly: out
// of memory, or exit() or abort() in a library. Files that are already renamed remain.
// Async-signal-safe.
void wp_output_discard_all(void);

// ---- paths of output files ----

// Follows symbolic links, also to a file that does not exist. free() the result. NULL with errno
// set on failure.
char *wp_output_target(const char *path);

struct wp_output_named {
    const char *option, *path; // an option ("--json") and its argument, or NULL
};

// False after WP_ERROR_USAGE if two of the outputs are the same file, or both stdout.
bool wp_output_check_apart(const struct wp_output_named *outputs, size_t count);

// ---- a group of output files, such as the frames of a clip: each is written to a temporary
// directory next to the output, and moved when all are complete ----

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
