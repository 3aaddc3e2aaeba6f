#include "xmemory.h"

#include "log.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
    if (!memory) {
        wp_fail(WP_ERROR_TOO_LARGE, "out of memory");
        abort();
    }
    return memory;
}

void *wp_xcalloc(size_t count, size_t size)
{
    return check(wp_try_allocate(count, size));
}

void *wp_xrealloc(void *old, size_t count, size_t size)
{
    return check(wp_try_resize(old, count, size));
}

char *wp_xstrdup(const char *text)
{
    const size_t length = strlen(text) + 1;
    return memcpy(wp_xcalloc(length, 1), text, length);
}
