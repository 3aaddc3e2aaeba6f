// Large zeroed arrays of floats, aligned to a cache line or a huge page.
#ifndef WP_SOLVER_MEMORY_H
#define WP_SOLVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct wp_floats {
    float *data;
    size_t count;
    void *memory;
};

// Allocates an array, also of 0 floats. False after WP_ERROR_TOO_LARGE.
bool wp_floats_acquire(struct wp_floats *floats, size_t count, const char *purpose);
void wp_floats_free(struct wp_floats *floats);

#endif
