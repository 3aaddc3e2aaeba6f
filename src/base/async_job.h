// Work that goes on beside its caller, turn by turn.
#ifndef WP_ASYNC_JOB_H
#define WP_ASYNC_JOB_H

#include <stdbool.h>

struct wp_async_job;

// A thread that sleeps until it is woken. Then it calls turn(user) until that is false, and sleeps
// again. NULL where there are no threads: the caller is to take the turns itself.
struct wp_async_job *wp_async_job_start(bool (*turn)(void *user), void *user);

void wp_async_job_wake(struct wp_async_job *job);
void wp_async_job_wait(struct wp_async_job *job); // until it sleeps
// Ends it behind the turn that runs. Accepts NULL, clears the pointer.
void wp_async_job_stop(struct wp_async_job **job);

// For what turns and caller share. NULL: nothing happens.
void wp_async_job_lock(struct wp_async_job *job);
void wp_async_job_unlock(struct wp_async_job *job);

#endif
