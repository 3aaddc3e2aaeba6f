// The common part of both commands: an image whose rows are distributed over the processes.
#ifndef WP_MPI_JOB_H
#define WP_MPI_JOB_H

#include "command.h"
#include "description.h"
#include "image.h"
#include "mpi_file.h"
#include "text.h"
#include "wavepass_mpi.h"

// Options of struct wp_transform_params: -b -d.
extern const struct wp_option wp_mpi_options_device[];

struct wp_mpi_job {
    struct wp_image shape;               // the image without samples
    struct wp_transform *transform;      // only for its info, it does not run
    struct wp_mpi *mpi;
    int first, rows;                     // rows of the image in this process
    float **band;                        // [wp_mpi_band_count()]: rows of all planes
    struct wp_mpi_file file;
    double read, seconds, write;         // of files and the transform, in the slowest process
};

// Collective. Creates the transform for `job->shape`, with the options of `params`, and allocates
// `band`. False after an error in any process.
bool wp_mpi_job_begin(struct wp_mpi_job *job, const struct wp_transform_params *params,
                      enum wp_direction direction);
// Collective. Process 0 must have discarded or committed its outputs before.
void wp_mpi_job_end(struct wp_mpi_job *job);

// Reports that the rows of a file cannot be shared because of `why`, or that it does not exist.
// Always false.
bool wp_mpi_job_reject(const char *path, const char *why);

// Adds the file's name with the first row of this process, for messages.
void wp_mpi_job_name(const struct wp_mpi_job *job, const char *path, struct wp_text *text);

// Collective. Seconds since `start` in the slowest process.
double wp_mpi_job_since(double start);

// Logs a summary, and with --json prints the object with its member `files`, whose reference is
// consumed. Only in process 0.
void wp_mpi_job_report(const struct wp_mpi_job *job, const struct wp_call *call, size_t nonfinite,
                       struct json_t *files);

#endif
