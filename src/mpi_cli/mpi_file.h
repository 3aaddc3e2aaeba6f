// A file that all processes write by MPI-IO, under the name that process 0 has opened it by.
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
    const char *path;                    // the name to be, for messages
    struct wp_output *of_other[WP_MPI_FILES]; // what process 0 would leave behind if it died
};

// Collective. `temporary`, of process 0, are names of this file and of those that belong to it, or
// NULL. False after an error in any process.
bool wp_mpi_file_open(struct wp_mpi_file *file, const char *path,
                      const char *const temporary[WP_MPI_FILES]);

// Of one process; `own` is the file. False after WP_ERROR_FILE.
bool wp_mpi_file_write(void *own, unsigned long long at, const void *bytes, size_t count);
bool wp_mpi_file_read(void *own, unsigned long long at, void *bytes, size_t count);

// Collective. What was written is on the disk, and all may read it. False after an error in any.
bool wp_mpi_file_agree(struct wp_mpi_file *file);
// Collective. Accepts {0}.
void wp_mpi_file_close(struct wp_mpi_file *file);

#endif
