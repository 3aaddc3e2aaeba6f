// Allocation for the program that cannot fail: the program ends if memory is exhausted. libwavepass
// must not use it, which tests/layers.py checks.
#ifndef WP_XMEMORY_H
#define WP_XMEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Never NULL. The caller frees the memory with free().
void *wp_xmalloc(size_t size);
void *wp_xcalloc(size_t count, size_t size); // zeroed
void *wp_xrealloc(void *old, size_t count, size_t size);
char *wp_xstrdup(const char *text);

// Sets how the program ends if memory is exhausted, in any thread: it calls `on_end`, which must
// not allocate, removes unfinished outputs, and exits with code 6. This then also applies to
// wp_memory_on_failure() and to operator new of C++, which drivers may use. Call it first in
// main(); without it, as in tests, the program calls abort().
void wp_xmemory_set_up(void (*on_end)(void));

// Ends the program, if another allocation failed.
__attribute__((noreturn)) void wp_xmemory_end(void);

#ifdef __cplusplus
}
#endif

#endif
