#include "pyramid_run.h"

#include "threads.h"
#include "memory.h"
#include "rows.h"
#include "tile_store.h"
#include "transform.h"
#include "wavepass_stream.h"
#include "xmemory.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Transforms an image that exceeds memory row by row into coefficients in a temporary file.

// Number of samples per strip, for efficient disk access.
enum { AT_ONCE = 1 << 17 };

struct make {
    int row, rows;     // progress
    int strip;         // rows per step
    size_t memory;     // bytes of memory needed
    double size;       // approximate size of the file in bytes
    bool complete;
    int file;          // descriptor of the coefficients; -1: not created
    char path[32];     // path for opening the descriptor again
    struct wp_rows *input;
    struct wp_transform_params params; // `planes` without alpha
    struct wp_sidecar sidecar;         // of the coefficients
    struct wp_tile_store_output *to;
    struct wp_stream *stream;
    float *samples;
};

static bool write_row(void *user, int band, int plane, int row, const float *samples)
{
    struct make *m = user;
    return wp_tile_store_write(m->to, band, plane, row, samples);
}

// Opens an image that can be read by rows (rows.h). `options` sets wavelet, levels, border and
// norm; levels 0: down to one tile. The file is in $TMPDIR or /var/tmp without a name, so that it
// is deleted when the process ends. False after an error.
static bool open_rows(struct make *m, const char *path,
                      const struct wp_read_params *read, const struct wp_transform_params *options)
{
    struct wp_read_params read_params = *read;
    read_params.volume = WP_VOLUME_NO;
    const char *reason = NULL;
    if (!wp_rows_open(path, &read_params, &m->input, &reason))
        return false;
    if (!m->input)
        return wp_fail(WP_ERROR_USAGE, "%s: cannot be read row by row (%s)", path, reason);
    const struct wp_rows_info *info = wp_rows_info(m->input);
    const struct wp_pyramid down = wp_pyramid_source(info->width, info->height, 0, 0);
    m->params = (struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .width = info->width, .height = info->height, .planes = info->planes - info->alpha,
        .wavelet = options->wavelet, .border = options->border, .norm = options->norm,
        .levels = options->levels ? options->levels : down.levels, .backend = "cpu");
    m->rows = info->height;
    const size_t row = (size_t)info->width * (size_t)info->planes;
    m->strip = row < AT_ONCE ? (int)(AT_ONCE / row) : 1;
    struct wp_wavelet wavelet;
    struct wp_description d;
    size_t stream;
    if (!wp_transform_resolve(&m->params, &wavelet, &d) ||
        !wp_stream_memory(&m->params, false, &stream))
        return false;
    m->sidecar = wp_sidecar_of(&d, m->params.wavelet, "cpu", NULL);
    m->sidecar.planes = m->params.planes;
    m->sidecar.origin = info->origin;
    m->sidecar.gop = 0;
    m->sidecar.tile = WP_TILE_COLUMNS;
    m->sidecar.has_steps = true;
    m->memory = stream + wp_rows_memory(m->input) + wp_tile_store_memory(&m->sidecar, "c.tiff") +
                     (size_t)m->strip * row * sizeof *m->samples;
    m->size = (double)info->width * info->height * m->params.planes * sizeof(float);
    return true;
}

// Descriptors that are open on the file remain valid. Accepts NULL, sets the pointer to NULL.
static void close_make(struct make **slot)
{
    struct make *m = *slot;
    *slot = NULL;
    if (!m)
        return;
    wp_stream_destroy(&m->stream);
    wp_tile_store_discard(&m->to);
    if (m->file >= 0)
        close(m->file);
    wp_rows_close(&m->input);
    free(m->samples);
    free(m);
}

static bool begin(struct make *m)
{
    const struct wp_rows_info *info = wp_rows_info(m->input);
    m->samples = wp_allocate((size_t)m->strip * (size_t)info->width * (size_t)info->planes,
                             sizeof *m->samples, "rows");
    const char *directory = getenv("TMPDIR");
    directory = directory && directory[0] ? directory : "/var/tmp";
    m->to = m->samples ? wp_tile_store_create_unnamed(directory, &m->sidecar) : NULL;
    if (!m->to)
        return false;
    m->file = dup(wp_tile_store_descriptor(m->to));
    if (m->file < 0)
        return wp_fail(wp_error_of_errno(), "%s: %s", directory, strerror(errno));
    snprintf(m->path, sizeof m->path, "/proc/self/fd/%d", m->file);
    m->stream = wp_stream_create_forward(&m->params, write_row, m);
    return m->stream;
}

// Processes the next rows. After an error it returns false, and must not be called again.
static bool make_rows(struct make *m)
{
    const struct wp_rows_info *info = wp_rows_info(m->input);
    const int left = m->rows - m->row, count = left < m->strip ? left : m->strip;
    if (!m->stream && !begin(m))
        return false;
    // A row has its planes one after the other, alpha last.
    const struct wp_operand rows = {
        .data = m->samples,
        .stride = {1, (ptrdiff_t)info->width * info->planes, 0, [WP_PLANE] = info->width}};
    if (!wp_rows_read(m->input, m->samples, count) || !wp_stream_push(m->stream, &rows, count))
        return false;
    m->row += count;
    if (m->row < m->rows)
        return true;
    wp_stream_destroy(&m->stream);
    if (!wp_tile_store_commit(&m->to))
        return false;
    m->complete = true;
    return true;
}

// ---- Reads tiles, in a worker thread if there is a window.

// maximum number of results not yet delivered
enum { RESULTS_MAX = 8 };

struct wp_pyramid_run {
    atomic_bool stop; // cancels reading
    // Used only by the thread that runs the jobs:
    const struct wp_viewer_params *params;
    const char *path;
    struct wp_pyramid_file *file;
    struct make *make;
    struct stat state; // of `path` when it was opened
    bool reported;     // a change of the file was reported

    struct wp_async_job *thread; // or NULL
    // Shared, protected by the lock:
    bool asked[WP_PYRAMID_REQUESTS];
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
    const struct make *make = run->make;
    struct wp_pyramid_file *file = make ? wp_pyramid_file_open(make->path, &make->sidecar)
                                        : wp_pyramid_file_open(run->path, NULL);
    if (!file)
        return false;
    wp_pyramid_file_close(&run->file);
    run->file = file;
    return true;
}

// Opens the coefficients, or the image to be transformed.
static bool open_path(struct wp_pyramid_run *run)
{
    const struct wp_viewer_params *p = run->params;
    struct stat state;
    if (stat(run->path, &state) != 0)
        return wp_fail(wp_error_of_errno(), "%s: %s", run->path, strerror(errno));
    if (p->pyramid == WP_PYRAMID_COEFFICIENTS) {
        if (!open_file(run))
            return false;
    } else {
        struct make *make = wp_xcalloc(1, sizeof *make);
        make->file = -1;
        if (!open_rows(make, run->path, &p->read, &p->transform)) {
            close_make(&make);
            return false;
        }
        close_make(&run->make);
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
    const struct make *make = run->make;
    const int colours = run->status.info.colours;
    const size_t tile = (size_t)WP_PYRAMID_TILE * WP_PYRAMID_TILE * sizeof(float) *
                        (size_t)wp_pyramid_planes(colours, WP_CHANNEL_RGB);
    const size_t reading = wp_pyramid_file_memory(colours) + RESULTS_MAX * tile;
    run->status.memory = make && make->memory > reading ? make->memory : reading;
    run->status.making = make;
    run->status.row = make ? make->row : 0;
    run->status.rows = make ? make->rows : 0;
    run->status.file = make ? make->size : 0;
}

static void publish_error(struct wp_pyramid_run *run)
{
    run->status.kind = wp_last_error();
    snprintf(run->status.error, sizeof run->status.error, "%s", wp_last_error_text());
}

static void discard_results(struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->results; i++)
        free(run->result[i].samples);
    run->results = 0;
}

// ---- Jobs. Each unlocks while it works and locks again to store its result.

static const struct wp_pyramid_tile *next_tile(const struct wp_pyramid_run *run)
{
    for (size_t i = 0; i < run->requests && run->results < RESULTS_MAX; i++) {
        size_t r = 0;
        while (r < run->results && !wp_pyramid_same_tile(run->result[r].tile, run->requested[i]))
            r++;
        if (r == run->results)
            return &run->requested[i];
    }
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
    run->asked[WP_PYRAMID_HALT] = false;
    if (!run->make)
        return;
    unlock(run);
    close_make(&run->make);
    lock(run);
    publish_progress(run);
    run->status.halted = true;
}

static void run_reopen(struct wp_pyramid_run *run)
{
    run->asked[WP_PYRAMID_REOPEN] = false;
    unlock(run);
    const bool ok = open_path(run);
    lock(run);
    if (!ok) {
        publish_error(run);
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
    bool ok = make_rows(run->make);
    const bool complete = ok && run->make->complete;
    ok = ok && (!complete || open_file(run));
    if (!ok || complete)
        close_make(&run->make);
    lock(run);
    if (!ok) {
        publish_error(run);
        run->status.halted = true;
    } else if (complete) {
        discard_results(run);
        publish_file(run);
    }
    publish_progress(run);
}

static void run_check(struct wp_pyramid_run *run)
{
    const struct stat *old = &run->state;
    struct stat now;
    run->asked[WP_PYRAMID_CHECK] = false;
    unlock(run);
    bool ok = stat(run->path, &now) == 0 ||
              wp_fail(WP_ERROR_FILE, "%s: %s\ntiles that have been read remain available",
                      run->path, strerror(errno));
    if (ok && (now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
               now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
               now.st_mtim.tv_nsec != old->st_mtim.tv_nsec))
        ok = wp_fail(WP_ERROR_FILE, "%s has changed; Ctrl+R reloads it", run->path);
    lock(run);
    if (!ok && !run->reported)
        publish_error(run);
    run->reported = !ok;
}

static void run_read(struct wp_pyramid_run *run, struct wp_pyramid_tile tile)
{
    const enum wp_channel channel = run->channel;
    const unsigned opened = run->status.opened;
    unlock(run);
    float *samples = wp_pyramid_file_read(run->file, channel, tile, &run->stop);
    lock(run);
    if (!samples && !atomic_load(&run->stop))
        publish_error(run);
    if (channel != run->channel || opened != run->status.opened) {
        free(samples);
        return;
    }
    run->result[run->results++] = (struct wp_pyramid_result){
        tile, samples, wp_pyramid_planes(run->status.info.colours, channel)};
}

static bool has_more(const struct wp_pyramid_run *run)
{
    return run->asked[WP_PYRAMID_HALT] || run->asked[WP_PYRAMID_REOPEN] ||
           run->asked[WP_PYRAMID_CHECK] || run->status.making ||
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
    if (run->asked[WP_PYRAMID_HALT])
        run_halt(run);
    else if (run->asked[WP_PYRAMID_REOPEN])
        run_reopen(run);
    else if (run->asked[WP_PYRAMID_CHECK])
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

struct wp_pyramid_run *wp_pyramid_run_open(const struct wp_viewer_params *params)
{
    struct wp_pyramid_run *run = wp_xcalloc(1, sizeof *run);
    run->params = params;
    run->path = params->file[0];
    atomic_init(&run->stop, false);
    if (!open_path(run)) {
        wp_pyramid_run_close(&run);
        return NULL;
    }
    if (run->file)
        publish_file(run);
    else
        run->status.info.colours = run->make->params.planes;
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
    close_make(&run->make);
    wp_pyramid_file_close(&run->file);
    discard_results(run);
    free(run->requested);
    free(run);
}

void wp_pyramid_run_start(struct wp_pyramid_run *run)
{
    run->thread = wp_async_job_start(run_job, run);
    wp_async_job_wake(run->thread);
}

bool wp_pyramid_run_step(struct wp_pyramid_run *run)
{
    return !run->thread && run_job(run);
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
        wp_async_job_wake(run->thread);
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

void wp_pyramid_run_ask(struct wp_pyramid_run *run, enum wp_pyramid_request request)
{
    lock(run);
    run->asked[request] = true;
    unlock(run);
    wp_async_job_wake(run->thread);
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
