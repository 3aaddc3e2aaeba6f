// Memory that runs out: the linker sends what the layers allocate to a heap that fails when it is
// told to (--wrap); drivers and libraries have theirs.
#ifndef FAILING_HEAP_H
#define FAILING_HEAP_H

#include "wavepass_log.h"

#include <stdbool.h>
#include <stddef.h>

// The allocation number `first` from now on fails, or all from there on; 0: none. No thread but the
// test's own may allocate.
void failing_heap_from(int first, bool all);

// Bytes that have been allocated and not freed.
size_t failing_heap_bytes(void);

// Before calls that may fail; then, that the last of them failed for want of memory, and said so.
// The test's main() gives failing_heap_message() to wp_log_set_handler().
void failing_heap_start(void);
void failing_heap_expect_short(void);
void failing_heap_message(void *user, enum wp_log_level level, const char *message);

// What is walked through. go() is false where it could not be; else it leaves its result, which
// must be the same each time.
struct failing_heap_walk {
    const char *name;
    bool (*go)(const void *user, void *result);
    const void *user;
    size_t size; // of a result
};

// go() as it is, then with each allocation of it failing in turn, or with `all` after it: it fails
// with a message or has the same result, and leaves nothing behind. There are thousands of
// allocations, of polynomials mostly: of each size so many fail as `alike` says, the first ones.
void failing_heap_try(const struct failing_heap_walk *walk, bool all, int alike);

#endif
