// An image whose rows are spread over the processes, as both commands have it.
#ifndef WP_MPI_JOB_H
#define WP_MPI_JOB_H

#include "command.h"
#include "description.h"
#include "image.h"
#include "mpi_file.h"
#include "text.h"
#include "wavepass_mpi.h"

// What computes, of a struct wp_transform_params: -b -d.
extern const struct wp_option wp_mpi_options_device[];

struct wp_mpi_job {
    struct wp_image shape;               // of the image, without samples
    struct wp_transform *transform;      // tells what is computed; none of it runs
    struct wp_mpi *mpi;
    int first, rows;                     // of the image, in this process
    float **band;                        // [wp_mpi_band_count()]: rows of all planes
    struct wp_mpi_file file;
    double read, seconds, write;         // of files and of the transform, the slowest process's
};

// Collective. Of `params` counts what a command line gives; the shape is set. False after an error
// in any process.
bool wp_mpi_job_begin(struct wp_mpi_job *job, const struct wp_transform_params *params,
                      enum wp_direction direction);
// Collective, with outputs of process 0 already discarded or committed.
void wp_mpi_job_end(struct wp_mpi_job *job);

// Says why a file's rows cannot be shared: it is not there, or `why`. Always false.
bool wp_mpi_job_refuse(const char *path, const char *why);

// The file's name, for messages about the rows of this process.
void wp_mpi_job_name(const struct wp_mpi_job *job, const char *path, struct wp_text *text);

// Seconds since then, in the slowest process. Collective.
double wp_mpi_job_since(double start);

// The line that tells what was done, and with --json the object, to which `files` go: of process 0.
void wp_mpi_job_report(const struct wp_mpi_job *job, const struct wp_call *call, size_t nonfinite,
                     struct json_t *files);

#endif
