#include "pyramid_run.h"

#include "async_job.h"
#include "pyramid_make.h"
#include "text.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Tiles that were read and not yet taken.
enum { GOT_MOST = 8 };

struct wp_pyramid_run {
    atomic_bool stop; // whatever is being read
    // Of whoever takes the turns.
    struct wp_pyramid_params params;
    struct wp_pyramid_file *file;
    struct wp_pyramid_make *make;
    struct stat state; // of the path when it was opened
    bool told;         // that it is not the same any more

    struct wp_async_job *thread; // or NULL
    // Shared from here on.
    bool checks, reopens, halts;
    enum wp_channel channel;
    struct wp_pyramid_tile *wanted;
    size_t wants;
    struct wp_pyramid_got got[GOT_MOST]; // the first one is the oldest
    size_t gots;
    bool working;
    struct wp_pyramid_news news;
};

static bool open_file(struct wp_pyramid_run *run)
{
    const struct wp_pyramid_make_info *made = run->make ? wp_pyramid_make_info(run->make) : NULL;
    struct wp_pyramid_file *file = made ? wp_pyramid_file_open(made->path, made->sidecar)
                                        : wp_pyramid_file_open(run->params.path, NULL);
    if (!file)
        return false;
    wp_pyramid_file_close(&run->file);
    run->file = file;
    return true;
}

// The coefficients, or what they are made of.
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
    run->told = false;
    return true;
}

// ---- What is told, to be called while nobody looks.

static void tell_file(struct wp_pyramid_run *run)
{
    run->news.opened++;
    run->news.info = *wp_pyramid_file_info(run->file);
    run->news.halted = false;
}

static void tell_making(struct wp_pyramid_run *run)
{
    const struct wp_pyramid_make_info *made = run->make ? wp_pyramid_make_info(run->make) : NULL;
    const int colours = run->news.info.colours;
    const size_t tile = (size_t)WP_PYRAMID_TILE * WP_PYRAMID_TILE * sizeof(float) *
                        (size_t)wp_pyramid_planes(colours, WP_CHANNEL_RGB);
    const size_t reading = wp_pyramid_file_memory(colours) + GOT_MOST * tile;
    run->news.memory = made && made->memory > reading ? made->memory : reading;
    run->news.making = made;
    run->news.row = made ? made->row : 0;
    run->news.rows = made ? made->rows : 0;
    run->news.file = made ? made->file : 0;
}

static void tell_error(struct wp_pyramid_run *run, enum wp_error kind, const char *text)
{
    run->news.kind = kind;
    snprintf(run->news.error, sizeof run->news.error, "%s", text);
}

static void forget_got(struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->gots; i++)
        free(run->got[i].samples);
    run->gots = 0;
}

// ---- Turns. Each does one thing without the lock, and tells of it with the lock.

static bool is_got(const struct wp_pyramid_run *run, struct wp_pyramid_tile t)
{
    for (size_t i = 0; i < run->gots; i++) {
        const struct wp_pyramid_tile g = run->got[i].tile;
        if (g.level == t.level && g.column == t.column && g.row == t.row)
            return true;
    }
    return false;
}

static const struct wp_pyramid_tile *next_tile(const struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->wants && run->gots < GOT_MOST; i++)
        if (!is_got(run, run->wanted[i]))
            return &run->wanted[i];
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

static void turn_halt(struct wp_pyramid_run *run)
{
    run->halts = false;
    if (!run->make)
        return;
    unlock(run);
    wp_pyramid_make_close(&run->make);
    lock(run);
    tell_making(run);
    run->news.halted = true;
}

static void turn_reopen(struct wp_pyramid_run *run)
{
    run->reopens = false;
    unlock(run);
    const bool ok = open_path(run);
    lock(run);
    if (!ok) {
        tell_error(run, wp_last_error(), wp_last_error_text());
        return;
    }
    forget_got(run);
    run->news.halted = false;
    if (!run->make)
        tell_file(run);
    tell_making(run);
}

static void turn_make(struct wp_pyramid_run *run)
{
    unlock(run);
    bool ok = wp_pyramid_make_rows(run->make);
    const bool whole = ok && wp_pyramid_make_info(run->make)->path;
    ok = ok && (!whole || open_file(run));
    if (!ok || whole)
        wp_pyramid_make_close(&run->make);
    lock(run);
    if (!ok) {
        tell_error(run, wp_last_error(), wp_last_error_text());
        run->news.halted = true;
    } else if (whole) {
        forget_got(run);
        tell_file(run);
    }
    tell_making(run);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void turn_check(struct wp_pyramid_run *run)
{
    char text[WP_PYRAMID_TEXT] = "";
    struct stat now;
    run->checks = false;
    unlock(run);
    const bool there = stat(run->params.path, &now) == 0;
    if (!there)
        snprintf(text, sizeof text, "%s: %s\ntiles that were read remain", run->params.path,
                 strerror(errno));
    else if (!is_same(&now, &run->state))
        snprintf(text, sizeof text, "%s was changed; Ctrl+R reads it again", run->params.path);
    lock(run);
    if (text[0] && !run->told)
        tell_error(run, WP_ERROR_FILE, text);
    run->told = text[0];
}

static void turn_read(struct wp_pyramid_run *run, struct wp_pyramid_tile tile)
{
    const enum wp_channel channel = run->channel;
    const unsigned opened = run->news.opened;
    unlock(run);
    float *samples = wp_pyramid_file_read(run->file, channel, tile, &run->stop);
    lock(run);
    if (!samples && !atomic_load(&run->stop))
        tell_error(run, wp_last_error(), wp_last_error_text());
    if (channel != run->channel || opened != run->news.opened) {
        free(samples);
        return;
    }
    run->got[run->gots++] = (struct wp_pyramid_got){
        tile, samples, wp_pyramid_planes(run->news.info.colours, channel)};
}

static bool has_more(const struct wp_pyramid_run *run)
{
    return run->halts || run->reopens || run->checks || run->news.making ||
           (run->news.opened > 0 && next_tile(run));
}

static bool take_turn(void *user)
{
    struct wp_pyramid_run *run = user;
    // Messages are the window's to show.
    wp_begin_attempt();
    lock(run);
    run->working = true;
    const struct wp_pyramid_tile *tile = run->news.opened > 0 ? next_tile(run) : NULL;
    if (run->halts)
        turn_halt(run);
    else if (run->reopens)
        turn_reopen(run);
    else if (run->checks)
        turn_check(run);
    else if (run->make)
        turn_make(run);
    else if (tile)
        turn_read(run, *tile);
    run->working = false;
    const bool more = has_more(run);
    unlock(run);
    wp_end_attempt();
    return more;
}

// ---- The window's side.

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
        tell_file(run);
    else
        run->news.info.colours = wp_pyramid_make_info(run->make)->colours;
    tell_making(run);
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
    forget_got(run);
    free(run->wanted);
    free(run);
}

void wp_pyramid_run_start(struct wp_pyramid_run *run)
{
    run->thread = wp_async_job_start(take_turn, run);
    if (run->thread)
        wp_async_job_wake(run->thread);
}

bool wp_pyramid_run_step(struct wp_pyramid_run *run)
{
    return !run->thread && take_turn(run);
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
        forget_got(run);
    run->channel = channel;
    run->wanted = wp_xrealloc(run->wanted, count + 1, sizeof *run->wanted);
    memcpy(run->wanted, tile, count * sizeof *tile);
    run->wants = count;
    const bool more = has_more(run);
    unlock(run);
    if (more)
        wake(run);
}

bool wp_pyramid_run_result(struct wp_pyramid_run *run, struct wp_pyramid_got *got)
{
    lock(run);
    const bool has = run->gots > 0;
    if (has) {
        *got = run->got[0];
        run->gots--;
        memmove(run->got, run->got + 1, run->gots * sizeof *got);
    }
    unlock(run);
    return has;
}

static void ask(struct wp_pyramid_run *run, bool *what)
{
    lock(run);
    *what = true;
    unlock(run);
    wake(run);
}

void wp_pyramid_run_check(struct wp_pyramid_run *run)
{
    ask(run, &run->checks);
}

void wp_pyramid_run_reopen(struct wp_pyramid_run *run)
{
    ask(run, &run->reopens);
}

void wp_pyramid_run_halt(struct wp_pyramid_run *run)
{
    ask(run, &run->halts);
}

void wp_pyramid_run_look(struct wp_pyramid_run *run, struct wp_pyramid_news *news)
{
    lock(run);
    *news = run->news;
    news->busy = run->working || run->gots > 0 || has_more(run);
    run->news.error[0] = '\0';
    unlock(run);
}

bool wp_pyramid_run_has_news(struct wp_pyramid_run *run, const struct wp_pyramid_news *seen)
{
    enum { STEPS = 200 }; // of a bar that grows
    lock(run);
    const struct wp_pyramid_news *news = &run->news;
    const bool has = run->gots > 0 || news->error[0] || news->opened != seen->opened ||
                     news->making != seen->making || news->halted != seen->halted ||
                     news->row - seen->row > news->rows / STEPS;
    unlock(run);
    return has;
}
