#ifdef __linux__
#define _GNU_SOURCE // sched_getaffinity()
#endif
#include "threads.h"

#include "clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

const char *const wp_threads_model = "POSIX threads";

// One call of wp_threads_share(), on its caller's stack. The caller waits for no worker but those
// that have joined it; these wait, if at all, for what joins a newer job, of their own. So there is
// no circle of threads that wait for each other.
struct job {
    struct job *next;
    void (*task)(void *user, int i, int thread);
    void *user;
    unsigned count;
    atomic_uint taken;     // of the indices; goes beyond `count`
    int threads, numbered; // how many there may be, and have been
    atomic_int helpers;    // workers that are in it
    pthread_cond_t left;   // no worker is in it
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    atomic_uint posts;
    struct job *jobs;    // the newest first
    int wanted;          // workers, by all jobs together
    int workers;
    atomic_bool crowded; // more threads than processors
    bool ended, set_up;
    pthread_t worker[WP_THREADS_MAX];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER};

static int processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int between(int least, long value, int most)
{
    return value < least ? least : value > most ? most : (int)value;
}

int wp_threads_count(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long asked = text ? strtol(text, NULL, 10) : 0;
    return between(1, asked > 0 ? asked : processors(), WP_THREADS_MAX);
}

// What it guards takes less time than to sleep and be woken.
static void lock(void)
{
    for (int i = 0; i < 100; i++)
        if (pthread_mutex_trylock(&pool.lock) == 0)
            return;
    pthread_mutex_lock(&pool.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&pool.lock);
}

// How long a thread looks for what comes next before it sleeps, in seconds: the next level of a
// transform, or the end of another's last task, is mostly nearer than the time that waking takes.
// It yields meanwhile to whoever has something to do.
static double patience(void)
{
    return atomic_load(&pool.crowded) ? 0 : 100e-6;
}

static void work(struct job *job, int thread)
{
    unsigned i;
    while ((i = atomic_fetch_add(&job->taken, 1)) < job->count)
        job->task(job->user, (int)i, thread);
}

// A job that a worker could help with; NULL where there is none.
static struct job *find(void)
{
    struct job *job = pool.jobs;
    while (job && (job->numbered == job->threads || atomic_load(&job->taken) >= job->count))
        job = job->next;
    return job;
}

static void help(struct job *job)
{
    const int thread = job->numbered++;
    atomic_fetch_add(&job->helpers, 1);
    unlock();
    work(job, thread);
    lock();
    // Nothing of the job is touched without the lock from here on: its caller may return.
    if (atomic_fetch_sub(&job->helpers, 1) == 1)
        pthread_cond_signal(&job->left);
}

// True where something was posted in time.
static bool look_for_posts(void)
{
    const unsigned seen = atomic_load(&pool.posts);
    const double end = wp_clock_seconds() + patience();
    unlock();
    while (atomic_load(&pool.posts) == seen && wp_clock_seconds() < end)
        sched_yield();
    lock();
    return atomic_load(&pool.posts) != seen;
}

static void *serve(void *unused)
{
    (void)unused;
    lock();
    while (!pool.ended) {
        struct job *job = find();
        if (job)
            help(job);
        else if (!look_for_posts())
            pthread_cond_wait(&pool.posted, &pool.lock);
    }
    unlock();
    return NULL;
}

// So that a sanitizer finds nothing left, and nobody runs in a library that was unloaded.
static void end(void)
{
    lock();
    pool.ended = true;
    atomic_fetch_add(&pool.posts, 1);
    const int workers = pool.workers;
    pool.workers = 0;
    unlock();
    pthread_cond_broadcast(&pool.posted);
    for (int i = 0; i < workers; i++)
        pthread_join(pool.worker[i], NULL);
}

// A child has the thread that forked, and no other.
static void begin_child(void)
{
    pool.jobs = NULL;
    pool.wanted = pool.workers = 0;
    pthread_cond_init(&pool.posted, NULL);
    unlock();
}

// Workers for all that is wanted, but no more than processors, where nobody asked for more. None
// that would outlive the library.
static void hire(int threads)
{
    if (!pool.set_up && atexit(end) == 0)
        pool.set_up = pthread_atfork(lock, unlock, begin_child) == 0;
    if (!pool.set_up)
        return;
    const int here = processors(), most = between(threads, here, WP_THREADS_MAX) - 1;
    while (pool.workers < pool.wanted && pool.workers < most && !pool.ended &&
           pthread_create(&pool.worker[pool.workers], NULL, serve, NULL) == 0)
        pool.workers++;
    atomic_store(&pool.crowded, pool.workers >= here);
}

static void post(struct job *job)
{
    lock();
    pool.wanted += job->threads - 1;
    if (pool.workers < pool.wanted)
        hire(job->threads);
    job->next = pool.jobs;
    pool.jobs = job;
    atomic_fetch_add(&pool.posts, 1);
    unlock();
    for (int i = 1; i < job->threads; i++)
        pthread_cond_signal(&pool.posted);
}

// Takes back a job without indices left, once no worker is in it.
static void finish(struct job *job)
{
    const double end = wp_clock_seconds() + patience();
    while (atomic_load(&job->helpers) > 0 && wp_clock_seconds() < end)
        sched_yield();
    lock();
    pool.wanted -= job->threads - 1;
    struct job **link = &pool.jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    while (atomic_load(&job->helpers) > 0)
        pthread_cond_wait(&job->left, &pool.lock);
    unlock();
}

void wp_threads_share(int threads, int count, void (*task)(void *user, int i, int thread),
                      void *user)
{
    struct job job = {.task = task,
                      .user = user,
                      .count = count > 0 ? (unsigned)count : 0,
                      .threads = between(1, threads, between(1, count, WP_THREADS_MAX)),
                      .numbered = 1, // the caller
                      .left = PTHREAD_COND_INITIALIZER};
    if (job.threads > 1)
        post(&job);
    work(&job, 0);
    if (job.threads > 1)
        finish(&job);
}
