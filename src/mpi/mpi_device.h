// The device of a process for backends other than "cpu". The devices of a node are assigned to its
// processes in round-robin order.
#ifndef WP_MPI_DEVICE_H
#define WP_MPI_DEVICE_H

#include "wavepass.h"

#include <mpi.h>

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
