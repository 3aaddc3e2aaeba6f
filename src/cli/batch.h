// A command over many files: one is read while the one before is computed, and the one before that is
// written. Over a single one the same steps come one after another.
#ifndef WP_BATCH_H
#define WP_BATCH_H

#include "command.h"

// What a command's work on a file begins with.
struct wp_batch_item {
    const char *input;
    const char *output;    // NULL where a single file has none
    bool alone;            // the only one, which has all memory and needs nobody's device
    struct json_t *result; // for --json, of what went well
    struct wp_text summary; // for people
    // The rest is for batch.c.
    enum wp_error error;
    char *why;
};

struct wp_batch {
    size_t size; // of the work, whose first member is an item
    const char *output; // as the user gave it: of many files, or by its last '/', a folder
    const char *suffix; // of what is made there; NULL: that of the input
    // begin() gets zeros behind the item. The parts follow each other; each may be in a thread of its
    // own, but compute() always is in the caller's. False after an error, which ends that file. end()
    // is called in any case.
    void (*begin)(void *work, const struct wp_call *call, void *shared);
    bool (*read)(void *work);
    bool (*compute)(void *work);
    bool (*write)(void *work);
    void (*end)(void *work);
};

// Whether the call is of many files, or has a folder, by its '/', for its output.
bool wp_batch_is_many(const struct wp_call *call, const char *output);

// All of it, from the check of the folder and of names to the summary. `shared` is for begin(). What
// is wrong with one of many files is told, the others go on, and the code is WP_ERROR_FILE, or
// WP_ERROR_TOO_LARGE where memory was short for all that failed. Nothing is done where two of them
// would have outputs of one name.
enum wp_error wp_batch_run(const struct wp_call *call, const struct wp_batch *batch, void *shared);

#endif
