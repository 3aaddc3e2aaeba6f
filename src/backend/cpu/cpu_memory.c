#define _DEFAULT_SOURCE // madvise()
#include "cpu_memory.h"

#include "memory.h"
#include "threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    LINE = 64, // bytes of a cache line
    PAGE = 4096, // at most the system's page size
    HUGE_PAGE = 2 << 20, // on x86-64 and with 4 KiB pages on ARM
};

// Parts of a block, for threads.
struct part {
    const struct wp_cpu_block *block;
    int count;
};

static void touch_part(void *user, int i, int thread)
{
    (void)thread;
    const struct part *part = user;
    const size_t bytes = part->block->bytes, count = (size_t)part->count;
    volatile char *data = part->block->data;
    for (size_t b = bytes * (size_t)i / count; b < bytes * ((size_t)i + 1) / count; b += PAGE)
        data[b] = 0;
}

bool wp_cpu_block_allocate(struct wp_cpu_block *block, size_t count, size_t size, int threads,
                           const char *purpose)
{
    const size_t unit = count * size >= HUGE_PAGE ? HUGE_PAGE : LINE;
    block->bytes = count * size;
    block->memory = wp_allocate(count + unit / size, size, purpose);
    if (!block->memory)
        return false;
    block->data = (char *)block->memory + (unit - (uintptr_t)block->memory % unit) % unit;
#ifdef MADV_HUGEPAGE
    // Optional: the memory can be used without huge pages.
    if (unit == HUGE_PAGE)
        (void)madvise(block->data, block->bytes, MADV_HUGEPAGE);
#endif
    struct part part = {block, threads};
    wp_threads_share(threads, threads, touch_part, &part);
    return true;
}

void wp_cpu_block_free(struct wp_cpu_block *block)
{
    free(block->memory);
    *block = (struct wp_cpu_block){0};
}
