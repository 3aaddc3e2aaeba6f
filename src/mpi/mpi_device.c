#include "mpi_device.h"

#include "log.h"

#include <string.h>

static bool is_cpu(const struct wp_transform_params *params)
{
    return !params->backend || strcmp(params->backend, "auto") == 0 ||
           strcmp(params->backend, "cpu") == 0;
}

static bool has_device(const struct wp_transform_params *given, int number)
{
    struct wp_transform_params params = *given;
    params.width = params.height = 16;
    params.device = 1 + number;
    wp_begin_attempt();
    struct wp_transform *t = wp_transform_create(&params);
    wp_end_attempt();
    wp_clear_error();
    const bool has = t;
    wp_transform_destroy(&t);
    return has;
}

// The device of process `number` of a node, as in wp_transform_params.device. Begins with device
// `number`, so that processes do not open each other's devices if there are enough.
static int select_device(const struct wp_transform_params *params, int number)
{
    int last = number;
    while (last >= 0 && !has_device(params, last))
        last--;
    return last < 0 ? 0 : 1 + number % (last + 1);
}

// Gets the number of processes on this node, and the number of this process among them.
static bool get_node_rank(MPI_Comm communicator, int *number, int *count)
{
    MPI_Comm node;
    int rank = 0, error = MPI_Comm_rank(communicator, &rank);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    if (error != MPI_SUCCESS)
        return wp_fail(WP_ERROR_INTERNAL, "MPI does not report which processes share a node");
    MPI_Comm_rank(node, number);
    MPI_Comm_size(node, count);
    MPI_Comm_free(&node);
    return true;
}

bool wp_mpi_device_set(struct wp_mpi_device *device, const struct wp_transform_params *params,
                       MPI_Comm communicator)
{
    int number = 0, processes = 1;
    if (!get_node_rank(communicator, &number, &processes) || !params)
        return false;
    if (is_cpu(params)) {
        return (!params->variant && !params->device) ||
               wp_fail(WP_ERROR_USAGE, "slabs of rows on the CPU have neither variants nor devices"
                                       "\nhint: name another backend");
    }
    device->is_used = true;
    device->params = *params;
    device->params.planes = 1;
    device->params.levels = 1;
    if (params->device == 0 && processes > 1)
        device->params.device = select_device(&device->params, number);
    if (device->params.device)
        wp_log(WP_LOG_VERBOSE, "process %d of %d of this node uses device %d", number, processes,
               device->params.device - 1);
    wp_log(WP_LOG_VERBOSE, "slabs are transformed on %s from host memory, and rows between "
                           "processes are sent from there", params->backend);
    return true;
}

struct wp_transform *wp_mpi_device_tile(const struct wp_mpi_device *device, int width, int height)
{
    struct wp_transform_params params = device->params;
    params.width = width;
    params.height = height;
    return wp_transform_create(&params);
}
