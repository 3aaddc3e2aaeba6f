#include "async_job.h"

#include <pthread.h>
#include <stdlib.h>

struct wp_async_job {
    bool (*turn)(void *user);
    void *user;
    pthread_t thread;
    pthread_mutex_t own, shared; // own: of the flags
    pthread_cond_t changed;
    bool awake, busy, ending;
};

static void *live(void *user)
{
    struct wp_async_job *b = user;
    pthread_mutex_lock(&b->own);
    while (!b->ending) {
        if (!b->awake) {
            b->busy = false;
            pthread_cond_broadcast(&b->changed);
            pthread_cond_wait(&b->changed, &b->own);
            continue;
        }
        // Whoever wakes it during the turn wants one more.
        b->awake = false;
        b->busy = true;
        pthread_mutex_unlock(&b->own);
        const bool more = b->turn(b->user);
        pthread_mutex_lock(&b->own);
        b->awake = b->awake || more;
    }
    b->busy = false;
    pthread_mutex_unlock(&b->own);
    return NULL;
}

struct wp_async_job *wp_async_job_start(bool (*turn)(void *user), void *user)
{
    struct wp_async_job *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->turn = turn;
    b->user = user;
    pthread_mutex_init(&b->own, NULL);
    pthread_mutex_init(&b->shared, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (pthread_create(&b->thread, NULL, live, b) == 0)
        return b;
    free(b);
    return NULL;
}

void wp_async_job_wake(struct wp_async_job *b)
{
    pthread_mutex_lock(&b->own);
    b->awake = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->own);
}

void wp_async_job_wait(struct wp_async_job *b)
{
    pthread_mutex_lock(&b->own);
    while (b->awake || b->busy)
        pthread_cond_wait(&b->changed, &b->own);
    pthread_mutex_unlock(&b->own);
}

void wp_async_job_stop(struct wp_async_job **slot)
{
    struct wp_async_job *b = *slot;
    if (!b)
        return;
    pthread_mutex_lock(&b->own);
    b->ending = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->own);
    pthread_join(b->thread, NULL);
    *slot = NULL; // a turn may have looked at it until then
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->own);
    pthread_mutex_destroy(&b->shared);
    free(b);
}

void wp_async_job_lock(struct wp_async_job *b)
{
    if (b)
        pthread_mutex_lock(&b->shared);
}

void wp_async_job_unlock(struct wp_async_job *b)
{
    if (b)
        pthread_mutex_unlock(&b->shared);
}
