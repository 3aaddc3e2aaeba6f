// Runs a command on many files in a pipeline of threads: while one file is computed, the next is
// read and the previous one is written. A single file is processed sequentially.
#ifndef WP_BATCH_H
#define WP_BATCH_H

#include "command.h"

// The first member of a command's job for one file.
struct wp_batch_item {
    const char *input;
    const char *output;    // NULL if a single input has no output
    bool single;            // the only file: it may use all memory and does not share a device
    struct json_t *result; // for --json, set on success
    struct wp_text summary; // one line of text
    // Only for batch.c:
    enum wp_error error;
    char *why;
};

struct wp_batch {
    size_t size; // of the job in bytes; its first member is a struct wp_batch_item
    const char *output; // the option's value; a folder if there are many files or it ends in '/'
    const char *suffix; // of the outputs in a folder; NULL: that of the input
    // The steps are called in this order. begin() gets a job of zeros except `item`. compute() runs
    // in the caller's thread, the others may run in other threads. A step returns false after an
    // error; the remaining steps are then skipped. end() is always called.
    void (*begin)(void *job, const struct wp_call *call, void *shared);
    bool (*read)(void *job);
    bool (*compute)(void *job);
    bool (*write)(void *job);
    void (*end)(void *job);
};

// True if there are several inputs or the output ends in '/'.
bool wp_batch_is_many(const struct wp_call *call, const char *output);

// Runs the batch, including checks of the folder and of output names; fails before reading if two
// outputs have the same name. `shared` is passed to begin(). With many files, each failure is
// reported and the others continue; the code is then WP_ERROR_FILE, or WP_ERROR_TOO_LARGE if every
// failure was lack of memory.
enum wp_error wp_batch_run(const struct wp_call *call, const struct wp_batch *batch, void *shared);

#endif
