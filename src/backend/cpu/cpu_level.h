// A level of a transform as sweeps over its quads.
#ifndef WP_CPU_LEVEL_H
#define WP_CPU_LEVEL_H

#include "cpu_sweep.h"
#include "description.h"

// The ways to do a level.
struct wp_cpu_method {
    bool masks; // convolution; else lifting
    bool rows;  // along x, then along y; else both axes in one sweep
};

struct wp_cpu_level {
    struct wp_cpu_sweep sweep[2]; // of every slice
    int sweeps;                   // 0: the level leaves x and y alone
    // Along z, of a row of a component that is even or odd along x: columns are samples of the row,
    // halves of it its quads' components, and rows are slices.
    bool along_z;
    struct wp_cpu_sweep z[2];
};

// Level number l of a description (from 0) by a program that must outlive it, without memory. To be
// freed even after a failure: false after WP_ERROR_TOO_LARGE.
bool wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_description *description, int l,
                      const struct wp_cpu_method *method, const struct wp_cpu_program *program);
void wp_cpu_level_free(struct wp_cpu_level *level); // accepts {0}

// Where its sweeps of slice 0 read and write; what goes from one sweep to the next is in `between`,
// one component a rectangle, not used where there is one sweep.
void wp_cpu_level_bind(struct wp_cpu_level *level, const struct wp_cpu_quads *from,
                       const struct wp_cpu_quads *to, const struct wp_cpu_quads *between);

// A sweep of row `row` along z: of component `c` of what lies in slices, and two bands of octets.
struct wp_cpu_sweep wp_cpu_level_row(const struct wp_cpu_level *level,
                                     const struct wp_cpu_quads *slices,
                                     const struct wp_cpu_quads *bands, int c, int row);

// Slice number `slice` of a sweep that is bound to slice 0.
struct wp_cpu_sweep wp_cpu_sweep_slice(const struct wp_cpu_sweep *sweep, int slice);

#endif
