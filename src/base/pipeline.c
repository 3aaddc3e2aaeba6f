#include "threads.h"

#include "clock.h"
#include "log.h"

#include <pthread.h>

enum { STAGES_MAX = 8 };

// State shared by all threads of a call.
struct pipeline {
    struct wp_pipeline_stage *stage;
    int count;
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t progressed;
    int done[STAGES_MAX]; // number of items that each stage has finished
    int items;            // total; -1: not known yet
    bool failed;
    enum wp_error error; // of the step that failed first
};

struct worker {
    struct pipeline *pipeline;
    int stage;
};

static bool has_free_slot(const struct pipeline *p, int stage, int item)
{
    const struct wp_pipeline_stage *s = &p->stage[stage];
    const int until = s->until ? s->until : stage + 1;
    return until >= p->count || p->done[until] > item - s->slots;
}

// Waits until a stage can begin its next item. False if there are no more items.
static bool wait_for_item(struct pipeline *p, int stage)
{
    const int item = p->done[stage];
    pthread_mutex_lock(&p->lock);
    while (!p->failed && item != p->items &&
           ((stage > 0 && p->done[stage - 1] <= item) || !has_free_slot(p, stage, item)))
        pthread_cond_wait(&p->progressed, &p->lock);
    const bool is_ready = !p->failed && item != p->items;
    pthread_mutex_unlock(&p->lock);
    return is_ready;
}

static void run_stage(struct pipeline *p, int stage)
{
    struct wp_pipeline_stage *s = &p->stage[stage];
    while (wait_for_item(p, stage)) {
        bool end = false;
        const double start = wp_clock_seconds();
        const int item = p->done[stage];
        const bool ok = !wp_pipeline_has_item(s, item) || s->step(p->user, item, &end);
        s->seconds += wp_clock_seconds() - start;
        pthread_mutex_lock(&p->lock);
        if (!ok && !p->failed) {
            p->failed = true;
            p->error = wp_last_error();
        }
        if (end)
            p->items = p->done[stage];
        else
            p->done[stage]++;
        pthread_cond_broadcast(&p->progressed);
        pthread_mutex_unlock(&p->lock);
    }
}

static void *run_worker(void *user)
{
    const struct worker *worker = user;
    run_stage(worker->pipeline, worker->stage);
    return NULL;
}

bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int caller_stage, void *user)
{
    struct pipeline p = {.stage = stage, .count = count, .user = user,
                         .lock = PTHREAD_MUTEX_INITIALIZER, .progressed = PTHREAD_COND_INITIALIZER,
                         .items = -1};
    struct worker worker[STAGES_MAX];
    pthread_t thread[STAGES_MAX];
    bool is_started[STAGES_MAX] = {false};
    for (int s = 0; s < count; s++) {
        worker[s] = (struct worker){&p, s};
        is_started[s] = s != caller_stage &&
                        pthread_create(&thread[s], NULL, run_worker, &worker[s]) == 0;
        if (s != caller_stage && !is_started[s]) {
            pthread_mutex_lock(&p.lock);
            p.failed = true;
            p.error = WP_ERROR_TOO_LARGE;
            wp_fail(p.error, "not enough memory for a thread, or too many of them");
            pthread_cond_broadcast(&p.progressed);
            pthread_mutex_unlock(&p.lock);
            break;
        }
    }
    run_stage(&p, caller_stage);
    for (int s = 0; s < count; s++)
        if (is_started[s])
            pthread_join(thread[s], NULL);
    pthread_cond_destroy(&p.progressed);
    pthread_mutex_destroy(&p.lock);
    return !p.failed || wp_fail_silently(p.error);
}
