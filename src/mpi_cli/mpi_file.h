// A file that all processes write with MPI-IO, under the temporary name that process 0 created.
#ifndef WP_MPI_FILE_H
#define WP_MPI_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct wp_output;

enum { WP_MPI_FILES = 2 };

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

#endif
