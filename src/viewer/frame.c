// Lays out and draws one frame: the canvas and the panels around it.
#include "actions.h"
#include "packet_view.h"
#include "panels.h"
#include "pass_bands.h"
#include "polyphase_state.h"
#include "save.h"

#include <math.h>
#include <string.h>

// ---- Panels. All sizes are in lines of text.
static const float LEAST_WINDOW[2] = {30, 20}; // for panels to be shown
static const float NARROWEST_CANVAS = 6;
static const float BOTTOM = 5.9F, LEAST_WITH_BOTTOM = 24, STATUS = 1.75F;
static const float EDGE = 0.5F;
static const float FOLDS_BELOW = 6;

// A collapsed panel.
static void show_strip(struct wp_viewer *v, struct wp_rect_f r, int right)
{
    wp_ui_begin_panel(right ? "right" : "left", r.x, r.y, r.width, r.height,
                      WP_UI_BAR | WP_UI_TIGHT);
    if (wp_ui_button(right ? "<###open" : ">###open"))
        wp_panel_layout_fold(v, right);
    wp_ui_tooltip(right ? "The inspector (F8)" : "The control panel (F7)");
    wp_ui_end_panel();
}

// The draggable border between a panel and the canvas.
static void show_edge(struct wp_viewer *v, struct wp_rect_f r, int right)
{
    const float em = wp_ui_em(), wide = EDGE * em;
    float x;
    const float middle = right ? r.x : r.x + r.width;
    if (!wp_ui_edge(right ? "right edge" : "left edge", middle - 0.5F * wide, r.y, wide, r.height,
                    &x))
        return;
    const double width = (double)((right ? r.x + r.width - x : x - r.x) / em);
    if (width < (double)FOLDS_BELOW)
        v->state.fold[right] = true;
    else
        v->state.side[right] = fmin(fmax(width, WP_NARROWEST), WP_WIDEST);
}

// Shows the panels around the canvas and reduces `canvas` to the remaining area. In narrow windows
// the right panel is collapsed first, then the left one; in low windows the bottom panel is hidden.
static void lay_out_panels(struct wp_viewer *v, struct wp_rect_f *canvas)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_scene *scene = v->scene;
    const float em = wp_ui_em(), width = canvas->width, top = canvas->y;
    if (width < LEAST_WINDOW[0] * em || canvas->height < LEAST_WINDOW[1] * em)
        return;
    wp_panel_layout_choose(v, width / em);
    const float status = STATUS * em, end = top + canvas->height;
    const bool has_bottom = scene->bottom && canvas->height >= LEAST_WITH_BOTTOM * em;
    const float bottom = has_bottom ? BOTTOM * em : 0, available = width - NARROWEST_CANVAS * em;
    float left = em * (v->folded[WP_LEFT] ? WP_STRIP : (float)s->side[WP_LEFT]);
    float right = em * (v->folded[WP_RIGHT] ? WP_STRIP : (float)s->side[WP_RIGHT]);
    right = scene->right ? right : 0;
    if (left + right > available) {
        const float shrink = available / (left + right);
        left = floorf(left * shrink);
        right = floorf(right * shrink);
    }
    canvas->height -= status + bottom;
    const struct wp_rect_f r[2] = {{0, top, left, canvas->height},
                                   {width - right, top, right, canvas->height}};
    canvas->x = left;
    canvas->width -= left + right;
    // In keyboard navigation order.
    if (v->folded[WP_LEFT])
        show_strip(v, r[WP_LEFT], WP_LEFT);
    else
        scene->left(v, r[WP_LEFT]);
    v->covered = s->large && scene->right;
    if (v->covered)
        scene->right(v, (struct wp_rect_f){left, top, width - left, canvas->height});
    else if (scene->right && v->folded[WP_RIGHT])
        show_strip(v, r[WP_RIGHT], WP_RIGHT);
    else if (scene->right)
        scene->right(v, r[WP_RIGHT]);
    if (has_bottom)
        scene->bottom(v, (struct wp_rect_f){0, end - status - bottom, width, bottom});
    scene->status(v, (struct wp_rect_f){0, end - status, width, status});
    if (!v->folded[WP_LEFT])
        show_edge(v, r[WP_LEFT], WP_LEFT);
    if (scene->right && !v->folded[WP_RIGHT] && !s->large)
        show_edge(v, r[WP_RIGHT], WP_RIGHT);
}

// ---- Labels on the polyphase planes between two passes.

// True if a label fits and leaves some of the tile visible.
static bool fits(float width, float height, const char *text)
{
    const float em = wp_ui_em();
    return wp_ui_text_width(text) + 1.2F * em <= width &&
           ((float)wp_lines_of(text) + 1.3F) * em <= height;
}

// Draws the full text if it fits, else as many lines of the brief text as fit.
static void label(const struct wp_pane *pane, const struct wp_tile *t, const char *full,
                  char *brief)
{
    float left, top, right, bottom;
    wp_pane_to_screen(pane, (double)t->x, (double)t->y, &left, &top);
    wp_pane_to_screen(pane, (double)(t->x + t->unit[0] * (float)t->width),
                      (double)(t->y + t->unit[1] * (float)t->height), &right, &bottom);
    const float width = right - left, height = bottom - top;
    const bool full_fits = fits(width, height, full);
    while (!full_fits && !fits(width, height, brief)) {
        char *last = strrchr(brief, '\n');
        if (!last)
            return;
        *last = '\0';
    }
    wp_canvas_label(floorf(left) + 3, floorf(top) + 3, WP_UI_WHITE, "%s", full_fits ? full : brief);
}

static void overlay_planes(struct wp_viewer *v)
{
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const struct wp_schedule *schedule =
        v->state.mode == WP_VIEW_PASS && !v->volume ? wp_viewer_schedule(v) : NULL;
    if (!schedule)
        return;
    const struct wp_rect_f *c = &v->canvas;
    wp_ui_clip(c->x, c->y, c->width, c->height);
    for (int i = 0; i < v->tiles; i++) {
        struct wp_tile *t = &v->tile[i];
        struct wp_text full = {0}, brief = {0};
        struct wp_pass_point point;
        if (wp_viewer_pass_point(v, &point)) {
            wp_pass_band_describe(&point, t->names, t->component, &full);
            wp_pass_band_describe(&point, t->names, t->component, &brief);
        } else if (t->component < WP_COMPONENTS) {
            const struct wp_polyphase_state state = wp_polyphase_state_after(
                schedule, direction, wp_pass_shown(&v->state), t->component);
            wp_polyphase_state_describe(&state, false, &full);
            wp_polyphase_state_describe(&state, true, &brief);
        } else {
            wp_text_add(&full, "quads, interleaved");
            wp_text_add(&brief, "quads");
        }
        if (brief.data)
            label(&v->pane[0], t, wp_text_get(&full), brief.data);
        wp_text_free(&full);
        wp_text_free(&brief);
    }
    wp_ui_unclip();
}

// ---- The frame.

static void draw_notice(struct wp_viewer *v)
{
    if (!v->notice.length || v->now > v->notice_until)
        return;
    const float em = wp_ui_em();
    const struct wp_rect_f *c = &v->canvas;
    const float width = fminf(c->width - 2 * em, 46 * em);
    if (width < 8 * em)
        return;
    const char *text = wp_text_get(&v->notice);
    const int lines = wp_lines_of(text) + (int)(wp_ui_text_width(text) / (width - 2 * em));
    const float height = fminf((float)lines * 1.2F * em + 1.6F * em, 0.6F * c->height);
    wp_ui_begin_panel("notice", c->x + 0.5F * (c->width - width), c->y + em, width, height,
                      WP_UI_POPUP);
    wp_ui_text((v->notice_level <= WP_LOG_WARNING ? WP_UI_WARNING : WP_UI_TEXT) | WP_UI_WRAPPED,
               "%s", text);
    wp_ui_end_panel();
}

static void lay_out(struct wp_viewer *v)
{
    const float width = (float)v->screen.width, height = (float)v->screen.height;
    struct wp_rect_f canvas = {0, 0, width, height};
    float menu = 0;
    const bool bare = v->params->bare || !v->state.panels;
    if (!v->params->bare)
        wp_panel_menu(v, &menu);
    canvas.y = menu;
    canvas.height -= menu;
    v->covered = false;
    if (!bare)
        lay_out_panels(v, &canvas);
    canvas.x = floorf(canvas.x);
    canvas.y = floorf(canvas.y);
    canvas.width = floorf(fmaxf(canvas.width, 1));
    canvas.height = floorf(fmaxf(canvas.height, 1));
    if (v->scene->kind == WP_SCENE_TRANSFORMS)
        wp_signal_lay_out(v, &canvas);
    wp_panes_lay_out(v, canvas);
    if (v->volume && !v->params->bare)
        wp_panel_slices(v);
}

static void advance(struct wp_viewer *v)
{
    static const double PASS_SECONDS = 0.7, FILE_SECONDS = 1.0 / 24;
    struct wp_view_state *s = &v->state;
    if (!s->playing || v->now < v->next_play)
        return;
    if (v->volume) { // the slice along the axis of the active pane, cyclically
        const int axis = wp_slices_axis(v), size = v->slices.size[axis];
        v->next_play = fmax(v->next_play + 1 / s->rate, v->now);
        s->cross[axis] = size > 0 ? (s->cross[axis] + 1) % size : s->cross[axis];
        return;
    }
    const bool passes = s->mode == WP_VIEW_PASS;
    v->next_play = v->now + (passes ? PASS_SECONDS : FILE_SECONDS);
    if (!passes) {
        s->playing = v->file_count > 0;
        wp_viewer_next(v, 1);
        return;
    }
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    s->op = schedule && s->op < schedule->op_count ? s->op + 1 : 0;
}

static void update(struct wp_viewer *v)
{
    advance(v);
    wp_viewer_update(v);
}

static void overlay(struct wp_viewer *v)
{
    const struct wp_rect_f *c = &v->canvas;
    wp_canvas_overlay(v);
    wp_packets_overlay(v);
    overlay_planes(v);
    wp_signal_draw(v);
    if (!v->ready[WP_A])
        wp_ui_draw_text(c->x + 0.5F * c->width, c->y + 0.5F * c->height, 0.5F, WP_UI_DIM,
                        wp_ui_em(), "Drop an image here, or press Ctrl+O");
}

// Errors in the first image are errors of the command.
static bool start(struct wp_viewer *v)
{
    v->strict = true;
    wp_clear_error();
    wp_viewer_update(v);
    v->strict = false;
    return v->file_count == 0 || v->ready[WP_A] || wp_last_error() != WP_ERROR_NONE
               ? v->file_count == 0 || v->ready[WP_A]
               : wp_fail(WP_ERROR_INTERNAL, "the image cannot be shown");
}

const struct wp_scene wp_scene_transforms = {
    .kind = WP_SCENE_TRANSFORMS, .start = start, .release = wp_viewer_release, .update = update,
    .left = wp_panel_controls, .right = wp_panel_inspector, .bottom = wp_panel_timeline,
    .status = wp_panel_status, .overlay = overlay, .command = wp_viewer_command,
    .save = wp_viewer_save_coefficients,
};

void wp_viewer_frame(struct wp_viewer *v)
{
    v->dirty = false;
    v->scene->update(v);
    wp_ui_begin_frame(v->screen.width, v->screen.height, (float)v->dt,
                      (enum wp_theme)v->state.theme, (float)v->state.ui_scale);
    lay_out(v);
    wp_canvas_hover(v);
    v->scene->overlay(v);
    draw_notice(v);
    wp_panel_popups(v);
    v->popup_opened = false;

    float background[3];
    wp_ui_get_colour(WP_UI_BACKGROUND, background);
    wp_screen_show(!v->hidden || v->screenshot[0]);
    wp_screen_begin(&v->screen, background);
    if (!v->covered)
        wp_canvas_draw(v);
    wp_screen_target(&v->screen);
    wp_ui_end_frame();
    wp_screen_show(true);
    v->dirty = v->dirty || (v->hidden && wp_ui_changed());
    v->frames_drawn++;
    v->drawn = v->state;
    if (v->screenshot[0]) {
        char path[sizeof v->screenshot];
        memcpy(path, v->screenshot, sizeof path);
        v->screenshot[0] = '\0';
        wp_viewer_catch(v);
        if (wp_viewer_save_screenshot(v, path, v->screenshot_window, false))
            wp_viewer_notice(v, WP_LOG_INFO, "wrote %s", path);
        wp_viewer_caught(v);
    }
}
