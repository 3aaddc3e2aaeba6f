#include "solver_view.h"

#include "json_value.h"
#include "kspace.h"
#include "memory.h"
#include "save.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLIDER_SECONDS = 0.15; // delay after the latest change of a slider

static struct wp_solver_weights weights_of(const struct wp_view_state *s)
{
    struct wp_solver_weights weights = {.of = s->solver.of, .levels = s->levels};
    snprintf(weights.wavelet, sizeof weights.wavelet, "%s", s->a.wavelet);
    return weights;
}

static void set_weights(struct wp_view_state *s, const struct wp_solver_weights *w)
{
    s->solver.of = w->of;
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
    if (!v->params->state)
        return o;
    if (o.tv == 0 && o.wav == 0) {
        o.tv = s->solver.of.tv;
        o.wav = s->solver.of.wav;
    }
    o.mu = o.mu > 0 ? o.mu : s->solver.of.mu;
    o.lambda = o.lambda > 0 ? o.lambda : s->solver.of.lambda;
    o.gamma = o.gamma > 0 ? o.gamma : s->solver.of.gamma;
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

static double psnr_of(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += pow((double)a[i] - (double)b[i], 2);
    return 10 * log10((double)count / sum);
}

// Creates the images that do not change while the solver runs.
static bool create_pictures(struct wp_solver_view *s,
                            const struct wp_reconstruction *reconstruction)
{
    const size_t count = wp_complex_samples(reconstruction->kspace);
    const float *truth = reconstruction->truth ? reconstruction->truth->plane[0] : NULL;
    memcpy(s->size, reconstruction->kspace->size, sizeof s->size);
    s->zero_filled = wp_allocate(count, sizeof *s->zero_filled, "an image");
    s->picture[WP_SOLVER_KSPACE] = wp_kspace_logarithm(reconstruction->kspace);
    s->picture[WP_SOLVER_MASK] = wp_mask_picture(reconstruction->mask);
    if (!s->zero_filled || !s->picture[WP_SOLVER_KSPACE] || !s->picture[WP_SOLVER_MASK])
        return false;
    memcpy(s->zero_filled, reconstruction->magnitude->plane[0], count * sizeof *s->zero_filled);
    s->white = fmaxf(largest(truth ? truth : s->zero_filled, NULL, count), 1e-20F);
    s->error = truth ? fmaxf(0.25F * largest(s->zero_filled, truth, count), 1e-20F) : 0;
    s->zero_filled_psnr = truth ? psnr_of(s->zero_filled, truth, count) : NAN;
    return true;
}

bool wp_solver_view_open(struct wp_viewer *v)
{
    const struct wp_reconstruction_options options = options_of(v);
    struct wp_solver_view *s = v->solver = wp_xcalloc(1, sizeof *s);
    s->kspace = v->params->kspace;
    s->run = wp_solver_run_open(s->kspace, &options);
    if (!s->run || !create_pictures(s, wp_solver_run_info(s->run)))
        return false;
    wp_solver_run_get_state(s->run, &s->shown);
    s->requested = s->next = s->shown.weights;
    s->begun = s->shown.begun;
    set_weights(&v->state, &s->requested);
    for (int a = 0; a < 3; a++)
        if (v->state.cross[a] < 0 || v->state.cross[a] >= s->size[a])
            v->state.cross[a] = s->size[a] / 2;
    return true;
}

bool wp_solver_view_start(struct wp_viewer *v)
{
    // Without a window everything is synchronous, so that scripts are deterministic.
    if (v->windowed)
        wp_solver_run_start(v->solver->run);
    v->state.playing = v->windowed && !v->params->events;
    if (v->windowed || v->params->events)
        return true;
    wp_solver_run_do(v->solver->run, INT_MAX);
    wp_solver_run_wait(v->solver->run);
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
    wp_solver_run_close(&s->run);
    wp_solver_shown_free(&s->shown);
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
    wp_solver_run_begin(s->run, &s->requested, keep);
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
        begin(v, v->state.solver.keep);
    v->dirty = true;
}

static void update_shown(struct wp_viewer *v)
{
    struct wp_solver_view *s = v->solver;
    wp_solver_run_get_state(s->run, &s->shown);
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
    wp_solver_run_do(v->solver->run, 1);
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
    wp_solver_run_do(s->run, iterations);
    wp_solver_run_wait(s->run);
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

int wp_solver_view_axis(const struct wp_viewer *v)
{
    return v->state.pane == WP_PANE_Y ? WP_Y : v->state.pane == WP_PANE_X ? WP_X : WP_Z;
}

void wp_solver_view_slice(struct wp_viewer *v, int step)
{
    const int axis = wp_solver_view_axis(v), most = v->solver->size[axis] - 1;
    int *at = &v->state.cross[axis];
    *at = step < -*at ? 0 : step > most - *at ? most : *at + step;
}

// ---- Canvas.

static const float *array_of(const struct wp_solver_view *s, int pane)
{
    if (pane == WP_SOLVER_KSPACE || pane == WP_SOLVER_MASK)
        return s->picture[pane]->plane[0];
    return pane == WP_SOLVER_ZERO_FILLED ? s->zero_filled : s->shown.magnitude;
}

static bool upload(struct wp_viewer *v, int pane, const struct wp_tile *t,
                   struct wp_texture *texture)
{
    const struct wp_solver_view *s = v->solver;
    const struct wp_slice_array array = {
        array_of(s, pane),
        pane == WP_SOLVER_ERROR ? wp_solver_run_info(s->run)->truth->plane[0] : NULL, s->size};
    float *texels = NULL;
    bool ok = wp_extract_texture(v->gl, t->width, t->height, texture) &&
              (texels = wp_allocate((size_t)t->width * (size_t)t->height, 4 * sizeof *texels,
                                    "a slice"));
    if (ok)
        wp_extract_copy(&array, t, texels, t->width);
    ok = ok && wp_texture_write(texture, 0, 0, t->width, t->height, texels);
    free(texels);
    return ok;
}

// Updates the pane's texture if its contents are outdated.
static bool fill(struct wp_viewer *v, int pane, const struct wp_tile *t)
{
    struct wp_solver_view *s = v->solver;
    const bool changes = pane == WP_SOLVER_RESULT || pane == WP_SOLVER_ERROR;
    const unsigned image = changes ? 1 + s->shown.image : 1;
    const int axis = t->orientation.axis;
    if (s->of[pane].image == image && s->of[pane].axis == axis && s->of[pane].at == t->at[axis])
        return true;
    s->of[pane].image = 0;
    if (!upload(v, pane, t, &s->of[pane].texture))
        return false;
    s->of[pane].image = image;
    s->of[pane].axis = axis;
    s->of[pane].at = t->at[axis];
    return true;
}

static void add_tile(struct wp_viewer *v, int number, struct wp_pane *pane)
{
    struct wp_solver_view *s = v->solver;
    const struct wp_orientation *f = &pane->orientation;
    struct wp_tile *tile = wp_tile_add(v, 0, 0, (const float[]){1, 1}, s->size[f->across],
                                       s->size[f->down]);
    if (!tile)
        return;
    pane->extent[0] = (float)tile->width;
    pane->extent[1] = (float)tile->height;
    tile->orientation = *f;
    tile->at[f->axis] = tile->origin[f->axis] = v->state.cross[f->axis];
    if (!fill(v, number, tile)) {
        v->tiles--;
        return;
    }
    pane->tiles = 1;
    tile->single = true;
    tile->component = 0;
    tile->quads[WP_A][0].texture = &s->of[number].texture;
    tile->picture = number != WP_SOLVER_ERROR;
    tile->high = number < WP_SOLVER_CURVE ? 1 : number == WP_SOLVER_ERROR ? s->error : s->white;
}

static void make_panes(struct wp_viewer *v)
{
    static const struct wp_geometry none;
    const struct wp_orientation orientation =
        wp_orientation_of(&none, wp_solver_view_axis(v), false);
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
        wp_solver_run_do(s->run, v->state.playing ? INT_MAX : 0);
    s->runs = v->state.playing;
    wp_solver_run_step(s->run);
    update_shown(v);
    wp_viewer_catch(v);
    make_panes(v);
    wp_viewer_caught(v);
}

// ---- Commands and facts.

static void add_number(struct wp_text *text, const char *option, double value)
{
    char number[WP_NUMBER_SIZE];
    if (value > 0)
        wp_text_add(text, " --%s %s", option, wp_format_number(number, value, 9));
}

static void add_count(struct wp_text *text, const char *option, int value)
{
    if (value > 0)
        wp_text_add(text, " --%s %d", option, value);
}

static void add_weights(struct wp_text *text, const struct wp_solver_weights *w)
{
    add_number(text, "tv", w->of.tv);
    add_number(text, "wav", w->of.wav);
    wp_viewer_add_option(text, "-w", w->wavelet);
    wp_text_add(text, " -l %d", w->levels);
    add_number(text, "mu", w->of.mu);
    add_number(text, "lambda", w->of.lambda);
    add_number(text, "gamma", w->of.gamma);
}

// Appends the options that were given, unchanged.
static void add_given(struct wp_text *text, const struct wp_reconstruction_options *o)
{
    wp_viewer_add_option(text, "--maps", o->maps);
    wp_viewer_add_option(text, "--truth", o->truth);
    add_number(text, "peak", o->peak);
    add_number(text, "sigma", o->sigma);
    add_count(text, "outer", o->outer);
    add_count(text, "inner", o->inner);
    add_count(text, "seed", o->seed);
    add_count(text, "threads", o->threads);
    wp_text_add(text, "%s%s%s", o->centred ? " --centred" : "", o->spin ? " --cycle-spinning" : "",
                o->exact ? " --exact" : "");
    wp_viewer_add_option(text, "-b", o->backend);
}

bool wp_solver_view_command(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_solver_view *s = v->solver;
    const struct wp_solver_shown *shown = &s->shown;
    if (shown->iterations == 0)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (no iteration was done)");
    wp_text_clear(text);
    wp_text_add(text, "wavepass reconstruct");
    wp_viewer_add_input(text, s->kspace);
    wp_viewer_add_option(text, "-m", v->params->reconstruct.mask);
    add_weights(text, &shown->weights);
    add_given(text, &v->params->reconstruct);
    if (!shown->ended || v->params->reconstruct.iterations > 0)
        add_count(text, "iterations", shown->iterations);
    wp_text_add(text, " -o image.npy%s",
                shown->marks > 0 ? " # this one continued from the image of other weights" : "");
    return true;
}

bool wp_solver_view_save(struct wp_viewer *v, const char *path, bool overwrite)
{
    struct wp_solver_view *s = v->solver;
    const struct wp_reconstruction_output output = {
        .path = path, .overwrite = overwrite,
        .slice = wp_solver_view_axis(v) == WP_Z ? v->state.cross[WP_Z] : -1};
    // The next frame resumes it.
    wp_solver_run_do(s->run, 0);
    wp_solver_run_wait(s->run);
    s->runs = false;
    return wp_reconstruction_check_output(&output, s->size[2]) &&
           wp_solver_run_write(s->run, &output);
}

static json_t *curve_facts(const struct wp_curve *curve)
{
    json_t *rows = json_array();
    for (int i = 0; i < curve->count; i++) {
        const struct wp_curve_point *p = &curve->point[i];
        json_array_append_new(rows, json_pack("{s:i, s:o, s:o}", "iteration", p->iteration,
                                              "residual", wp_json_number(p->residual), "psnr",
                                              wp_json_number(p->psnr)));
    }
    return rows;
}

json_t *wp_solver_view_facts(const struct wp_viewer *v)
{
    const struct wp_solver_view *s = v->solver;
    const struct wp_solver_shown *shown = &s->shown;
    return json_pack("{s:[i,i,i], s:i, s:i, s:b, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "size", s->size[0], s->size[1], s->size[2], "iterations", shown->iterations,
                     "most", shown->most, "ended", shown->ended, "marks", shown->marks, "form",
                     shown->form, "backend", shown->backend, "residual",
                     wp_json_number(shown->residual), "psnr", wp_json_number(shown->psnr), "ssim",
                     wp_json_number(shown->ssim), "zero_filled_psnr",
                     wp_json_number(s->zero_filled_psnr), "curve", curve_facts(&shown->curve),
                     "before", curve_facts(&shown->before));
}
