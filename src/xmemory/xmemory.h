// Memory for the program's small bookkeeping. In libwavepass, which is to go on where there is none
// left, tests/layers.py finds whoever takes it from here.
#ifndef WP_XMEMORY_H
#define WP_XMEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Never NULL: the program ends when memory is exhausted. To be freed with free().
void *wp_xmalloc(size_t size);
void *wp_xcalloc(size_t count, size_t size); // zeroed
void *wp_xrealloc(void *old, size_t count, size_t size);
char *wp_xstrdup(const char *text);

// How it ends, from any thread: with `last_words`, which must not allocate, without the outputs that
// are not finished, and with exit code 6. To be called by main() first; from then on what
// wp_memory_on_failure() is for ends it too, and C++'s operator new, the drivers' own included. Without
// it, in tests, abort().
void wp_xmemory_set_up(void (*last_words)(void));

// Ends it, for what somebody else has failed to allocate.
__attribute__((noreturn)) void wp_xmemory_end(void);

#ifdef __cplusplus
}
#endif

#endif
