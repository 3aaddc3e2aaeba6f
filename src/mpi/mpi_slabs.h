// The rows of a level that each process owns, and the rows of other processes that it reads. Both
// depend only on the start of each slab, so that every process knows all messages.
//
// A slab consists of adjacent rows of samples. A process owns the bands' rows of the quads (pairs
// of rows) whose even row is in its slab; these are the slabs of the next level, which may be
// uneven.
#ifndef WP_MPI_SLABS_H
#define WP_MPI_SLABS_H

#include "lifting.h"
#include "wavepass.h"

#include <mpi.h>

// Rows of samples, or of interleaved coefficients: even rows are LL and HL, odd ones LH and HH.
// With periodic extension they may continue at row 0.
struct wp_slab_rows {
    int first, count;
};

// A part of a slab, whose quads are computed in one run.
struct wp_slab_part {
    struct wp_slab_rows quads;  // quads that are computed
    struct wp_slab_rows rows;   // rows that these depend on
    struct wp_slab_rows padded; // rows that the sweeps access; only values in `rows` matter
};

// WP_SLAB_INSIDE depends only on the rows of the slab; those above and below depend on other
// processes and may be the entire slab.
enum { WP_SLAB_ABOVE, WP_SLAB_BELOW, WP_SLAB_INSIDE, WP_SLAB_PARTS };

struct wp_slabs {
    enum wp_direction direction;
    enum wp_extension extension;
    int before, after; // pairs of rows before and after a quad that it depends on
    int margin;        // further pairs at either end that the sweeps access
    int height;        // of the level, in rows
    bool single_part;  // a process computes all its quads in one part, WP_SLAB_ABOVE
    int ranks;
    const int *start;  // [ranks + 1]: first row of each slab; the last entry is the height
};

// The slabs of a level for a lifting program. `has_steps`: the level is transformed along y.
struct wp_slabs wp_slabs_of(const struct wp_lifting *lifting, bool has_steps, int margin,
                            int height, int ranks, const int *start);

// Gets the starts of the slabs of the next level, [ranks + 1].
void wp_slabs_next(const struct wp_slabs *slabs, int *start);

// The input rows of a process: for the forward transform samples, for the inverse coefficients.
struct wp_slab_rows wp_slabs_rows_of_rank(const struct wp_slabs *slabs, int rank);

// The quads whose coefficients a process owns.
struct wp_slab_rows wp_slabs_quads(const struct wp_slabs *slabs, int rank);

// A part of the slab of a process; all zero if it has no quads.
struct wp_slab_part wp_slabs_part(const struct wp_slabs *slabs, int rank, int part);

// Gets the rows of `owner` that a part of process `rank` depends on: up to two runs, in the order
// of wp_slab_part.rows. Returns their number.
enum { WP_SLAB_RUNS = 2 };
int wp_slabs_runs(const struct wp_slabs *slabs, int rank, int part, int owner,
                  struct wp_slab_rows run[WP_SLAB_RUNS]);

struct wp_mpi_device {
    bool is_used; // false: the process uses the sweeps of the CPU backend
    struct wp_transform_params params; // of one level of a plane
};

// Collective. `params` is NULL in a process that has failed before. Unless a device is given,
// process n of a node uses device n modulo the number of devices. False after an error, or for
// NULL.
bool wp_mpi_device_set(struct wp_mpi_device *device, const struct wp_transform_params *params,
                       MPI_Comm communicator);

// Creates a transform of one level of a plane of this size on the device. NULL after an error.
struct wp_transform *wp_mpi_device_tile(const struct wp_mpi_device *device, int width, int height);

#endif
