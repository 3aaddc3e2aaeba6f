// A pool of worker threads, which sleep while there is no work.
#ifndef WP_THREADS_H
#define WP_THREADS_H

#include <stdbool.h>

struct wp_async_job;

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

// ---- a pipeline: several stages process a sequence of items concurrently ----

struct wp_pipeline_stage {
    // Processes item 0, 1, 2, ..., each once and in this order. The first stage sets `*end` if
    // there is no such item. False after an error (log.h).
    bool (*step)(void *user, int item, bool *end);
    int slots;         // capacity for output items; not used for the last stage
    int until;         // the last stage that reads the output of this stage; 0: the next one
    int phase, period; // only items with item % period == phase; period 0: all items. Consecutive
                       // stages with the same step and different phases share its work.
    double seconds;    // set to the time in `step`
};

static inline bool wp_pipeline_has_item(const struct wp_pipeline_stage *stage, int item)
{
    return stage->period == 0 || item % stage->period == stage->phase;
}

// Runs stage `caller_stage` in the calling thread and the others in threads of their own. A stage
// begins an item when the previous stage has finished it and stage `until` has finished the item
// that used the same slot, `slots` items before. False if a step failed, after which no further
// step begins; the error of that step is then the caller's latest error.
bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int caller_stage, void *user);

// ---- a job in a worker thread that runs in steps ----

// Starts a thread that sleeps until it is woken, then calls step(user) until it returns false, and
// sleeps again. Returns NULL if there are no threads: the caller must then run the steps itself.
struct wp_async_job *wp_async_job_start(bool (*step)(void *user), void *user);

void wp_async_job_wake(struct wp_async_job *job); // accepts NULL
void wp_async_job_wait(struct wp_async_job *job); // blocks until it sleeps
// Ends the thread after the current step. Accepts NULL, sets the pointer to NULL.
void wp_async_job_stop(struct wp_async_job **job);

// Lock a mutex for data that steps and caller share. Do nothing for NULL.
void wp_async_job_lock(struct wp_async_job *job);
void wp_async_job_unlock(struct wp_async_job *job);

#endif
