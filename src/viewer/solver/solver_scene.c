// The scene of a reconstruction: control panel, curves and captions.
#include "json_value.h"
#include "panels.h"
#include "save.h"
#include "solver_view.h"
#include "words.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct wp_reconstruction *reconstruction_of(const struct wp_viewer *v)
{
    return wp_solver_run_info(v->solver->run);
}

// ---- Control panel.

static void show_number(const char *label, const char *format, double value)
{
    if (isfinite(value))
        wp_ui_label(label, format, value);
}

static void controls_solver(struct wp_viewer *v)
{
    const struct wp_solver_shown *shown = &v->solver->shown;
    wp_panel_button(v, v->state.playing ? "Pause###run" : "Run###run", "run");
    wp_ui_same_line();
    wp_panel_button(v, "Step", "iterate");
    wp_ui_tooltip("One iteration.");
    wp_ui_same_line();
    wp_panel_button(v, "Restart", "restart");
    wp_ui_check("Continue", &v->state.keep);
    wp_ui_tooltip("New weights continue from the current image, not from zeros.");
    wp_ui_label("Iteration", "%d of %d%s", shown->iterations, shown->most,
                shown->ended ? ", done" : "");
    show_number("Residual", "%.4g", shown->residual);
    show_number("PSNR", "%.2f dB", shown->psnr);
    if (shown->ssim_after == shown->iterations)
        show_number("SSIM", "%.4f", shown->ssim);
    if (v->state.times && shown->seconds > 0)
        show_number("Time", "%.3g ms", 1e3 * shown->seconds);
    wp_ui_label("Backend", "%s", shown->backend);
}

static void controls_weights(struct wp_viewer *v)
{
    struct wp_weights *w = &v->state.weights;
    wp_panel_slide("TV", &w->tv, 0, 10, true, "%.3g");
    wp_ui_tooltip("Weight of total variation, for images with a peak of about 1.");
    wp_panel_slide("Wav", &w->wav, 0, 10, true, "%.3g");
    wp_ui_tooltip("Weight of the wavelet L1 norm.");
    wp_panel_wavelet(v, WP_A);
    wp_ui_slide_int("Levels", &v->state.levels, 1, 8);
    wp_panel_slide("Mu", &w->mu, 1, 10000, true, "%.4g");
    wp_ui_tooltip("Penalty of the data.");
    wp_panel_slide("Lambda", &w->lambda, 1, 10000, true, "%.4g");
    wp_ui_tooltip("Penalty of total variation.");
    bool automatic = w->gamma == 0;
    if (wp_ui_check("Gamma is 100 Wav", &automatic))
        w->gamma = automatic ? 0 : 100 * fmax(w->wav, 0.01);
    if (!automatic)
        wp_panel_slide("Gamma", &w->gamma, 0.1F, 10000, true, "%.4g");
    wp_ui_tooltip("Penalty of the wavelet.");
}

static void show_controls(struct wp_viewer *v, struct wp_rect_f r)
{
    static const int pane_of_axis[WP_DIMS_MAX] = {WP_PANE_X, WP_PANE_Y, WP_PANE_Z};
    int axis = wp_slices_axis(v);
    wp_ui_begin_panel("controls", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_section("Solver", true))
        controls_solver(v);
    if (wp_ui_section("Weights", true))
        controls_weights(v);
    if (v->slices.size[WP_Z] > 1 && wp_ui_section("Slices", true)) {
        if (wp_ui_combo("Along", &axis, wp_axis_words, WP_DIMS_MAX))
            v->state.pane = pane_of_axis[axis];
        wp_ui_slide_int("Slice", &v->state.cross[axis], 0, v->slices.size[axis] - 1);
    }
    if (wp_ui_section("Display", true)) {
        wp_ui_combo("Color map", &v->state.map, wp_view_map_names, WP_MAPS);
        wp_panel_display(&v->state);
    }
    wp_ui_end_panel();
}

// Appends "z 5", or in k-space, whose zero frequency is in the center, "kz -3".
static void add_position(const struct wp_viewer *v, int pane, int axis, int at,
                         struct wp_text *text)
{
    const bool k = pane < WP_SOLVER_CURVE;
    wp_text_add(text, "%s%s%s %d", text->length ? "  " : "", k ? "k" : "", wp_axis_words[axis],
                k ? at - v->slices.size[axis] / 2 : at);
}

static void add_pixel(const struct wp_viewer *v, struct wp_text *text)
{
    if (v->hover_tile < 0)
        return;
    const struct wp_orientation *f = &v->pane[v->hover_pane].orientation;
    add_position(v, v->hover_pane, f->across, v->hover_px, text);
    add_position(v, v->hover_pane, f->down, v->hover_py, text);
    wp_text_add(text, " = %.6g   ", (double)v->hover_value[WP_A][0][0]);
}

static void show_status(struct wp_viewer *v, struct wp_rect_f r)
{
    const struct wp_solver_view *s = v->solver;
    struct wp_text text = {0};
    char size[WP_SIZE_TEXT];
    add_pixel(v, &text);
    wp_text_add(&text, "%s   1 of %.2f samples   zoom %.3gx   wavelet as %s",
                wp_size_text(size, v->slices.size), wp_mask_rate(reconstruction_of(v)->mask),
                v->state.zoom, s->shown.form);
    wp_panel_status_line(r, wp_text_get(&text));
    wp_text_free(&text);
}

// ---- Curves.

// A chart of one quantity.
struct chart {
    struct wp_rect_f r;
    bool powers;        // the logarithm of the residual, else PSNR
    double least, most; // range of the values
    int last;           // iteration at the right edge
};

static double value_of(const struct chart *c, const struct wp_curve_point *point)
{
    return !c->powers ? point->psnr : point->residual > 0 ? log10(point->residual) : NAN;
}

static void widen(struct chart *chart, const struct wp_curve *curve)
{
    for (int i = 0; i < curve->count; i++) {
        const double value = value_of(chart, &curve->point[i]);
        if (!isfinite(value))
            continue;
        chart->least = fmin(chart->least, value);
        chart->most = fmax(chart->most, value);
    }
    if (curve->count > 0)
        chart->last = curve->point[curve->count - 1].iteration > chart->last
                          ? curve->point[curve->count - 1].iteration : chart->last;
}

// A power of two, so that the axis changes rarely.
static int axis_end(int last, int most)
{
    int end = 32;
    while (end < last)
        end *= 2;
    return last <= most && end > most && most > 0 ? most : end;
}

static float chart_x(const struct chart *c, int iteration)
{
    return c->r.x + c->r.width * (float)iteration / (float)c->last;
}

// Draws at most about one line per pixel.
static void draw_curve(const struct chart *c, const struct wp_curve *curve,
                       enum wp_ui_colour colour, float thickness)
{
    const int step = curve->count / (int)fmaxf(c->r.width, 1) + 1;
    float x0 = 0, y0 = 0;
    bool begun = false;
    for (int i = 0; i < curve->count; i += i + step < curve->count || i == curve->count - 1
                                                ? step : curve->count - 1 - i) {
        const double value = value_of(c, &curve->point[i]);
        if (!isfinite(value))
            continue;
        const float x = chart_x(c, curve->point[i].iteration);
        const float y =
            c->r.y + c->r.height * (float)(1 - (value - c->least) / (c->most - c->least));
        if (begun)
            wp_ui_draw_line(x0, y0, x, y, colour, thickness);
        else
            wp_ui_draw_circle(x, y, thickness, colour, true);
        begun = true;
        x0 = x;
        y0 = y;
    }
    if (begun)
        wp_ui_draw_circle(x0, y0, 2 * thickness, colour, true);
}

static void draw_chart(const struct wp_viewer *v, struct chart *c, const char *name,
                       const char *format)
{
    const struct wp_solver_shown *shown = &v->solver->shown;
    const float em = wp_ui_em(), small = 0.85F * em;
    c->least = INFINITY;
    c->most = -INFINITY;
    c->last = 0;
    widen(c, &shown->curve);
    widen(c, &shown->before);
    c->last = axis_end(c->last, shown->most);
    wp_ui_draw_frame(c->r.x, c->r.y, c->r.width, c->r.height, WP_UI_LINE, 1);
    if (c->least <= c->most) {
        const double margin = fmax(0.05 * (c->most - c->least), 1e-3);
        const double ends[2] = {c->most, c->least};
        c->least -= margin;
        c->most += margin;
        for (int i = 0; i < shown->marks; i++) {
            const float x = chart_x(c, shown->mark[i]);
            wp_ui_draw_line(x, c->r.y, x, c->r.y + c->r.height, WP_UI_LINE, 1);
        }
        draw_curve(c, &shown->before, WP_UI_DIM, 1);
        draw_curve(c, &shown->curve, WP_UI_ACCENT, 1.75F);
        for (int i = 0; i < 2; i++) {
            wp_ui_draw_text(c->r.x + c->r.width - 0.3F * em,
                            i ? c->r.y + c->r.height - 1.1F * em : c->r.y + 0.1F * em, 1,
                            WP_UI_DIM, small, format, c->powers ? pow(10, ends[i]) : ends[i]);
        }
    }
    // In the corner opposite to the start of the curve: PSNR rises, residuals fall.
    wp_ui_draw_text(c->r.x + 0.35F * em,
                    c->powers ? c->r.y + c->r.height - 1.1F * em : c->r.y + 0.1F * em, 0,
                    WP_UI_TEXT, small, "%s", name);
}

static void draw_charts(const struct wp_viewer *v, const struct wp_rect_f *r)
{
    const float em = wp_ui_em(), margin = 0.6F * em, below = 1.4F * em;
    const bool measured = reconstruction_of(v)->truth != NULL;
    const float height = (r->height - 2 * margin - below) / (measured ? 2 : 1);
    struct chart chart = {{r->x + margin, r->y + margin, r->width - 2 * margin, height - 3},
                          .powers = false};
    if (height < 3 * em || r->width < 8 * em)
        return;
    wp_ui_draw_rect(r->x, r->y, r->width, r->height, WP_UI_PANEL, 1);
    if (measured) {
        draw_chart(v, &chart, "PSNR in dB", "%.2f");
        chart.r.y += height;
    }
    chart.powers = true;
    draw_chart(v, &chart, "residual |K u - f|", "%.3g");
    const float y = r->y + r->height - below - 0.3F * em;
    wp_ui_draw_text(r->x + margin, y, 0, WP_UI_DIM, 0.85F * em, "iteration 0");
    wp_ui_draw_text(r->x + r->width - margin, y, 1, WP_UI_DIM, 0.85F * em, "%d", chart.last);
}

// ---- Captions.

static void name_pane(const struct wp_viewer *v, int pane, struct wp_text *text)
{
    const struct wp_solver_view *s = v->solver;
    const struct wp_solver_shown *shown = &s->shown;
    const bool volume = v->slices.size[WP_Z] > 1, measured = reconstruction_of(v)->truth != NULL;
    switch ((enum wp_solver_pane)pane) {
    case WP_SOLVER_KSPACE:
        wp_text_add(text, "k-space, four decades");
        break;
    case WP_SOLVER_MASK:
        wp_text_add(text, "mask, 1 of %.2f", wp_mask_rate(reconstruction_of(v)->mask));
        break;
    case WP_SOLVER_ZERO_FILLED:
        wp_text_add(text, "zero-filled");
        if (measured)
            wp_text_add(text, "  %.2f dB", s->zero_filled_psnr);
        break;
    case WP_SOLVER_RESULT:
        wp_text_add(text, "after %d", shown->iterations);
        if (isfinite(shown->psnr))
            wp_text_add(text, "  %.2f dB", shown->psnr);
        break;
    case WP_SOLVER_ERROR:
        if (measured)
            wp_text_add(text, "error, ±%.2g", (double)s->error / v->state.gain);
        break;
    case WP_SOLVER_CURVE:
    case WP_SOLVER_PANES:
        break;
    }
    const int axis = v->pane[pane].orientation.axis;
    if (volume && text->length)
        add_position(v, pane, axis, v->state.cross[axis], text);
}

// Shortens a caption to a width; its parts are separated by a comma or two spaces.
static void shorten(struct wp_text *name, float width)
{
    while (name->length > 0 && wp_ui_text_width(wp_text_get(name)) > width) {
        size_t end = name->length - 1;
        while (end > 0 && strncmp(name->data + end, ", ", 2) != 0 &&
               strncmp(name->data + end, "  ", 2) != 0)
            end--;
        if (end == 0)
            return;
        name->data[end] = '\0';
        name->length = end;
    }
}

static void overlay(struct wp_viewer *v)
{
    const float em = wp_ui_em();
    wp_canvas_overlay(v);
    for (int p = 0; p < WP_SOLVER_PANES; p++) {
        const struct wp_rect_f *r = &v->pane[p].r;
        struct wp_text name = {0};
        wp_ui_clip(r->x, r->y, r->width, r->height);
        name_pane(v, p, &name);
        shorten(&name, r->width - 1.3F * em);
        if (p == WP_SOLVER_CURVE)
            draw_charts(v, r);
        else if (name.length)
            wp_canvas_label(r->x + 0.3F * em, r->y + 0.3F * em, WP_UI_WHITE, "%s",
                            wp_text_get(&name));
        else
            wp_ui_draw_text(r->x + 0.5F * r->width, r->y + 0.5F * r->height, 0.5F, WP_UI_DIM, em,
                            "--truth FILE shows the error");
        wp_ui_unclip();
        wp_text_free(&name);
    }
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

static bool command(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_solver_shown *shown = &v->solver->shown;
    if (shown->iterations == 0)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (no iteration was done)");
    wp_text_add(text, "wavepass reconstruct");
    wp_viewer_add_input(text, v->params->kspace);
    wp_viewer_add_option(text, "-m", v->params->reconstruct.mask);
    add_weights(text, &shown->weights);
    add_given(text, &v->params->reconstruct);
    if (!shown->ended || v->params->reconstruct.iterations > 0)
        add_count(text, "iterations", shown->iterations);
    wp_text_add(text, " -o image.npy%s",
                shown->marks > 0 ? " # this one continued from the image of other weights" : "");
    return true;
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

static json_t *facts(const struct wp_viewer *v)
{
    const struct wp_solver_view *s = v->solver;
    const struct wp_solver_shown *shown = &s->shown;
    const int *size = v->slices.size;
    return json_pack("{s:[i,i,i], s:i, s:i, s:b, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "size", size[0], size[1], size[2], "iterations", shown->iterations,
                     "most", shown->most, "ended", shown->ended, "marks", shown->marks, "form",
                     shown->form, "backend", shown->backend, "residual",
                     wp_json_number(shown->residual), "psnr", wp_json_number(shown->psnr), "ssim",
                     wp_json_number(shown->ssim), "zero_filled_psnr",
                     wp_json_number(s->zero_filled_psnr), "curve", curve_facts(&shown->curve),
                     "before", curve_facts(&shown->before));
}

const struct wp_scene wp_scene_solver = {
    .kind = WP_SCENE_SOLVER, .open = wp_solver_view_open, .start = wp_solver_view_start,
    .release = wp_solver_view_release, .close = wp_solver_view_close,
    .is_steady = wp_solver_view_is_steady, .update = wp_solver_view_update, .left = show_controls,
    .status = show_status, .overlay = overlay, .command = command,
    .save = wp_solver_view_save, .facts = facts,
};
