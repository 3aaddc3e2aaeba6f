// Memory allocation. In the layers of libwavepass a call fails if memory is exhausted; the program
// may use xmemory.h for small allocations, which ends it then.
#ifndef WP_MEMORY_H
#define WP_MEMORY_H

#include <stddef.h>

// Allocates zeroed memory for `count` elements of `size` bytes; free() it. Returns NULL after
// WP_ERROR_TOO_LARGE with `purpose` and the size in the message, also if the product overflows.
void *wp_allocate(size_t count, size_t size, const char *purpose);

// Allocates uninitialized memory in pages that it shares with no other allocation; else like
// wp_allocate().
void *wp_allocate_pages(size_t count, size_t size, const char *purpose);

// For objects that grow and record a failed allocation themselves, such as a text or a polynomial.
// NULL without a message on failure, and `old` remains valid; the user of the object reports the
// error.
void *wp_try_allocate(size_t count, size_t size); // zeroed
void *wp_try_resize(void *old, size_t count, size_t size);

// Reports that the C library failed to allocate memory for such an object; calls the handler below.
void wp_memory_failed(void);

// Sets a function that the functions above call instead of returning NULL, and that does not
// return. Used by xmemory.h, because the program does not check each of its texts for completeness.
void wp_memory_on_failure(void (*handler)(void));

// The bytes that this process can use: memory and swap of the machine, or the limit of its control
// group (Linux) if that is lower. 0 if unknown.
double wp_memory_total(void);

// Limits the process's data (RLIMIT_DATA) to the memory of the machine, so that larger allocations
// fail. Systems that overcommit grant them and kill the process when the memory is used, without a
// message and with incomplete files. Does nothing if the system does not support it, or if much
// memory is mapped already (sanitizers).
void wp_memory_limit_process(void);

// Bytes of the heap in use by the process, for tests of memory growth; 0 if the C library does not
// support it.
size_t wp_memory_in_use(void);

#endif
