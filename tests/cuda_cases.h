// Cases of the tests that need a CUDA device. One that fails is printed and the others go on; only
// when a kernel has broken the context does the rest fail with it.
#ifndef WP_TEST_CUDA_CASES_H
#define WP_TEST_CUDA_CASES_H

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern int cases, failures;
extern bool broken; // the context: nothing works any more

void report(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

// False after a report.
bool cuda(const char *name, cudaError_t error, const char *what);

cudaStream_t make_stream(void);

// At the end of a test: what it was, and what came of it.
void finish(const char *what, int cases_before, int failures_before);

// Whether there is a device, else the reason is printed: main() returns SKIPPED then. Canaries lie
// around the backend's memory from now on, and NaN in it.
enum { SKIPPED = 77 };
bool find_device(void);

#endif
