// Replaces threads.c, pipeline.c and async_job.c on systems without threads.
#include "threads.h"

#include "clock.h"

#include <stddef.h>

const char *const wp_threads_model = "none, because this build has no threads";

int wp_threads_count(void)
{
    return 1;
}

void wp_threads_share(int threads, int count, void (*task)(void *user, int i, int thread),
                      void *user)
{
    (void)threads;
    for (int i = 0; i < count; i++)
        task(user, i, 0);
}

bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int caller_stage, void *user)
{
    (void)caller_stage;
    bool end = false;
    for (int item = 0; !end; item++) {
        for (int s = 0; s < count && !end; s++) {
            const double start = wp_clock_seconds();
            if (wp_pipeline_has_item(&stage[s], item) && !stage[s].step(user, item, &end))
                return false;
            stage[s].seconds += wp_clock_seconds() - start;
        }
    }
    return true;
}

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
