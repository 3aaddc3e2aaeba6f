#include "mpi_job.h"

#include "clock.h"
#include "memory.h"
#include "pattern.h"
#include "run.h"
#include "xmemory.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct wp_option wp_mpi_options_device[] = {
    {.name = "backend",
     .letter = 'b',
     .kind = WP_OPTION_TEXT,
     .value = "NAME",
     .help = "backend: cpu (default), with one thread per process, or cuda, compute, …, with one "
             "device of the node per process",
     .offset = offsetof(struct wp_transform_params, backend)},
    {.name = "device",
     .letter = 'd',
     .kind = WP_OPTION_DEVICE,
     .value = "N",
     .help = "device of all processes (default: process n of a node uses n modulo the number of "
             "devices)",
     .offset = offsetof(struct wp_transform_params, device)},
    {0},
};

// TILE_ROWS: maximum rows of a tile. SHARES: minimum units per process, for an even distribution.
enum { TILE_ROWS = 64, SHARES = 8 };

// The first row of a slab. Slabs that begin at multiples of 2^levels exchange only the rows that
// the steps need, and at multiples of TILE_ROWS 2^levels they write complete tiles. The unit is
// halved until the distribution is even.
static int start_of(int height, int levels, int rank)
{
    const int ranks = wp_world_size();
    long long unit = (long long)TILE_ROWS << levels;
    while (unit > 1 && height / unit < (long long)SHARES * ranks)
        unit /= 2;
    const long long units = (height + unit - 1) / unit, start = units * rank / ranks * unit;
    return start < height ? (int)start : height;
}

static bool allocate_bands(struct wp_mpi_job *job)
{
    const int count = wp_mpi_band_count(job->mpi);
    const size_t planes = (size_t)wp_image_colour_planes(&job->shape);
    // Samples, and the LL bands between levels, 1/4 + 1/16 + … of a plane.
    double bytes = (double)job->rows * job->shape.width * sizeof(float) *
                   (job->shape.planes + 1.0 / 3);
    bool ok = true;
    job->band = wp_xcalloc((size_t)count, sizeof *job->band);
    for (int b = 0; b < count && ok; b++) {
        struct wp_mpi_band band;
        wp_mpi_get_band(job->mpi, b, &band);
        const size_t floats = (size_t)band.rows * (size_t)band.width * planes;
        if (floats)
            job->band[b] = wp_allocate(floats, sizeof(float), "coefficients of a process");
        ok = !floats || job->band[b];
        bytes += (double)floats * sizeof(float);
    }
    wp_log(WP_LOG_VERBOSE, "%d process%s, %d rows in process 0: %.1f MiB",
           wp_world_size(), wp_world_size() == 1 ? "" : "es", job->rows, bytes / 0x1p20);
    return ok;
}

bool wp_mpi_job_begin(struct wp_mpi_job *job, const struct wp_transform_params *given,
                      enum wp_direction direction)
{
    struct wp_transform_params params = wp_run_sized(given, &job->shape);
    params.struct_size = sizeof params;
    params.depth = given->depth;
    if (!params.backend || strcmp(params.backend, "auto") == 0)
        params.backend = "cpu";
    // Process 0 reports its device; other processes do not open theirs for this purpose.
    struct wp_transform_params info_params = params;
    if (wp_world_rank() > 0) {
        info_params.backend = "cpu";
        info_params.device = 0;
    }
    job->transform = wp_run_create_by_rule(&info_params, &job->shape, direction);
    if (!wp_world_agree(job->transform))
        return false;
    params.levels = wp_transform_get_info(job->transform)->levels;
    job->first = start_of(params.height, params.levels, wp_world_rank());
    job->rows = start_of(params.height, params.levels, wp_world_rank() + 1) - job->first;
    job->mpi = wp_mpi_create(&params, MPI_COMM_WORLD, job->rows);
    return wp_world_agree(job->mpi) && wp_world_agree(allocate_bands(job));
}

void wp_mpi_job_end(struct wp_mpi_job *job)
{
    wp_mpi_file_close(&job->file);
    for (int b = 0; job->band && b < wp_mpi_band_count(job->mpi); b++)
        free(job->band[b]);
    free(job->band);
    job->band = NULL;
    wp_mpi_destroy(&job->mpi);
    wp_transform_destroy(&job->transform);
}

bool wp_mpi_job_reject(const char *path, const char *why)
{
    const bool is_name = strcmp(path, "-") != 0 && !wp_pattern_of_path(path);
    if (is_name && access(path, F_OK) != 0)
        return wp_fail(WP_ERROR_FILE, "%s: no such file", path);
    return wp_fail(WP_ERROR_USAGE, "%s: its rows cannot be shared (%s)", path, why);
}

void wp_mpi_job_name(const struct wp_mpi_job *job, const char *path, struct wp_text *text)
{
    wp_text_add(text, job->first ? "%s, from row %d on" : "%s", path, job->first);
}

double wp_mpi_job_since(double start)
{
    return wp_world_max(wp_clock_seconds() - start);
}

void wp_mpi_job_report(const struct wp_mpi_job *job, const struct wp_call *call, size_t nonfinite,
                     json_t *files)
{
    struct wp_text summary = {0};
    wp_run_summary(job->transform, &job->shape, job->seconds, &summary);
    wp_text_add(&summary, ", %d process%s, read %.2f s, written %.2f s", wp_world_size(),
                wp_world_size() == 1 ? "" : "es", job->read, job->write);
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&summary));
    wp_text_free(&summary);
    if (!call->common.json) {
        json_decref(files);
        return;
    }
    json_t *result = wp_run_json(call, job->transform, &job->shape,
                                 wp_transform_get_info(job->transform)->backend,
                                 WP_CHOSEN_BY_RULE, job->seconds);
    json_object_set_new(result, "processes", json_integer(wp_world_size()));
    json_object_set_new(result, "read_seconds", wp_json_number(job->read));
    json_object_set_new(result, "write_seconds", wp_json_number(job->write));
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)nonfinite));
    json_object_set_new(result, "files", files);
    wp_print_json(result);
}
