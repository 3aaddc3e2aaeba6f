// Output files that appear whole or not at all.
//
// A regular file is written under a temporary name in its own directory and renamed by
// wp_output_commit(). "-" is stdout, and something that exists and is not a regular file
// (a pipe, /dev/full) is written directly. A symbolic link stays, and what it points to is
// replaced or made. Without commit nothing is left behind.
#ifndef WP_OUTPUT_H
#define WP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct wp_output;

// Opens `path` for writing. Fails with WP_ERROR_FILE where it exists and `overwrite` is
// false, or where it cannot be written. NULL on failure.
struct wp_output *wp_output_open(const char *path, bool overwrite);

// Opens a file without a name in `directory`, which is its name in messages. It vanishes when its last
// descriptor is closed, however the process ends, so that commit only finishes writing: duplicate the
// descriptor of the stream to read the file afterwards. NULL after WP_ERROR_FILE.
struct wp_output *wp_output_open_unnamed(const char *directory);

// The stream to write to; it belongs to the output. Seekable for regular files.
FILE *wp_output_stream(struct wp_output *output);

// Flushes, checks for write errors, and renames into place. Frees the output in any case
// and clears the pointer. False after WP_ERROR_FILE; then nothing is left behind.
bool wp_output_commit(struct wp_output **output);

// The same of two that belong together: both are on the disk before `first` gets its name, and
// right behind it `output`. `*first` may be NULL.
bool wp_output_commit_behind(struct wp_output **output, struct wp_output **first);

// The same of one that what `rest` does belongs to: where that fails, which it tells, a file that was
// not there before goes again.
bool wp_output_commit_before(struct wp_output **output, bool (*rest)(void *own), void *own);

// `forget` is called with the file's path, and with what that leads to as a link, right before
// there is another file of that name: for what lies beside it and tells of the old one. False where
// errno says why that stays. What `output` is committed behind is not asked for.
void wp_output_before(struct wp_output *output, bool (*forget)(const char *path));

// The name that it is written under; NULL where that is its own.
const char *wp_output_temporary(const struct wp_output *output);

// An output of another process of this program, by the name that it is written under: to be
// discarded, and removed where this process is ended. NULL after WP_ERROR_TOO_LARGE.
struct wp_output *wp_output_of_other(const char *temporary);

// All in one: a file with this text.
bool wp_output_text(const char *path, bool overwrite, const char *text);

// Throws away what was written. Accepts NULL, clears the pointer.
void wp_output_discard(struct wp_output **output);

// False, after the same error, where wp_output_open() would fail, as far as can be told without
// writing. Lets a command refuse before it works for minutes.
bool wp_output_check(const char *path, bool overwrite);

// Removes the temporary files of all open outputs, and of groups of them. False where two files are
// just getting their names, which takes a moment: signal `number` is raised again when they have.
// Async-signal-safe.
bool wp_output_discard_all_on_signal(int number);

// The same as the program ends without notice, in whatever it was doing: out of memory, by a
// library's exit() or abort(). Files that already have their names keep them. Async-signal-safe.
void wp_output_discard_all(void);

#endif
