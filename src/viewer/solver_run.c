#include "threads.h"
#include "solver_view.h"
#include "xmemory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct wp_solver_weights weights_of(const struct wp_reconstruction_options *o)
{
    struct wp_solver_weights weights = {{o->tv, o->wav, o->mu, o->lambda, o->gamma},
                                        .levels = o->levels};
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

static void set_weights(struct wp_solver_run *run, const struct wp_solver_weights *weights)
{
    struct wp_reconstruction_options *o = &run->reconstruction.options;
    memcpy(run->wavelet, weights->wavelet, sizeof run->wavelet);
    o->tv = weights->of.tv;
    o->wav = weights->of.wav;
    o->mu = weights->of.mu;
    o->lambda = weights->of.lambda;
    o->gamma = weights->of.gamma;
    o->levels = weights->levels;
    o->wavelet = run->wavelet;
}

// `image`: initial image, or NULL for zeros.
static bool make_solver(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                        const float *image)
{
    const struct wp_solver_weights old = weights_of(&run->reconstruction.options);
    set_weights(run, weights);
    if (!wp_reconstruction_create(&run->reconstruction, 1)) {
        set_weights(run, &old);
        return false;
    }
    return !image || wp_reconstruct_start(run->reconstruction.reconstruct, image);
}

static bool begin(struct wp_solver_run *run, const struct wp_solver_weights *weights, bool keep)
{
    struct wp_reconstruction *r = &run->reconstruction;
    float *image = (float *)r->image->value;
    const int done = wp_reconstruct_get_info(r->reconstruct)->iterations;
    if ((keep && !wp_reconstruct_image(r->reconstruct, image)) ||
        !make_solver(run, weights, keep ? image : NULL))
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
    state->weights = weights_of(&run->reconstruction.options);
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

// A job, with the requests at its start.
struct job {
    bool begins, keeps, iterates, last, fetches;
    struct wp_solver_weights weights;
};

static struct job next_job(struct wp_solver_run *run)
{
    struct job job = {.begins = run->begin_requested, .weights = run->weights};
    job.keeps = run->keep && run->state.iterations > 0;
    job.iterates = !job.begins && run->left > 0 && !run->state.ended;
    job.last = run->left == 1;
    // With a reference image, measuring provides the magnitude. Otherwise it is computed on request
    // and when the solver is idle.
    job.fetches = job.iterates ? !run->reconstruction.truth && (run->image_requested || job.last)
                                 : !job.begins && run->stale;
    run->begin_requested = false;
    run->working = true;
    return job;
}

static bool execute_job(struct wp_solver_run *run, const struct job *job)
{
    if (job->begins)
        return begin(run, &job->weights, job->keeps);
    struct wp_reconstruction *r = &run->reconstruction;
    if (job->iterates && (!wp_reconstruct_run(r->reconstruct, stop, NULL) ||
                          !wp_reconstruction_record(r, job->last)))
        return false;
    return !job->fetches || wp_reconstruction_fetch(r);
}

static void publish_job(struct wp_solver_run *run, const struct job *job)
{
    if (job->begins)
        publish_begin(run, job->keeps);
    if (job->iterates)
        publish_iteration(run);
    const bool fetched = job->fetches || (job->iterates && run->reconstruction.truth);
    if (fetched)
        publish_image(run);
    run->stale = job->iterates && !fetched;
}

// Runs one job. Returns true if more work is pending. Errors are stored in the state, because the
// window shows messages.
static bool run_job(void *user)
{
    struct wp_solver_run *run = user;
    wp_async_job_lock(run->thread);
    const struct job job = next_job(run);
    wp_async_job_unlock(run->thread);
    wp_begin_attempt();
    const bool ok = execute_job(run, &job);
    wp_end_attempt();
    wp_async_job_lock(run->thread);
    run->working = false;
    if (ok)
        publish_job(run, &job);
    else
        snprintf(run->state.error, sizeof run->state.error, "%s", wp_last_error_text());
    if (!ok)
        run->left = 0;
    if (run->state.ended && !run->begin_requested)
        run->left = 0;
    const bool more = run->begin_requested || run->left > 0 || run->stale;
    wp_async_job_unlock(run->thread);
    return more;
}

struct wp_solver_run *wp_solver_run_open(const char *kspace,
                                         const struct wp_reconstruction_options *options)
{
    struct wp_solver_run *run = wp_xcalloc(1, sizeof *run);
    struct wp_reconstruction *r = &run->reconstruction;
    if (!wp_reconstruction_begin(r, options) || !wp_reconstruction_read(r, kspace) ||
        !wp_reconstruction_prepare(r) || !wp_reconstruction_create(r, 1)) {
        wp_solver_run_close(&run);
        return NULL;
    }
    snprintf(run->wavelet, sizeof run->wavelet, "%s", r->options.wavelet);
    r->options.wavelet = run->wavelet;
    run->state.magnitude = wp_xcalloc(samples_of(run), sizeof *run->state.magnitude);
    run->state.weights = weights_of(&r->options);
    run->state.ssim = NAN;
    run->state.begun = 1;
    run->image_requested = true;
    publish(run);
    return run;
}

void wp_solver_run_close(struct wp_solver_run **slot)
{
    struct wp_solver_run *run = *slot;
    *slot = NULL;
    if (!run)
        return;
    wp_async_job_stop(&run->thread);
    wp_reconstruction_free(&run->reconstruction);
    wp_solver_shown_free(&run->state);
    free(run);
}

const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run)
{
    return &run->reconstruction;
}

void wp_solver_run_start(struct wp_solver_run *run)
{
    run->thread = wp_async_job_start(run_job, run);
}

void wp_solver_run_step(struct wp_solver_run *run)
{
    if (!run->thread)
        run_job(run);
}

static void wake(struct wp_solver_run *run)
{
    if (run->thread)
        wp_async_job_wake(run->thread);
}

void wp_solver_run_do(struct wp_solver_run *run, int iterations)
{
    wp_async_job_lock(run->thread);
    run->left = iterations;
    wp_async_job_unlock(run->thread);
    wake(run);
}

void wp_solver_run_begin(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                         bool keep)
{
    wp_async_job_lock(run->thread);
    run->begin_requested = true;
    run->keep = keep;
    run->weights = *weights;
    wp_async_job_unlock(run->thread);
    wake(run);
}

void wp_solver_run_wait(struct wp_solver_run *run)
{
    if (run->thread)
        wp_async_job_wait(run->thread);
    else
        while (run_job(run))
            continue;
}

void wp_solver_run_get_state(struct wp_solver_run *run, struct wp_solver_shown *shown)
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

void wp_solver_shown_free(struct wp_solver_shown *shown)
{
    wp_curve_free(&shown->curve);
    wp_curve_free(&shown->before);
    free(shown->magnitude);
    *shown = (struct wp_solver_shown){0};
}

bool wp_solver_run_write(struct wp_solver_run *run, const struct wp_reconstruction_output *output)
{
    return wp_reconstruction_write(&run->reconstruction, output);
}
