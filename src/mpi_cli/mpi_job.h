// The common part of both commands: an image whose rows are distributed over the processes.
#ifndef WP_MPI_JOB_H
#define WP_MPI_JOB_H

#include "command.h"
#include "description.h"
#include "image.h"
#include "log.h"
#include "text.h"
#include "wavepass_mpi.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct wp_output;

// ---- files that all processes write (mpi_world.c) ----

enum { WP_MPI_FILES = 2 };

// A file that all processes write with MPI-IO, under the temporary name that process 0 created.
struct wp_mpi_file {
    MPI_File file;
    bool open;
    const char *path;                       // the final name, for messages
    struct wp_output *remote[WP_MPI_FILES]; // temporary files of process 0, which this process
                                            // removes if process 0 cannot
};

// Collective. Opens the file. `temporary`, used only in process 0, are the names of this file and
// of a file that belongs to it, or NULL. False after an error in any process.
bool wp_mpi_file_open(struct wp_mpi_file *file, const char *path,
                      const char *const temporary[WP_MPI_FILES]);

// Write or read bytes at an offset, in one process; `user` is the file. False after WP_ERROR_FILE.
bool wp_mpi_file_write(void *user, unsigned long long at, const void *bytes, size_t count);
bool wp_mpi_file_read(void *user, unsigned long long at, void *bytes, size_t count);

// Collective. Flushes the file, so that all processes can read what was written. False after an
// error in any process.
bool wp_mpi_file_agree(struct wp_mpi_file *file);
// Collective. Accepts {0}.
void wp_mpi_file_close(struct wp_mpi_file *file);

// ---- the processes (mpi_world.c) ----

// The processes of MPI_COMM_WORLD, which run one command. Process 0 prints all messages, at the end
// also an error of another process.
//
// All functions except wp_world_rank() and wp_world_size() are collective.

// Initializes MPI. From then on only process 0 writes to stdout, and errors are stored until
// wp_world_resolve().
void wp_world_begin(int *argc, char ***argv);
void wp_world_end(void);

int wp_world_rank(void);
int wp_world_size(void);

// Returns the common exit code: that of the first process that failed with a message, which process
// 0 prints.
enum wp_error wp_world_resolve(enum wp_error code);

// True if `ok` is true in all processes. Else sets the error code of a failed process in those that
// have none.
bool wp_world_agree(bool ok);

unsigned long long wp_world_sum(unsigned long long mine); // modulo 2^64
double wp_world_max(double mine);

// Copies the bytes of process 0 to all processes.
void wp_world_share(void *bytes, size_t count);
// Returns a copy of the text of process 0, which each process frees; NULL if it is NULL there.

// Makes a process that is interrupted, for example by mpiexec after another process failed, report
// that, remove its outputs, and exit with 128 + the signal, or 130 for SIGINT.
void wp_world_catch_signals(void);

// ---- jobs ----

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
