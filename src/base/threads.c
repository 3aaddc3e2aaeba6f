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

// One call of wp_threads_share(), on its caller's stack. The caller waits only for workers that
// have joined this job. These wait, if at all, only for workers of newer jobs that they started. So
// threads cannot wait for each other in a circle.
struct job {
    struct job *next;
    void (*task)(void *user, int i, int thread);
    void *user;
    unsigned count;
    atomic_uint started;   // number of indices started; may exceed `count`
    int threads, numbered; // the maximum, and the thread numbers given out
    atomic_int helpers;    // workers in this job
    pthread_cond_t left;   // signaled when `helpers` becomes 0
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    atomic_uint posts;
    struct job *jobs; // newest first
    int requested;    // workers requested by all jobs
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

static int clamp(int low, long value, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

int wp_threads_count(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long given = text ? strtol(text, NULL, 10) : 0;
    return clamp(1, given > 0 ? given : processors(), WP_THREADS_MAX);
}

// Tries repeatedly, since the lock is held for less time than sleeping and waking takes.
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

// How long a thread waits actively before it sleeps, in seconds: the next level of a transform, or
// the end of another thread's last task, usually comes sooner than waking takes. It yields to other
// threads meanwhile.
static double spin_seconds(void)
{
    return atomic_load(&pool.crowded) ? 0 : 100e-6;
}

static void run_tasks(struct job *job, int thread)
{
    unsigned i;
    while ((i = atomic_fetch_add(&job->started, 1)) < job->count)
        job->task(job->user, (int)i, thread);
}

// A job that accepts another worker, or NULL.
static struct job *find_job(void)
{
    struct job *job = pool.jobs;
    while (job && (job->numbered == job->threads || atomic_load(&job->started) >= job->count))
        job = job->next;
    return job;
}

static void help_job(struct job *job)
{
    const int thread = job->numbered++;
    atomic_fetch_add(&job->helpers, 1);
    unlock();
    run_tasks(job, thread);
    lock();
    // The job must not be accessed without the lock from here on, since its caller may return.
    if (atomic_fetch_sub(&job->helpers, 1) == 1)
        pthread_cond_signal(&job->left);
}

// True if a job was posted in time.
static bool spin_for_posts(void)
{
    const unsigned initial_posts = atomic_load(&pool.posts);
    const double stop_workers = wp_clock_seconds() + spin_seconds();
    unlock();
    while (atomic_load(&pool.posts) == initial_posts && wp_clock_seconds() < stop_workers)
        sched_yield();
    lock();
    return atomic_load(&pool.posts) != initial_posts;
}

static void *run_worker(void *unused)
{
    (void)unused;
    lock();
    while (!pool.ended) {
        struct job *job = find_job();
        if (job)
            help_job(job);
        else if (!spin_for_posts())
            pthread_cond_wait(&pool.posted, &pool.lock);
    }
    unlock();
    return NULL;
}

// Ends the workers at exit or when the library is unloaded.
static void stop_workers(void)
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

// After fork() the child has only the thread that called it.
static void begin_child(void)
{
    pool.jobs = NULL;
    pool.requested = pool.workers = 0;
    pthread_cond_init(&pool.posted, NULL);
    unlock();
}

// Starts workers for all jobs, at most one per processor unless a job requests more threads. Starts
// none if they cannot be ended with the library.
static void start_workers(int threads)
{
    if (!pool.set_up && atexit(stop_workers) == 0)
        pool.set_up = pthread_atfork(lock, unlock, begin_child) == 0;
    if (!pool.set_up)
        return;
    const int processor_count = processors();
    const int high = clamp(threads, processor_count, WP_THREADS_MAX) - 1;
    while (pool.workers < pool.requested && pool.workers < high && !pool.ended &&
           pthread_create(&pool.worker[pool.workers], NULL, run_worker, NULL) == 0)
        pool.workers++;
    atomic_store(&pool.crowded, pool.workers >= processor_count);
}

static void post(struct job *job)
{
    lock();
    pool.requested += job->threads - 1;
    if (pool.workers < pool.requested)
        start_workers(job->threads);
    job->next = pool.jobs;
    pool.jobs = job;
    atomic_fetch_add(&pool.posts, 1);
    unlock();
    for (int i = 1; i < job->threads; i++)
        pthread_cond_signal(&pool.posted);
}

// Removes a job without remaining indices, after the last worker has left it.
static void finish_job(struct job *job)
{
    const double stop_workers = wp_clock_seconds() + spin_seconds();
    while (atomic_load(&job->helpers) > 0 && wp_clock_seconds() < stop_workers)
        sched_yield();
    lock();
    pool.requested -= job->threads - 1;
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
                      .threads = clamp(1, threads, clamp(1, count, WP_THREADS_MAX)),
                      .numbered = 1, // the caller
                      .left = PTHREAD_COND_INITIALIZER};
    if (job.threads > 1)
        post(&job);
    run_tasks(&job, 0);
    if (job.threads > 1)
        finish_job(&job);
}
