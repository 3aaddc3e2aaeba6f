#include "pyramid_run.h"

#include "threads.h"
#include "pyramid_make.h"
#include "text.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// maximum number of results not yet delivered
enum { RESULTS_MAX = 8 };

struct wp_pyramid_run {
    atomic_bool stop; // cancels reading
    // Used only by the thread that runs the jobs:
    struct wp_pyramid_params params;
    struct wp_pyramid_file *file;
    struct wp_pyramid_make *make;
    struct stat state; // of `path` when it was opened
    bool reported;     // a change of the file was reported

    struct wp_async_job *thread; // or NULL
    // Shared, protected by the lock:
    bool checks, reopens, halts;
    enum wp_channel channel;
    struct wp_pyramid_tile *requested;
    size_t requests;
    struct wp_pyramid_result result[RESULTS_MAX]; // oldest first
    size_t results;
    bool working;
    struct wp_pyramid_status status;
};

static bool open_file(struct wp_pyramid_run *run)
{
    const struct wp_pyramid_make_info *make_info =
        run->make ? wp_pyramid_make_info(run->make) : NULL;
    struct wp_pyramid_file *file = make_info
                                       ? wp_pyramid_file_open(make_info->path, make_info->sidecar)
                                       : wp_pyramid_file_open(run->params.path, NULL);
    if (!file)
        return false;
    wp_pyramid_file_close(&run->file);
    run->file = file;
    return true;
}

// Opens the coefficients, or the image to be transformed.
static bool open_path(struct wp_pyramid_run *run)
{
    const struct wp_pyramid_params *p = &run->params;
    struct stat state;
    if (stat(p->path, &state) != 0)
        return wp_fail(wp_error_of_errno(), "%s: %s", p->path, strerror(errno));
    if (p->coefficients) {
        if (!open_file(run))
            return false;
    } else {
        struct wp_pyramid_make *make = wp_pyramid_make_open(p->path, &p->read, &p->transform);
        if (!make)
            return false;
        wp_pyramid_make_close(&run->make);
        run->make = make;
    }
    run->state = state;
    run->reported = false;
    return true;
}

// ---- Updates of the shared state; the lock must be held.

static void publish_file(struct wp_pyramid_run *run)
{
    run->status.opened++;
    run->status.info = *wp_pyramid_file_info(run->file);
    run->status.halted = false;
}

static void publish_progress(struct wp_pyramid_run *run)
{
    const struct wp_pyramid_make_info *make_info =
        run->make ? wp_pyramid_make_info(run->make) : NULL;
    const int colours = run->status.info.colours;
    const size_t tile = (size_t)WP_PYRAMID_TILE * WP_PYRAMID_TILE * sizeof(float) *
                        (size_t)wp_pyramid_planes(colours, WP_CHANNEL_RGB);
    const size_t reading = wp_pyramid_file_memory(colours) + RESULTS_MAX * tile;
    run->status.memory = make_info && make_info->memory > reading ? make_info->memory : reading;
    run->status.making = make_info;
    run->status.row = make_info ? make_info->row : 0;
    run->status.rows = make_info ? make_info->rows : 0;
    run->status.file = make_info ? make_info->file : 0;
}

static void publish_error(struct wp_pyramid_run *run, enum wp_error kind, const char *text)
{
    run->status.kind = kind;
    snprintf(run->status.error, sizeof run->status.error, "%s", text);
}

static void discard_results(struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->results; i++)
        free(run->result[i].samples);
    run->results = 0;
}

// ---- Jobs. Each unlocks while it works and locks again to store its result.

static bool is_ready(const struct wp_pyramid_run *run, struct wp_pyramid_tile t)
{
    for (size_t i = 0; i < run->results; i++) {
        const struct wp_pyramid_tile g = run->result[i].tile;
        if (g.level == t.level && g.column == t.column && g.row == t.row)
            return true;
    }
    return false;
}

static const struct wp_pyramid_tile *next_tile(const struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->requests && run->results < RESULTS_MAX; i++)
        if (!is_ready(run, run->requested[i]))
            return &run->requested[i];
    return NULL;
}

static void lock(struct wp_pyramid_run *run)
{
    wp_async_job_lock(run->thread);
}

static void unlock(struct wp_pyramid_run *run)
{
    wp_async_job_unlock(run->thread);
}

static void run_halt(struct wp_pyramid_run *run)
{
    run->halts = false;
    if (!run->make)
        return;
    unlock(run);
    wp_pyramid_make_close(&run->make);
    lock(run);
    publish_progress(run);
    run->status.halted = true;
}

static void run_reopen(struct wp_pyramid_run *run)
{
    run->reopens = false;
    unlock(run);
    const bool ok = open_path(run);
    lock(run);
    if (!ok) {
        publish_error(run, wp_last_error(), wp_last_error_text());
        return;
    }
    discard_results(run);
    run->status.halted = false;
    if (!run->make)
        publish_file(run);
    publish_progress(run);
}

static void run_make(struct wp_pyramid_run *run)
{
    unlock(run);
    bool ok = wp_pyramid_make_rows(run->make);
    const bool complete = ok && wp_pyramid_make_info(run->make)->path;
    ok = ok && (!complete || open_file(run));
    if (!ok || complete)
        wp_pyramid_make_close(&run->make);
    lock(run);
    if (!ok) {
        publish_error(run, wp_last_error(), wp_last_error_text());
        run->status.halted = true;
    } else if (complete) {
        discard_results(run);
        publish_file(run);
    }
    publish_progress(run);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void run_check(struct wp_pyramid_run *run)
{
    char text[WP_PYRAMID_TEXT] = "";
    struct stat now;
    run->checks = false;
    unlock(run);
    const bool exists = stat(run->params.path, &now) == 0;
    if (!exists)
        snprintf(text, sizeof text, "%s: %s\ntiles that have been read remain available",
                 run->params.path, strerror(errno));
    else if (!is_same(&now, &run->state))
        snprintf(text, sizeof text, "%s has changed; Ctrl+R reloads it", run->params.path);
    lock(run);
    if (text[0] && !run->reported)
        publish_error(run, WP_ERROR_FILE, text);
    run->reported = text[0];
}

static void run_read(struct wp_pyramid_run *run, struct wp_pyramid_tile tile)
{
    const enum wp_channel channel = run->channel;
    const unsigned opened = run->status.opened;
    unlock(run);
    float *samples = wp_pyramid_file_read(run->file, channel, tile, &run->stop);
    lock(run);
    if (!samples && !atomic_load(&run->stop))
        publish_error(run, wp_last_error(), wp_last_error_text());
    if (channel != run->channel || opened != run->status.opened) {
        free(samples);
        return;
    }
    run->result[run->results++] = (struct wp_pyramid_result){
        tile, samples, wp_pyramid_planes(run->status.info.colours, channel)};
}

static bool has_more(const struct wp_pyramid_run *run)
{
    return run->halts || run->reopens || run->checks || run->status.making ||
           (run->status.opened > 0 && next_tile(run));
}

static bool run_job(void *user)
{
    struct wp_pyramid_run *run = user;
    // Messages are shown by the window.
    wp_begin_attempt();
    lock(run);
    run->working = true;
    const struct wp_pyramid_tile *tile = run->status.opened > 0 ? next_tile(run) : NULL;
    if (run->halts)
        run_halt(run);
    else if (run->reopens)
        run_reopen(run);
    else if (run->checks)
        run_check(run);
    else if (run->make)
        run_make(run);
    else if (tile)
        run_read(run, *tile);
    run->working = false;
    const bool more = has_more(run);
    unlock(run);
    wp_end_attempt();
    return more;
}

// ---- Interface of the window.

struct wp_pyramid_run *wp_pyramid_run_open(const struct wp_pyramid_params *params)
{
    struct wp_pyramid_run *run = wp_xcalloc(1, sizeof *run);
    run->params = *params;
    atomic_init(&run->stop, false);
    if (!open_path(run)) {
        wp_pyramid_run_close(&run);
        return NULL;
    }
    if (run->file)
        publish_file(run);
    else
        run->status.info.colours = wp_pyramid_make_info(run->make)->colours;
    publish_progress(run);
    return run;
}

void wp_pyramid_run_close(struct wp_pyramid_run **slot)
{
    struct wp_pyramid_run *run = *slot;
    *slot = NULL;
    if (!run)
        return;
    atomic_store(&run->stop, true);
    wp_async_job_stop(&run->thread);
    wp_pyramid_make_close(&run->make);
    wp_pyramid_file_close(&run->file);
    discard_results(run);
    free(run->requested);
    free(run);
}

void wp_pyramid_run_start(struct wp_pyramid_run *run)
{
    run->thread = wp_async_job_start(run_job, run);
    if (run->thread)
        wp_async_job_wake(run->thread);
}

bool wp_pyramid_run_step(struct wp_pyramid_run *run)
{
    return !run->thread && run_job(run);
}

static void wake(struct wp_pyramid_run *run)
{
    if (run->thread)
        wp_async_job_wake(run->thread);
}

void wp_pyramid_run_request(struct wp_pyramid_run *run, enum wp_channel channel,
                            const struct wp_pyramid_tile tile[], size_t count)
{
    lock(run);
    if (channel != run->channel)
        discard_results(run);
    run->channel = channel;
    run->requested = wp_xrealloc(run->requested, count + 1, sizeof *run->requested);
    memcpy(run->requested, tile, count * sizeof *tile);
    run->requests = count;
    const bool more = has_more(run);
    unlock(run);
    if (more)
        wake(run);
}

bool wp_pyramid_run_pop_result(struct wp_pyramid_run *run, struct wp_pyramid_result *result)
{
    lock(run);
    const bool has = run->results > 0;
    if (has) {
        *result = run->result[0];
        run->results--;
        memmove(run->result, run->result + 1, run->results * sizeof *result);
    }
    unlock(run);
    return has;
}

static void set_flag(struct wp_pyramid_run *run, bool *flag)
{
    lock(run);
    *flag = true;
    unlock(run);
    wake(run);
}

void wp_pyramid_run_check(struct wp_pyramid_run *run)
{
    set_flag(run, &run->checks);
}

void wp_pyramid_run_reopen(struct wp_pyramid_run *run)
{
    set_flag(run, &run->reopens);
}

void wp_pyramid_run_halt(struct wp_pyramid_run *run)
{
    set_flag(run, &run->halts);
}

void wp_pyramid_run_get_status(struct wp_pyramid_run *run, struct wp_pyramid_status *status)
{
    lock(run);
    *status = run->status;
    status->busy = run->working || run->results > 0 || has_more(run);
    run->status.error[0] = '\0';
    unlock(run);
}

bool wp_pyramid_run_has_updates(struct wp_pyramid_run *run, const struct wp_pyramid_status *old)
{
    enum { STEPS = 200 }; // of the progress bar
    lock(run);
    const struct wp_pyramid_status *status = &run->status;
    const bool has = run->results > 0 || status->error[0] || status->opened != old->opened ||
                     status->making != old->making || status->halted != old->halted ||
                     status->row - old->row > status->rows / STEPS;
    unlock(run);
    return has;
}
