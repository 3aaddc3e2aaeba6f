// Memory of the CPU backend.
#ifndef WP_CPU_MEMORY_H
#define WP_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Memory aligned to cache lines.
struct wp_cpu_block {
    void *data;
    size_t bytes;
    void *memory; // as allocated
};

// Allocates zeroed memory for `count` values of `size` bytes, large blocks with huge pages if Linux
// grants them: with 4 KiB pages a sweep's time depends on the addresses. Pages are touched here, by
// all threads, because the system maps them on first use, which would be timed with the transform.
// False after WP_ERROR_TOO_LARGE; `purpose` is for the message.
bool wp_cpu_block_allocate(struct wp_cpu_block *block, size_t count, size_t size, int threads,
                           const char *purpose);
void wp_cpu_block_free(struct wp_cpu_block *block); // accepts {0}

#endif
