// The processes that run one command together, those of MPI_COMM_WORLD. What all of them find out,
// process 0 says; what one alone does, process 0 says for it at the end.
//
// All functions but wp_world_rank() and wp_world_size() are collective.
#ifndef WP_MPI_WORLD_H
#define WP_MPI_WORLD_H

#include "log.h"

#include <stdbool.h>
#include <stddef.h>

// Starts MPI. From then on only process 0 has a standard output, and errors are kept.
void wp_world_begin(int *argc, char ***argv);
void wp_world_end(void);

int wp_world_rank(void);
int wp_world_size(void);

// The exit code of all: that of the first process that has something to say, which process 0 says.
enum wp_error wp_world_resolve(enum wp_error code);

// Whether all processes are well. Where one is not, its kind of failure is that of all.
bool wp_world_agree(bool ok);

unsigned long long wp_world_sum(unsigned long long mine); // modulo 2^64
double wp_world_most(double mine);

// Process 0's bytes to all.
void wp_world_share(void *bytes, size_t count);
// Its text to all, which each frees; NULL in process 0 stands for none, which then is NULL in all.
char *wp_world_share_text(const char *text);

// From here on a process that is asked to stop, as mpiexec does where another one has died, says
// so, leaves no output behind, and ends with 128 + the signal.
void wp_world_catch_signals(void);

#endif
