// Replaces async_job.c on systems without threads.
#include "async_job.h"

#include <stddef.h>

struct wp_async_job *wp_async_job_start(bool (*step)(void *user), void *user)
{
    (void)step, (void)user;
    return NULL;
}

void wp_async_job_wake(struct wp_async_job *job)
{
    (void)job;
}

void wp_async_job_wait(struct wp_async_job *job)
{
    (void)job;
}

void wp_async_job_stop(struct wp_async_job **job)
{
    (void)job;
}

void wp_async_job_lock(struct wp_async_job *job)
{
    (void)job;
}

void wp_async_job_unlock(struct wp_async_job *job)
{
    (void)job;
}
