// Cases of the tests that need a CUDA device. A failed case is reported and the next ones run; only
// after an error that breaks the context are all following cases skipped.
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
extern bool broken; // the CUDA context is lost

void report(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Returns false after a report unless `error` is cudaSuccess.
bool cuda(const char *name, cudaError_t error, const char *label);

cudaStream_t make_stream(void);

// Ends a test: prints its name and counts, and fails it if a case failed.
void finish(const char *label, int cases_before, int failures_before);

// True if a device is available; else prints the reason, and main() returns SKIPPED. Enables
// canaries around the backend's memory and NaN fill in it.
enum { SKIPPED = 77 };
bool find_device(void);

#endif
