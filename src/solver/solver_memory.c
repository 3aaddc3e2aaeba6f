#define _DEFAULT_SOURCE // madvise()
#include "solver_memory.h"

#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

bool wp_floats_acquire(struct wp_floats *floats, size_t count, const char *purpose)
{
    const size_t bytes = count * sizeof(float), unit = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
    floats->memory = wp_allocate(count + unit / sizeof(float), sizeof(float), purpose);
    if (!floats->memory)
        return false;
    const size_t skip = (unit - (uintptr_t)floats->memory % unit) % unit;
    floats->data = (float *)floats->memory + skip / sizeof(float);
    floats->count = count;
#ifdef MADV_HUGEPAGE
    // Only advice, so errors are ignored.
    if (unit == HUGE_PAGE)
        (void)madvise(floats->data, bytes, MADV_HUGEPAGE);
#endif
    return true;
}

void wp_floats_free(struct wp_floats *floats)
{
    free(floats->memory);
    *floats = (struct wp_floats){0};
}
