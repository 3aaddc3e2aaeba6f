// A level of a transform as sweeps over its quads.
#ifndef WP_CPU_LEVEL_H
#define WP_CPU_LEVEL_H

#include "cpu_sweep.h"

// The ways to do a level.
enum wp_cpu_method {
    WP_CPU_FUSED,        // lifting along both axes in one sweep
    WP_CPU_ROWS_LIFTING, // lifting along x, then along y
    WP_CPU_ROWS_MASKS,   // convolution along x, then along y
    WP_CPU_MASKS,        // four two-dimensional masks in one sweep
};

struct wp_cpu_level {
    struct wp_cpu_sweep sweep[2];
    int sweeps;
};

// Level number l of a plan (from 0), from and to memory; what goes from one sweep to the next is
// in `between`, one component a rectangle (not used by the methods of one sweep). To be freed.
void wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_plan *plan, int l,
                      enum wp_cpu_method method, const struct wp_cpu_quads *from,
                      const struct wp_cpu_quads *to, const struct wp_cpu_quads *between);
void wp_cpu_level_free(struct wp_cpu_level *level); // accepts {0}

#endif
