// A pool of worker threads, which sleep while there is no work.
#ifndef WP_THREADS_H
#define WP_THREADS_H

// The kind of threads, or why there is only one.
extern const char *const wp_threads_model;

enum { WP_THREADS_MAX = 1024 };

// The default number of threads: OMP_NUM_THREADS, or one per processor that the calling thread may
// run on. 1..WP_THREADS_MAX.
int wp_threads_count(void);

// Calls task(user, i, thread) for every i of 0..count-1, in any order, and returns when all calls
// have returned. `thread` is below `threads`; calls with the same `thread` do not overlap.
//
// The calling thread and idle workers run the tasks. If there are fewer workers than threads - 1,
// or none could be created, the call takes longer but completes. Any number of threads may call
// this at the same time, and tasks may, too. The process has one set of workers, which end with it.
// A child of fork() gets its own in its first call, but a child of a task that forks must not
// return from the task.
void wp_threads_share(int threads, int count, void (*task)(void *user, int i, int thread),
                      void *user);

#endif
