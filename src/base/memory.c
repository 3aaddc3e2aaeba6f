#include "memory.h"

#include "log.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { PAGES = 1 << 16 }; // of every machine, pages fill them

static void *told(void *memory, size_t count, size_t size, const char *what)
{
    if (!memory)
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %s (%.1f MiB)", what,
                (double)count * (double)size / 1048576.0);
    return memory;
}

// PTRDIFF_MAX is malloc's own limit; asking for more only provokes sanitizers.
static bool can_be(size_t count, size_t size)
{
    return size == 0 || count <= (PTRDIFF_MAX - PAGES) / size;
}

void *wp_allocate(size_t count, size_t size, const char *what)
{
    return told(can_be(count, size) ? calloc(count ? count : 1, size ? size : 1) : NULL, count,
                size, what);
}

void *wp_allocate_pages(size_t count, size_t size, const char *what)
{
    const size_t pages = can_be(count, size) ? (count * size + PAGES - 1) / PAGES : 0;
    return told(can_be(count, size) ? aligned_alloc(PAGES, (pages ? pages : 1) * PAGES) : NULL,
                count, size, what);
}

static void (*end)(void);

void wp_memory_must_do(void (*given)(void))
{
    end = given;
}

static void *check(void *memory)
{
    if (!memory && end)
        end();
    return memory;
}

void wp_try_failed(void)
{
    check(NULL);
}

void *wp_try_allocate(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *wp_try_resize(void *old, size_t count, size_t size)
{
    return check(realloc(old, count && size ? count * size : 1));
}

// AddressSanitizer has a heap of its own, and mallinfo2() counts nothing there.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

size_t wp_memory_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
#ifdef __GLIBC__
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}
