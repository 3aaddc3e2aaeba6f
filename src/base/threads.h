// Threads that share work, and sleep where there is none.
#ifndef WP_THREADS_H
#define WP_THREADS_H

// What threads come from, or why there is one only.
extern const char *const wp_threads_model;

enum { WP_THREADS_MAX = 1024 };

// How many threads work is shared among where nobody says: OMP_NUM_THREADS, or one for each
// processor that the calling thread may run on. 1..WP_THREADS_MAX.
int wp_threads_count(void);

// Calls task(user, i, thread) for every i of 0..count-1, in any order, and returns when all are
// done. `thread` is below `threads`; calls with equal numbers do not overlap.
//
// The caller takes part, with the workers that have nothing else to do: where there are fewer than
// threads - 1, or none could be made, the work takes longer and is done all the same. So it may be
// called by any number of threads at once, and by tasks. Workers are shared by the process and end
// with it; a child of fork() gets its own when it first calls, but if a task forks, its child must
// not return from the task.
void wp_threads_share(int threads, int count, void (*task)(void *user, int i, int thread),
                      void *user);

#endif
