// Memory for the program's small bookkeeping. In libwavepass, which is to go on where there is none
// left, tests/layers.py finds whoever takes it from here.
#ifndef WP_XMEMORY_H
#define WP_XMEMORY_H

#include <stddef.h>

// Never NULL: abort() after a message when memory is exhausted. To be freed with free().
void *wp_xcalloc(size_t count, size_t size); // zeroed
void *wp_xrealloc(void *old, size_t count, size_t size);
char *wp_xstrdup(const char *text);

#endif
