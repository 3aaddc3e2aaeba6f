#include "mpi_slabs.h"

#include "log.h"
#include "min_max.h"
#include "wavepass.h"

#include <mpi.h>
#include <string.h>

struct wp_slabs wp_slabs_of(const struct wp_lifting *lifting, bool has_steps, int margin,
                            int height, int ranks, const int *start)
{
    return (struct wp_slabs){
        .direction = lifting->direction,
        .extension = lifting->extension,
        .before = has_steps ? lifting->before : 0,
        .after = has_steps ? lifting->after : 0,
        .margin = has_steps ? margin : 0,
        .height = height,
        .ranks = ranks,
        .start = start,
    };
}

void wp_slabs_next(const struct wp_slabs *slabs, int *start)
{
    for (int r = 0; r <= slabs->ranks; r++)
        start[r] = slabs->start[r] / 2 + slabs->start[r] % 2;
}

struct wp_slab_rows wp_slabs_quads(const struct wp_slabs *slabs, int rank)
{
    const int first = slabs->start[rank] / 2 + slabs->start[rank] % 2;
    const int end = slabs->start[rank + 1] / 2 + slabs->start[rank + 1] % 2;
    return (struct wp_slab_rows){first, end - first};
}

static struct wp_slab_rows samples_of(const struct wp_slabs *slabs, int rank)
{
    return (struct wp_slab_rows){slabs->start[rank],
                                 slabs->start[rank + 1] - slabs->start[rank]};
}

struct wp_slab_rows wp_slabs_rows_of_rank(const struct wp_slabs *slabs, int rank)
{
    if (slabs->direction == WP_FORWARD)
        return samples_of(slabs, rank);
    const struct wp_slab_rows quads = wp_slabs_quads(slabs, rank);
    const int end = wp_min(2 * (quads.first + quads.count), slabs->height);
    return (struct wp_slab_rows){2 * quads.first, wp_max(end - 2 * quads.first, 0)};
}

// The quads that a process computes. For the inverse these are all quads that contain one of its
// rows, so that two processes may compute the same quad.
static struct wp_slab_rows computed(const struct wp_slabs *slabs, int rank)
{
    if (slabs->direction == WP_FORWARD)
        return wp_slabs_quads(slabs, rank);
    const struct wp_slab_rows rows = samples_of(slabs, rank);
    const int first = rows.first / 2, end = (rows.first + rows.count + 1) / 2;
    return (struct wp_slab_rows){first, rows.count ? end - first : 0};
}

// The rows that quads read, extended by `more` pairs at both ends. They may be outside of the
// level.
static struct wp_slab_rows rows_read(const struct wp_slabs *slabs, struct wp_slab_rows quads,
                                     int more)
{
    const int first = 2 * (quads.first - slabs->before - more);
    return (struct wp_slab_rows){
        first, 2 * (quads.first + quads.count + slabs->after + more) - first};
}

// Maps rows outside of the level to the rows that the boundary extension reads instead. The result
// consists of complete quads, except at the end of the level.
static struct wp_slab_rows extend_rows(const struct wp_slabs *slabs, struct wp_slab_rows rows)
{
    const int height = slabs->height;
    int first = rows.first, last = rows.first + rows.count - 1;
    if (slabs->extension == WP_EXTEND_WRAP) {
        if (rows.count >= height)
            return (struct wp_slab_rows){0, height};
        return (struct wp_slab_rows){(first % height + height) % height, rows.count};
    }
    if (slabs->extension == WP_EXTEND_MIRROR && height > 1) {
        const int below = first < 0 ? -first : 0, above = last >= height ? 2 * (height - 1) - last
                                                                         : height - 1;
        first = wp_min(first, above);
        last = wp_max(last, below);
    }
    first = wp_max(first, 0) / 2 * 2;
    last = wp_min(last | 1, height - 1);
    first = wp_min(first, last / 2 * 2);
    return (struct wp_slab_rows){first, last - first + 1};
}

// Adds a quad if there is only one row, since a tile of one row would not be transformed along y.
static struct wp_slab_rows at_least_two(const struct wp_slabs *slabs, struct wp_slab_rows rows)
{
    if (rows.count > 1 || slabs->height == 1)
        return rows;
    return (struct wp_slab_rows){rows.first - 2, rows.count + 2};
}

static bool within(const struct wp_slab_rows *rows, const struct wp_slab_rows *owned)
{
    return rows->first >= owned->first &&
           rows->first + rows->count <= owned->first + owned->count;
}

// True if a process computes a quad only from its own rows, and for the inverse only writes own
// rows.
static bool is_inner(const struct wp_slabs *slabs, int rank, int quad)
{
    const struct wp_slab_rows owned = wp_slabs_rows_of_rank(slabs, rank);
    const struct wp_slab_rows read =
        extend_rows(slabs, rows_read(slabs, (struct wp_slab_rows){quad, 1}, slabs->margin));
    const struct wp_slab_rows samples = samples_of(slabs, rank);
    const struct wp_slab_rows written = {2 * quad, wp_min(2, slabs->height - 2 * quad)};
    return within(&read, &owned) && (slabs->direction == WP_FORWARD || within(&written, &samples));
}

struct wp_slab_part wp_slabs_part(const struct wp_slabs *slabs, int rank, int part)
{
    const struct wp_slab_rows all = computed(slabs, rank);
    const int end = all.first + all.count;
    int first = all.first, last = end;
    // Between two inner quads all quads are inner.
    while (first < end && (slabs->single_part || !is_inner(slabs, rank, first)))
        first++;
    while (last > first && !is_inner(slabs, rank, last - 1))
        last--;
    const struct wp_slab_rows quads[WP_SLAB_PARTS] = {
        [WP_SLAB_ABOVE] = {all.first, first - all.first},
        [WP_SLAB_BELOW] = {last, end - last},
        [WP_SLAB_INSIDE] = {first, last - first},
    };
    struct wp_slab_part result = {.quads = quads[part]};
    if (result.quads.count) {
        result.rows = extend_rows(slabs, rows_read(slabs, result.quads, 0));
        result.padded = extend_rows(slabs, rows_read(slabs, result.quads, slabs->margin));
        if (slabs->single_part)
            result.rows = result.padded = at_least_two(slabs, result.rows);
    }
    return result;
}

static struct wp_slab_rows intersect(struct wp_slab_rows a, struct wp_slab_rows b)
{
    const int first = wp_max(a.first, b.first);
    const int end = wp_min(a.first + a.count, b.first + b.count);
    return (struct wp_slab_rows){first, wp_max(end - first, 0)};
}

int wp_slabs_runs(const struct wp_slabs *slabs, int rank, int part, int owner,
                  struct wp_slab_rows run[WP_SLAB_RUNS])
{
    const struct wp_slab_rows owned = wp_slabs_rows_of_rank(slabs, owner);
    const struct wp_slab_rows rows = wp_slabs_part(slabs, rank, part).rows;
    const int end = wp_min(rows.first + rows.count, slabs->height);
    const int rest = rows.first + rows.count - end;
    const struct wp_slab_rows piece[] = {{rows.first, end - rows.first}, {0, rest}};
    int count = 0;
    for (int i = 0; i < 2 && owner != rank && rows.count; i++) {
        run[count] = intersect(piece[i], owned);
        count += run[count].count > 0;
    }
    return count;
}

// ---- devices ----

// The device of a process for backends other than "cpu". The devices of a node are assigned to its
// processes in round-robin order.

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
