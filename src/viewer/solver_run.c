#include "solver_run.h"

#include "async_job.h"
#include "log.h"
#include "xmemory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wp_solver_run {
    // Of whoever takes the turns.
    struct wp_reconstruction made;
    char wavelet[WP_SOLVER_TEXT]; // that its options name
    int before;                   // iterations of solvers that this one went on from
    bool stale;                   // what was told of the image is not of the latest iteration

    struct wp_async_job *thread; // or NULL
    // Shared from here on.
    int left; // iterations to be done
    bool asked, keep, working;
    struct wp_solver_weights weights; // asked for
    bool wanted;                      // the image, since it was looked at last
    struct wp_solver_shown news;
};

static struct wp_solver_weights weights_of(const struct wp_reconstruction_options *o)
{
    struct wp_solver_weights weights = {o->tv, o->wav, o->mu, o->lambda, o->gamma,
                                        .levels = o->levels};
    snprintf(weights.wavelet, sizeof weights.wavelet, "%s", o->wavelet);
    return weights;
}

static size_t samples_of(const struct wp_solver_run *run)
{
    return wp_complex_samples(run->made.kspace);
}

// What is told of the solver as it stands, to be called while nobody looks.
static void tell(struct wp_solver_run *run)
{
    const struct wp_reconstruction *r = &run->made;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    struct wp_solver_shown *news = &run->news;
    news->iterations = run->before + info->iterations;
    news->most = run->before + wp_reconstruction_most(r);
    news->ended = wp_reconstruction_is_finished(r);
    news->residual = info->residual;
    news->psnr = r->psnr;
    news->seconds = info->iterations > 0 ? info->seconds / info->iterations : 0;
    news->form = info->form;
    news->backend = info->backend;
}

static void tell_image(struct wp_solver_run *run)
{
    memcpy(run->news.magnitude, run->made.magnitude->plane[0],
           samples_of(run) * sizeof *run->news.magnitude);
    run->news.image++;
    run->wanted = false;
}

static void tell_error(struct wp_solver_run *run)
{
    snprintf(run->news.error, sizeof run->news.error, "%s", wp_last_error_text());
    run->left = 0;
}

static void set_weights(struct wp_solver_run *run, const struct wp_solver_weights *weights)
{
    struct wp_reconstruction_options *o = &run->made.options;
    memcpy(run->wavelet, weights->wavelet, sizeof run->wavelet);
    o->tv = weights->tv;
    o->wav = weights->wav;
    o->mu = weights->mu;
    o->lambda = weights->lambda;
    o->gamma = weights->gamma;
    o->levels = weights->levels;
    o->wavelet = run->wavelet;
}

// `image`: what to begin with, or NULL.
static bool make_solver(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                        const float *image)
{
    const struct wp_solver_weights old = weights_of(&run->made.options);
    set_weights(run, weights);
    if (!wp_reconstruction_create(&run->made, 1)) {
        set_weights(run, &old);
        return false;
    }
    return !image || wp_reconstruct_start(run->made.reconstruct, image);
}

static bool begin(struct wp_solver_run *run, const struct wp_solver_weights *weights, bool keep)
{
    struct wp_reconstruction *r = &run->made;
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

static void tell_begin(struct wp_solver_run *run, bool keep)
{
    struct wp_solver_shown *news = &run->news;
    if (keep && news->marks < WP_SOLVER_MARKS)
        news->mark[news->marks++] = run->before;
    if (!keep) {
        news->curve.count = news->marks = 0;
        news->ssim = NAN;
    }
    news->begun++;
    news->weights = weights_of(&run->made.options);
    news->error[0] = '\0';
    tell(run);
    tell_image(run);
}

static bool stop(void *user, struct wp_reconstruct *reconstruct)
{
    (void)user, (void)reconstruct;
    return false;
}

static bool iterate(struct wp_solver_run *run, bool last)
{
    return wp_reconstruct_run(run->made.reconstruct, stop, NULL) &&
           wp_reconstruction_record(&run->made, last);
}

static void tell_iteration(struct wp_solver_run *run)
{
    const struct wp_curve *curve = &run->made.curve;
    struct wp_curve_point point = curve->point[curve->count - 1];
    point.iteration += run->before;
    wp_curve_add(&run->news.curve, &point);
    if (!isnan(point.ssim)) {
        run->news.ssim = point.ssim;
        run->news.ssim_after = point.iteration;
    }
    run->left -= run->left > 0 && run->left < INT_MAX;
    tell(run);
}

// What a turn is about, as it was asked for when it began.
struct turn {
    bool begins, keeps, iterates, last, fetches;
    struct wp_solver_weights weights;
};

static struct turn next_turn(struct wp_solver_run *run)
{
    struct turn turn = {.begins = run->asked, .weights = run->weights};
    turn.keeps = run->keep && run->news.iterations > 0;
    turn.iterates = !turn.begins && run->left > 0 && !run->news.ended;
    turn.last = run->left == 1;
    // Measuring has it at hand. Else it is taken when it is looked at, and when there is time.
    turn.fetches = turn.iterates ? !run->made.truth && (run->wanted || turn.last)
                                 : !turn.begins && run->stale;
    run->asked = false;
    run->working = true;
    return turn;
}

static bool do_turn(struct wp_solver_run *run, const struct turn *turn)
{
    if (turn->begins)
        return begin(run, &turn->weights, turn->keeps);
    return (!turn->iterates || iterate(run, turn->last)) &&
           (!turn->fetches || wp_reconstruction_fetch(&run->made));
}

static void tell_turn(struct wp_solver_run *run, const struct turn *turn)
{
    if (turn->begins)
        tell_begin(run, turn->keeps);
    if (turn->iterates)
        tell_iteration(run);
    const bool fetched = turn->fetches || (turn->iterates && run->made.truth);
    if (fetched)
        tell_image(run);
    run->stale = turn->iterates && !fetched;
}

// True where more is to be done behind it. Messages are the window's to show, so errors are told
// with the news.
static bool take_turn(void *user)
{
    struct wp_solver_run *run = user;
    wp_async_job_lock(run->thread);
    const struct turn turn = next_turn(run);
    wp_async_job_unlock(run->thread);
    wp_begin_attempt();
    const bool ok = do_turn(run, &turn);
    wp_end_attempt();
    wp_async_job_lock(run->thread);
    run->working = false;
    if (ok)
        tell_turn(run, &turn);
    else
        tell_error(run);
    if (run->news.ended && !run->asked)
        run->left = 0;
    const bool more = run->asked || run->left > 0 || run->stale;
    wp_async_job_unlock(run->thread);
    return more;
}

struct wp_solver_run *wp_solver_run_open(const char *kspace,
                                         const struct wp_reconstruction_options *options)
{
    struct wp_solver_run *run = wp_xcalloc(1, sizeof *run);
    struct wp_reconstruction *r = &run->made;
    if (!wp_reconstruction_begin(r, options) || !wp_reconstruction_read(r, kspace) ||
        !wp_reconstruction_prepare(r) || !wp_reconstruction_create(r, 1)) {
        wp_solver_run_close(&run);
        return NULL;
    }
    snprintf(run->wavelet, sizeof run->wavelet, "%s", r->options.wavelet);
    r->options.wavelet = run->wavelet;
    run->news.magnitude = wp_xcalloc(samples_of(run), sizeof *run->news.magnitude);
    run->news.weights = weights_of(&r->options);
    run->news.ssim = NAN;
    run->news.begun = 1;
    run->wanted = true;
    tell(run);
    return run;
}

void wp_solver_run_close(struct wp_solver_run **slot)
{
    struct wp_solver_run *run = *slot;
    *slot = NULL;
    if (!run)
        return;
    wp_async_job_stop(&run->thread);
    wp_reconstruction_free(&run->made);
    wp_solver_shown_free(&run->news);
    free(run);
}

const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run)
{
    return &run->made;
}

void wp_solver_run_start(struct wp_solver_run *run)
{
    run->thread = wp_async_job_start(take_turn, run);
}

void wp_solver_run_step(struct wp_solver_run *run)
{
    if (!run->thread)
        take_turn(run);
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
    run->asked = true;
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
        while (take_turn(run))
            continue;
}

static void copy_curve(struct wp_curve *to, const struct wp_curve *from)
{
    for (int i = to->count; i < from->count; i++)
        wp_curve_add(to, &from->point[i]);
}

void wp_solver_run_look(struct wp_solver_run *run, struct wp_solver_shown *shown)
{
    wp_async_job_lock(run->thread);
    const struct wp_solver_shown *news = &run->news;
    struct wp_curve curve = shown->curve, before = shown->before;
    float *magnitude = shown->magnitude;
    // Begun anew: what was drawn is kept to be compared with.
    if (shown->begun != news->begun && news->marks == 0 && curve.count > 0) {
        wp_curve_free(&before);
        before = curve;
        curve = (struct wp_curve){0};
    }
    copy_curve(&curve, &news->curve);
    const size_t samples = samples_of(run);
    if (!magnitude)
        magnitude = wp_xcalloc(samples, sizeof *magnitude);
    if (shown->image != news->image)
        memcpy(magnitude, news->magnitude, samples * sizeof *magnitude);
    *shown = *news;
    shown->busy = run->asked || run->working || run->left > 0;
    shown->curve = curve;
    shown->before = before;
    shown->magnitude = magnitude;
    run->wanted = true;
    run->news.error[0] = '\0';
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
    return wp_reconstruction_write(&run->made, output);
}
