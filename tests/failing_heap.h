// Out-of-memory tests: --wrap redirects the allocations of the layers to a heap that fails on
// request. Drivers and libraries use the normal heap.
#ifndef FAILING_HEAP_H
#define FAILING_HEAP_H

#include "wavepass_log.h"

#include <stdbool.h>
#include <stddef.h>

// Allocation number `first` from now on fails, with `all` also all later ones. 0: no limit. Only
// the test's thread may allocate.
void failing_heap_from(int first, bool all);

// Bytes currently allocated, and the most since failing_heap_from().
size_t failing_heap_bytes(void);
size_t failing_heap_peak(void);

// failing_heap_start() precedes calls that may fail. failing_heap_expect_short() asserts that the
// last one failed for lack of memory with a message. The test's main() passes
// failing_heap_message() to wp_log_set_handler().
void failing_heap_start(void);
void failing_heap_expect_short(void);
void failing_heap_message(void *user, enum wp_log_level level, const char *message);

// The operation under test. run() returns false on failure; else it stores its result, which must
// be the same each time.
struct failing_heap_operation {
    const char *name;
    bool (*run)(const void *user, void *result);
    const void *user;
    size_t size; // of a result
};

// Runs run() normally, then with each allocation failing in turn, with `all` also all later ones.
// run() must fail with a message or give the same result, and free all memory. As there are
// thousands of allocations, mostly for polynomials, only the first `alike` of each size fail.
void failing_heap_try(const struct failing_heap_operation *operation, bool all, int alike);

#endif
