#include "threads.h"

#include <pthread.h>
#include <stdlib.h>

struct wp_async_job {
    bool (*step)(void *user);
    void *user;
    pthread_t thread;
    pthread_mutex_t state, shared; // `state` protects the flags below
    pthread_cond_t changed;
    bool awake, busy, ending;
};

static void *run_thread(void *user)
{
    struct wp_async_job *job = user;
    pthread_mutex_lock(&job->state);
    while (!job->ending) {
        if (!job->awake) {
            job->busy = false;
            pthread_cond_broadcast(&job->changed);
            pthread_cond_wait(&job->changed, &job->state);
            continue;
        }
        // A wake during the step causes one more step.
        job->awake = false;
        job->busy = true;
        pthread_mutex_unlock(&job->state);
        const bool more = job->step(job->user);
        pthread_mutex_lock(&job->state);
        job->awake = job->awake || more;
    }
    job->busy = false;
    pthread_mutex_unlock(&job->state);
    return NULL;
}

struct wp_async_job *wp_async_job_start(bool (*step)(void *user), void *user)
{
    struct wp_async_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->step = step;
    job->user = user;
    pthread_mutex_init(&job->state, NULL);
    pthread_mutex_init(&job->shared, NULL);
    pthread_cond_init(&job->changed, NULL);
    if (pthread_create(&job->thread, NULL, run_thread, job) == 0)
        return job;
    free(job);
    return NULL;
}

void wp_async_job_wake(struct wp_async_job *job)
{
    if (!job)
        return;
    pthread_mutex_lock(&job->state);
    job->awake = true;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->state);
}

void wp_async_job_wait(struct wp_async_job *job)
{
    pthread_mutex_lock(&job->state);
    while (job->awake || job->busy)
        pthread_cond_wait(&job->changed, &job->state);
    pthread_mutex_unlock(&job->state);
}

void wp_async_job_stop(struct wp_async_job **pointer)
{
    struct wp_async_job *job = *pointer;
    if (!job)
        return;
    pthread_mutex_lock(&job->state);
    job->ending = true;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->state);
    pthread_join(job->thread, NULL);
    *pointer = NULL; // after the join, since a step may read it
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->state);
    pthread_mutex_destroy(&job->shared);
    free(job);
}

void wp_async_job_lock(struct wp_async_job *job)
{
    if (job)
        pthread_mutex_lock(&job->shared);
}

void wp_async_job_unlock(struct wp_async_job *job)
{
    if (job)
        pthread_mutex_unlock(&job->shared);
}
