// Threads that share work: OpenMP's, or where this build has none, the caller's own.
#ifndef WP_CPU_THREADS_H
#define WP_CPU_THREADS_H

// What threads come from: "OpenMP", or why there is one only.
extern const char *const wp_cpu_threads_model;

// How many threads work is shared among: OMP_NUM_THREADS, or one a core. At least 1.
int wp_cpu_threads(void);

// Calls task(user, i, thread) for every i of 0..count-1, in any order, and returns when all are
// done. `thread` is below `threads`; calls with equal numbers do not overlap.
void wp_cpu_share(int threads, int count, void (*task)(void *user, int i, int thread), void *user);

#endif
