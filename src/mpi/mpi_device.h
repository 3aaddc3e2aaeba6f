// What a process computes with where that is another backend than the CPU's own sweeps: a device of its
// node, which the processes there take in turn.
#ifndef WP_MPI_DEVICE_H
#define WP_MPI_DEVICE_H

#include "wavepass.h"

#include <mpi.h>

struct wp_mpi_device {
    bool is_other; // than the sweeps; `params` say which
    struct wp_transform_params params;
};

// Collective. `params` may be NULL in a process that has failed before. Where no device is named process
// n of a node takes number n modulo how many there are. False after an error.
bool wp_mpi_device_set(struct wp_mpi_device *device, const struct wp_transform_params *params,
                       MPI_Comm communicator);

// One level of a plane of so many samples on that device. NULL after an error.
struct wp_transform *wp_mpi_device_tile(const struct wp_mpi_device *device, int width, int height);

#endif
