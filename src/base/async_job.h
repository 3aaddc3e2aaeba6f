// A job in a worker thread that runs in steps.
#ifndef WP_ASYNC_JOB_H
#define WP_ASYNC_JOB_H

#include <stdbool.h>

struct wp_async_job;

// Starts a thread that sleeps until it is woken, then calls step(user) until it returns false, and
// sleeps again. Returns NULL if there are no threads: the caller must then run the steps itself.
struct wp_async_job *wp_async_job_start(bool (*step)(void *user), void *user);

void wp_async_job_wake(struct wp_async_job *job);
void wp_async_job_wait(struct wp_async_job *job); // blocks until it sleeps
// Ends the thread after the current step. Accepts NULL, sets the pointer to NULL.
void wp_async_job_stop(struct wp_async_job **job);

// Lock a mutex for data that steps and caller share. Do nothing for NULL.
void wp_async_job_lock(struct wp_async_job *job);
void wp_async_job_unlock(struct wp_async_job *job);

#endif
