// The processes of MPI_COMM_WORLD, which run one command. Process 0 prints all messages, at the end
// also an error of another process.
//
// All functions except wp_world_rank() and wp_world_size() are collective.
#ifndef WP_MPI_WORLD_H
#define WP_MPI_WORLD_H

#include "log.h"

#include <stdbool.h>
#include <stddef.h>

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
char *wp_world_share_text(const char *text);

// Makes a process that is interrupted, for example by mpiexec after another process failed, report
// that, remove its outputs, and exit with 128 + the signal, or 130 for SIGINT.
void wp_world_catch_signals(void);

#endif
