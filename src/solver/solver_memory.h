// Large arrays of floats, zeroed, at the beginning of a cache line or a huge page.
#ifndef WP_SOLVER_MEMORY_H
#define WP_SOLVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct wp_floats {
    float *data;
    size_t count;
    void *memory;
};

// False after WP_ERROR_TOO_LARGE. 0 floats are taken, too.
bool wp_floats_acquire(struct wp_floats *floats, size_t count, const char *what);
void wp_floats_free(struct wp_floats *floats);

#endif
