// Memory. Small bookkeeping may use the x-functions, which end the program when there is
// none left; anything whose size follows an image must use wp_allocate() and can fail.
#ifndef WP_MEMORY_H
#define WP_MEMORY_H

#include <stddef.h>

// Zeroed memory for `count` things of `size` bytes, to be freed with free(). NULL after a
// WP_ERROR_TOO_LARGE that names `what` and the bytes, also where the product overflows.
void *wp_allocate(size_t count, size_t size, const char *what);

// Never NULL: abort() after a message when memory is exhausted.
void *wp_xcalloc(size_t count, size_t size);
void *wp_xrealloc(void *old, size_t count, size_t size);
char *wp_xstrdup(const char *text);

// Bytes that the whole process has on the heap, for tests that look for growth; 0 where the C
// library cannot tell.
size_t wp_memory_in_use(void);

#endif
