// A level of a transform as sweeps over its quads.
#ifndef WP_CPU_LEVEL_H
#define WP_CPU_LEVEL_H

#include "cpu_sweep.h"
#include "description.h"

// How a level is computed.
struct wp_cpu_method {
    bool masks; // convolution; else lifting
    bool rows;  // along x, then along y; else both axes in one sweep
};

struct wp_cpu_level {
    struct wp_cpu_sweep sweep[2]; // along x and y, for each slice
    int sweeps;                   // 0: the level transforms neither x nor y
    // Along z, for a row of a component with even (0) or odd (1) columns: the sweep's columns are
    // samples of the row, whose two halves are the components of quads; its rows are slices.
    bool along_z;
    struct wp_cpu_sweep z[2];
};

// Initializes level l (from 0) of a description with a program that must outlive it, without
// binding memory. False after WP_ERROR_TOO_LARGE; wp_cpu_level_free() is required in any case.
bool wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_description *description, int l,
                      const struct wp_cpu_method *method, const struct wp_cpu_program *program);
void wp_cpu_level_free(struct wp_cpu_level *level); // accepts {0}

// Sets the input and output of its sweeps for slice 0. `between` is the memory between two sweeps,
// one rectangle per component; unused if there is only one sweep.
void wp_cpu_level_bind(struct wp_cpu_level *level, const struct wp_cpu_quads *from,
                       const struct wp_cpu_quads *to, const struct wp_cpu_quads *between);

// The sweep along z for row `row` of component `c`, between slices and the bands of octets.
struct wp_cpu_sweep wp_cpu_level_row(const struct wp_cpu_level *level,
                                     const struct wp_cpu_quads *slices,
                                     const struct wp_cpu_quads *bands, int c, int row);

// A sweep that is bound to slice 0, for slice number `slice`.
struct wp_cpu_sweep wp_cpu_sweep_slice(const struct wp_cpu_sweep *sweep, int slice);

// Is this possible for a level? It requires chains along all three axes. Rows and slices beyond a
// border are read in place, with periodic extension at the other end.
bool wp_cpu_level_streams_z(const struct wp_cpu_level *level);

// Rows of quads per strip if `threads` threads share a level.
int wp_cpu_stream_z_rows(const struct wp_cpu_level *level, int threads);

// Scratch memory of a strip in floats; its address must be a multiple of 64.
size_t wp_cpu_stream_z_floats(const struct wp_cpu_level *level, int rows);

// Processes rows of quads first..first+count-1 of all slices. `ring` is the sweep's ring.
void wp_cpu_stream_z_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                         const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                         int first, int count, wp_real *memory, wp_real *ring);

#endif
