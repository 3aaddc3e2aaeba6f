// Memory. The layers of libwavepass take what they can go on without: where there is none left,
// a call fails. The program may take its small bookkeeping from xmemory.h.
#ifndef WP_MEMORY_H
#define WP_MEMORY_H

#include <stddef.h>

// Zeroed memory for `count` things of `size` bytes, to be freed with free(). NULL after a
// WP_ERROR_TOO_LARGE that names `what` and the bytes, also where the product overflows.
void *wp_allocate(size_t count, size_t size, const char *what);

// The same on pages of memory that nothing else lies on, and not zeroed.
void *wp_allocate_pages(size_t count, size_t size, const char *what);

// For what grows a piece at a time and remembers by itself that a piece is missing: a text, a
// polynomial. NULL without a message, which comes from where the whole of it is asked for; `old`
// stays as it is then.
void *wp_try_allocate(size_t count, size_t size); // zeroed
void *wp_try_resize(void *old, size_t count, size_t size);

// For what the C library has failed to allocate for such a thing: calls what they would.
void wp_try_failed(void);

// What these call in place of NULL, and does not come back: for xmemory.h, since the program asks
// none of its many texts whether it is whole.
void wp_memory_must_do(void (*end)(void));

// Bytes that this process can have: the computer's memory and swap, or what its control group
// (Linux) allows where that is less. 0 where the system does not tell.
double wp_memory_of_machine(void);

// From here on what the machine has not got is refused when it is asked for. Systems that overcommit
// grant it, and kill the program when it is used, without a word and with files half-written. Of the
// whole process; does nothing where the system cannot, or where more is mapped already (sanitizers).
void wp_memory_bound(void);

// Bytes that the whole process has on the heap, for tests that look for growth; 0 where the C
// library cannot tell.
size_t wp_memory_in_use(void);

#endif
