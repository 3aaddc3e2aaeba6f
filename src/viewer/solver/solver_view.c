#include "solver_view.h"

#include "threads.h"
#include "kspace.h"
#include "memory.h"
#include "metrics.h"
#include "save.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Runs a solver in a worker thread.

struct wp_solver_run {
    // Used only by the thread that runs the jobs:
    struct wp_reconstruction reconstruction;
    char wavelet[WP_SOLVER_TEXT]; // storage of reconstruction.options.wavelet
    int before;                   // iterations of solvers that this one continues
    bool stale;                   // state.magnitude is not of the latest iteration

    struct wp_async_job *thread; // or NULL
    // Shared, protected by the lock:
    int left; // iterations to run
    bool begin_requested, keep, working;
    struct wp_solver_weights weights; // requested
    bool image_requested; // the image was requested since its latest update
    struct wp_solver_shown state;
};

static struct wp_solver_weights weights_of_options(const struct wp_reconstruction_options *o)
{
    struct wp_solver_weights weights = {.of = o->weights, .levels = o->levels};
    snprintf(weights.wavelet, sizeof weights.wavelet, "%s", o->wavelet);
    return weights;
}

static size_t samples_of(const struct wp_solver_run *run)
{
    return wp_complex_samples(run->reconstruction.kspace);
}

// Updates the shared state; the lock must be held.
static void publish(struct wp_solver_run *run)
{
    const struct wp_reconstruction *r = &run->reconstruction;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    struct wp_solver_shown *state = &run->state;
    state->iterations = run->before + info->iterations;
    state->most = run->before + wp_reconstruction_most(r);
    state->ended = wp_reconstruction_is_finished(r);
    state->residual = info->residual;
    state->psnr = r->psnr;
    state->seconds = info->iterations > 0 ? info->seconds / info->iterations : 0;
    state->form = info->form;
    state->backend = info->backend;
}

static void publish_image(struct wp_solver_run *run)
{
    memcpy(run->state.magnitude, run->reconstruction.magnitude->plane[0],
           samples_of(run) * sizeof *run->state.magnitude);
    run->state.image++;
    run->image_requested = false;
}

static void set_options(struct wp_solver_run *run, const struct wp_solver_weights *weights)
{
    struct wp_reconstruction_options *o = &run->reconstruction.options;
    memcpy(run->wavelet, weights->wavelet, sizeof run->wavelet);
    o->weights = weights->of;
    o->levels = weights->levels;
    o->wavelet = run->wavelet;
}

// Replaces the solver by one that starts from zeros, or with `keep` from the current image. On
// failure the old one is kept.
static bool begin_solver(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                         bool keep)
{
    struct wp_reconstruction *r = &run->reconstruction;
    const struct wp_solver_weights old = weights_of_options(&r->options);
    float *image = (float *)r->image->value;
    const int done = wp_reconstruct_get_info(r->reconstruct)->iterations;
    if (keep && !wp_reconstruct_image(r->reconstruct, image))
        return false;
    set_options(run, weights);
    if (!wp_reconstruction_create(r, 1)) {
        set_options(run, &old);
        return false;
    }
    if (keep && !wp_reconstruct_start(r->reconstruct, image))
        return false;
    run->before = keep ? run->before + done : 0;
    r->psnr = keep ? r->psnr : NAN;
    r->curve.count = 0;
    return wp_reconstruction_fetch(r);
}

static void publish_begin(struct wp_solver_run *run, bool keep)
{
    struct wp_solver_shown *state = &run->state;
    if (keep && state->marks < WP_SOLVER_MARKS)
        state->mark[state->marks++] = run->before;
    if (!keep) {
        state->curve.count = state->marks = 0;
        state->ssim = NAN;
    }
    state->begun++;
    state->weights = weights_of_options(&run->reconstruction.options);
    state->error[0] = '\0';
    publish(run);
    publish_image(run);
}

static bool stop(void *user, struct wp_reconstruct *reconstruct)
{
    (void)user, (void)reconstruct;
    return false;
}

static void publish_iteration(struct wp_solver_run *run)
{
    const struct wp_curve *curve = &run->reconstruction.curve;
    struct wp_curve_point point = curve->point[curve->count - 1];
    point.iteration += run->before;
    wp_curve_add(&run->state.curve, &point);
    if (!isnan(point.ssim)) {
        run->state.ssim = point.ssim;
        run->state.ssim_after = point.iteration;
    }
    run->left -= run->left > 0 && run->left < INT_MAX;
    publish(run);
}

// Runs one job. Returns true if more work is pending. Errors are stored in the state, because the
// window shows messages.
static bool run_job(void *user)
{
    struct wp_solver_run *run = user;
    struct wp_reconstruction *r = &run->reconstruction;
    wp_async_job_lock(run->thread);
    const struct wp_solver_weights weights = run->weights;
    const bool begins = run->begin_requested, keeps = run->keep && run->state.iterations > 0;
    const bool iterates = !begins && run->left > 0 && !run->state.ended, last = run->left == 1;
    // With a reference image, measuring provides the magnitude. Otherwise it is computed on request
    // and when the solver is idle.
    const bool fetches = iterates ? !r->truth && (run->image_requested || last)
                                  : !begins && run->stale;
    run->begin_requested = false;
    run->working = true;
    wp_async_job_unlock(run->thread);
    wp_begin_attempt();
    const bool ok = (!begins || begin_solver(run, &weights, keeps)) &&
                    (!iterates || (wp_reconstruct_run(r->reconstruct, stop, NULL) &&
                                   wp_reconstruction_record(r, last))) &&
                    (!fetches || wp_reconstruction_fetch(r));
    wp_end_attempt();
    wp_async_job_lock(run->thread);
    run->working = false;
    const bool fetched = fetches || (iterates && r->truth);
    if (ok && begins)
        publish_begin(run, keeps);
    if (ok && iterates)
        publish_iteration(run);
    if (ok && fetched)
        publish_image(run);
    if (ok)
        run->stale = iterates && !fetched;
    else
        snprintf(run->state.error, sizeof run->state.error, "%s", wp_last_error_text());
    if (!ok || (run->state.ended && !run->begin_requested))
        run->left = 0;
    const bool more = run->begin_requested || run->left > 0 || run->stale;
    wp_async_job_unlock(run->thread);
    return more;
}

static void free_shown(struct wp_solver_shown *shown)
{
    wp_curve_free(&shown->curve);
    wp_curve_free(&shown->before);
    free(shown->magnitude);
    *shown = (struct wp_solver_shown){0};
}

static void close_run(struct wp_solver_run **slot)
{
    struct wp_solver_run *run = *slot;
    *slot = NULL;
    if (!run)
        return;
    wp_async_job_stop(&run->thread);
    wp_reconstruction_free(&run->reconstruction);
    free_shown(&run->state);
    free(run);
}

// Reads the k-space and creates the first solver, which is paused. NULL after an error.
static struct wp_solver_run *open_run(const char *kspace,
                                      const struct wp_reconstruction_options *options)
{
    struct wp_solver_run *run = wp_xcalloc(1, sizeof *run);
    struct wp_reconstruction *r = &run->reconstruction;
    if (!wp_reconstruction_begin(r, options) || !wp_reconstruction_read(r, kspace) ||
        !wp_reconstruction_prepare(r) || !wp_reconstruction_create(r, 1)) {
        close_run(&run);
        return NULL;
    }
    snprintf(run->wavelet, sizeof run->wavelet, "%s", r->options.wavelet);
    r->options.wavelet = run->wavelet;
    run->state.magnitude = wp_xcalloc(samples_of(run), sizeof *run->state.magnitude);
    run->state.weights = weights_of_options(&r->options);
    run->state.ssim = NAN;
    run->state.begun = 1;
    run->image_requested = true;
    publish(run);
    return run;
}

const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run)
{
    return &run->reconstruction;
}

// Sets the number of iterations to run: INT_MAX for no limit, 0 to pause.
static void run_iterations(struct wp_solver_run *run, int iterations)
{
    wp_async_job_lock(run->thread);
    run->left = iterations;
    wp_async_job_unlock(run->thread);
    wp_async_job_wake(run->thread);
}

// Blocks until no work is pending.
static void wait_for_run(struct wp_solver_run *run)
{
    if (run->thread)
        wp_async_job_wait(run->thread);
    else
        while (run_job(run))
            continue;
}

// Updates `shown`, which must be initialized with {0}.
static void get_state(struct wp_solver_run *run, struct wp_solver_shown *shown)
{
    wp_async_job_lock(run->thread);
    const struct wp_solver_shown *state = &run->state;
    struct wp_curve curve = shown->curve, before = shown->before;
    float *magnitude = shown->magnitude;
    // A restart: keep the previous curve for comparison.
    if (shown->begun != state->begun && state->marks == 0 && curve.count > 0) {
        wp_curve_free(&before);
        before = curve;
        curve = (struct wp_curve){0};
    }
    for (int i = curve.count; i < state->curve.count; i++)
        wp_curve_add(&curve, &state->curve.point[i]);
    const size_t samples = samples_of(run);
    if (!magnitude)
        magnitude = wp_xcalloc(samples, sizeof *magnitude);
    if (shown->image != state->image)
        memcpy(magnitude, state->magnitude, samples * sizeof *magnitude);
    *shown = *state;
    shown->busy = run->begin_requested || run->working || run->left > 0;
    shown->curve = curve;
    shown->before = before;
    shown->magnitude = magnitude;
    run->image_requested = true;
    run->state.error[0] = '\0';
    wp_async_job_unlock(run->thread);
}

// ---- Textures and actions.

static const double SLIDER_SECONDS = 0.15; // delay after the latest change of a slider

static struct wp_solver_weights weights_of(const struct wp_view_state *s)
{
    struct wp_solver_weights weights = {.of = s->weights, .levels = s->levels};
    snprintf(weights.wavelet, sizeof weights.wavelet, "%s", s->a.wavelet);
    return weights;
}

static void set_weights(struct wp_view_state *s, const struct wp_solver_weights *w)
{
    s->weights = w->of;
    s->levels = w->levels;
    snprintf(s->a.wavelet, sizeof s->a.wavelet, "%s", w->wavelet);
}

static bool is_same(const struct wp_solver_weights *a, const struct wp_solver_weights *b)
{
    return memcmp(&a->of, &b->of, sizeof a->of) == 0 && a->levels == b->levels &&
           strcmp(a->wavelet, b->wavelet) == 0;
}

// Options that the command line does not set come from the state file, if there is one.
static struct wp_reconstruction_options options_of(struct wp_viewer *v)
{
    struct wp_reconstruction_options o = v->params->reconstruct;
    const struct wp_view_state *s = &v->state;
    const struct wp_weights *w = &s->weights, given = o.weights;
    if (!v->params->state)
        return o;
    if (given.tv == 0 && given.wav == 0)
        o.weights = *w;
    o.weights.mu = given.mu > 0 ? given.mu : w->mu;
    o.weights.lambda = given.lambda > 0 ? given.lambda : w->lambda;
    o.weights.gamma = given.gamma > 0 ? given.gamma : w->gamma;
    o.levels = o.levels > 0 ? o.levels : s->levels;
    o.wavelet = o.wavelet ? o.wavelet : s->a.wavelet;
    return o;
}

static float largest(const float *a, const float *less, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(a[i] - (less ? less[i] : 0)));
    return most;
}

// Creates the images that do not change while the solver runs.
static bool create_pictures(struct wp_solver_view *s,
                            const struct wp_reconstruction *reconstruction)
{
    const size_t count = wp_complex_samples(reconstruction->kspace);
    const float *truth = reconstruction->truth ? reconstruction->truth->plane[0] : NULL;
    s->zero_filled = wp_allocate(count, sizeof *s->zero_filled, "an image");
    s->picture[WP_SOLVER_KSPACE] = wp_kspace_logarithm(reconstruction->kspace);
    s->picture[WP_SOLVER_MASK] = wp_mask_picture(reconstruction->mask);
    if (!s->zero_filled || !s->picture[WP_SOLVER_KSPACE] || !s->picture[WP_SOLVER_MASK])
        return false;
    memcpy(s->zero_filled, reconstruction->magnitude->plane[0], count * sizeof *s->zero_filled);
    s->white = fmaxf(largest(truth ? truth : s->zero_filled, NULL, count), 1e-20F);
    s->error = truth ? fmaxf(0.25F * largest(s->zero_filled, truth, count), 1e-20F) : 0;
    s->zero_filled_psnr = truth ? wp_metrics_psnr(reconstruction->magnitude, reconstruction->truth)
                                : NAN;
    return true;
}

bool wp_solver_view_open(struct wp_viewer *v)
{
    const struct wp_reconstruction_options options = options_of(v);
    struct wp_solver_view *s = v->solver = wp_xcalloc(1, sizeof *s);
    int *size = v->slices.size;
    s->run = open_run(v->params->kspace, &options);
    if (!s->run || !create_pictures(s, wp_solver_run_info(s->run)))
        return false;
    memcpy(size, wp_solver_run_info(s->run)->kspace->size, sizeof v->slices.size);
    get_state(s->run, &s->shown);
    s->requested = s->next = s->shown.weights;
    s->begun = s->shown.begun;
    set_weights(&v->state, &s->requested);
    for (int a = 0; a < 3; a++)
        if (v->state.cross[a] < 0 || v->state.cross[a] >= size[a])
            v->state.cross[a] = size[a] / 2;
    return true;
}

bool wp_solver_view_start(struct wp_viewer *v)
{
    // Without a window everything is synchronous, so that scripts are deterministic.
    if (v->windowed)
        v->solver->run->thread = wp_async_job_start(run_job, v->solver->run);
    v->state.playing = v->windowed && !v->params->events;
    if (v->windowed || v->params->events)
        return true;
    run_iterations(v->solver->run, INT_MAX);
    wait_for_run(v->solver->run);
    return true;
}

void wp_solver_view_release(struct wp_viewer *v)
{
    for (int p = 0; v->solver && p < WP_SOLVER_PANES; p++)
        wp_texture_destroy(&v->solver->of[p].texture);
}

void wp_solver_view_close(struct wp_viewer *v)
{
    struct wp_solver_view *s = v->solver;
    v->solver = NULL;
    if (!s)
        return;
    close_run(&s->run);
    free_shown(&s->shown);
    wp_image_destroy(&s->picture[WP_SOLVER_KSPACE]);
    wp_image_destroy(&s->picture[WP_SOLVER_MASK]);
    free(s->zero_filled);
    free(s);
}

// ---- Solver and state.

static void begin(struct wp_viewer *v, bool keep)
{
    struct wp_solver_view *s = v->solver;
    s->requested = s->next = weights_of(&v->state);
    s->begun = s->shown.begun + 1;
    // Restarts a solver that has ended, but not one that is paused.
    v->state.playing = v->state.playing || (v->windowed && s->shown.ended);
    s->runs = false;
    wp_async_job_lock(s->run->thread);
    s->run->begin_requested = true;
    s->run->keep = keep;
    s->run->weights = s->requested;
    wp_async_job_unlock(s->run->thread);
    wp_async_job_wake(s->run->thread);
}

// Applies changed weights; waits until sliders have stopped moving.
static void apply_changes(struct wp_viewer *v, bool at_once)
{
    struct wp_solver_view *s = v->solver;
    const struct wp_solver_weights now = weights_of(&v->state);
    if (is_same(&now, &s->requested))
        return;
    if (!is_same(&now, &s->next)) {
        s->next = now;
        s->next_since = v->now;
    }
    if (at_once || !v->windowed || v->now - s->next_since >= SLIDER_SECONDS)
        begin(v, v->state.keep);
    v->dirty = true;
}

static void update_shown(struct wp_viewer *v)
{
    struct wp_solver_view *s = v->solver;
    get_state(s->run, &s->shown);
    if (s->shown.error[0]) {
        wp_viewer_notice(v, WP_LOG_ERROR, "%s", s->shown.error);
        v->state.playing = false;
        s->requested = s->next = s->shown.weights;
        s->begun = s->shown.begun;
        set_weights(&v->state, &s->requested);
    }
    if (s->shown.ended && s->shown.begun >= s->begun)
        v->state.playing = false;
    v->dirty = v->dirty || s->shown.busy;
}

void wp_solver_view_step(struct wp_viewer *v)
{
    v->state.playing = v->solver->runs = false;
    run_iterations(v->solver->run, 1);
}

void wp_solver_view_restart(struct wp_viewer *v)
{
    begin(v, false);
    v->state.playing = v->windowed;
}

bool wp_solver_view_iterate(struct wp_viewer *v, int iterations)
{
    struct wp_solver_view *s = v->solver;
    if (!s)
        return wp_fail(WP_ERROR_USAGE, "there is no reconstruction to iterate");
    apply_changes(v, true);
    v->state.playing = s->runs = false;
    run_iterations(s->run, iterations);
    wait_for_run(s->run);
    update_shown(v);
    return true;
}

bool wp_solver_view_is_steady(const struct wp_viewer *v)
{
    const struct wp_solver_view *s = v->solver;
    if (!s || s->shown.error[0])
        return true;
    const struct wp_solver_weights now = weights_of(&v->state);
    const bool current = is_same(&now, &s->requested) && s->shown.begun >= s->begun;
    return current && s->runs == v->state.playing &&
           (s->runs ? s->shown.iterations > 0 : !s->shown.busy);
}

// ---- Canvas.

static const float *array_of(const struct wp_solver_view *s, int pane)
{
    if (pane == WP_SOLVER_KSPACE || pane == WP_SOLVER_MASK)
        return s->picture[pane]->plane[0];
    return pane == WP_SOLVER_ZERO_FILLED ? s->zero_filled : s->shown.magnitude;
}

static void add_tile(struct wp_viewer *v, int number, struct wp_pane *pane)
{
    struct wp_solver_view *s = v->solver;
    const struct wp_orientation *f = &pane->orientation;
    const int *size = v->slices.size;
    struct wp_tile *tile = wp_tile_add(v, 0, 0, (const float[]){1, 1}, size[f->across],
                                       size[f->down]);
    if (!tile)
        return;
    pane->extent[0] = (float)tile->width;
    pane->extent[1] = (float)tile->height;
    tile->orientation = *f;
    tile->at[f->axis] = tile->origin[f->axis] = v->state.cross[f->axis];
    pane->tiles = 1;
    tile->single = true;
    tile->component = 0;
    tile->picture = number != WP_SOLVER_ERROR;
    tile->high = number < WP_SOLVER_CURVE ? 1 : number == WP_SOLVER_ERROR ? s->error : s->white;
    const bool changes = number == WP_SOLVER_RESULT || number == WP_SOLVER_ERROR;
    const struct wp_slice_array array = {
        .samples = array_of(s, number), .size = size,
        .less = number == WP_SOLVER_ERROR ? wp_solver_run_info(s->run)->truth->plane[0] : NULL};
    if (!wp_slices_fill(v, pane, WP_A, &s->of[number], &array, changes ? s->shown.image : 0))
        v->tiles -= pane->tiles--;
}

static void make_panes(struct wp_viewer *v)
{
    static const struct wp_geometry none;
    const struct wp_orientation orientation =
        wp_orientation_of(&none, wp_slices_axis(v), false);
    v->tiles = 0;
    v->panes = WP_SOLVER_PANES;
    for (int p = 0; p < WP_SOLVER_PANES; p++) {
        v->pane[p] = (struct wp_pane){.orientation = orientation, .first = v->tiles,
                                      .independent = p <= WP_SOLVER_CURVE};
        if (p != WP_SOLVER_CURVE &&
            (p != WP_SOLVER_ERROR || wp_solver_run_info(v->solver->run)->truth))
            add_tile(v, p, &v->pane[p]);
    }
}

void wp_solver_view_update(struct wp_viewer *v)
{
    apply_changes(v, false);
    struct wp_solver_view *s = v->solver;
    if (s->runs != v->state.playing)
        run_iterations(s->run, v->state.playing ? INT_MAX : 0);
    s->runs = v->state.playing;
    // Without a thread (also before the start) each frame runs one job, such as one iteration.
    if (!s->run->thread)
        run_job(s->run);
    update_shown(v);
    wp_viewer_catch(v);
    make_panes(v);
    wp_viewer_caught(v);
}

bool wp_solver_view_save(struct wp_viewer *v, const char *path, bool overwrite)
{
    struct wp_solver_view *s = v->solver;
    const struct wp_reconstruction_output output = {
        .path = path, .overwrite = overwrite,
        .slice = wp_slices_axis(v) == WP_Z ? v->state.cross[WP_Z] : -1};
    // The next frame resumes it.
    run_iterations(s->run, 0);
    wait_for_run(s->run);
    s->runs = false;
    return wp_reconstruction_check_output(&output, v->slices.size[WP_Z]) &&
           wp_reconstruction_write(&s->run->reconstruction, &output);
}
