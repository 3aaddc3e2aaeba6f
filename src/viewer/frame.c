// Lays out and draws one frame: the canvas and the panels around it.
#include "frame.h"

#include "canvas.h"
#include "layout.h"
#include "notice.h"
#include "panels.h"
#include "panes.h"
#include "planes.h"
#include "save.h"
#include "sources.h"
#include "update.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void draw_notice(struct wp_viewer *v)
{
    if (!v->notice.length || v->now > v->notice_until)
        return;
    const float em = wp_ui_em();
    const struct wp_rect_f *c = &v->canvas;
    const float width = fminf(c->width - 2 * em, 46 * em);
    if (width < 8 * em)
        return;
    int lines = 1;
    for (const char *t = wp_text_get(&v->notice); *t; t++)
        lines += *t == '\n';
    lines += (int)(wp_ui_text_width(wp_text_get(&v->notice)) / (width - 2 * em));
    const float height = fminf((float)lines * 1.2F * em + 1.6F * em, 0.6F * c->height);
    const bool error = v->notice_level == WP_LOG_ERROR;
    wp_ui_begin_panel("notice", c->x + 0.5F * (c->width - width), c->y + em, width, height,
                      WP_UI_POPUP);
    wp_ui_text_wrapped(error || v->notice_level == WP_LOG_WARNING ? WP_UI_WARNING : WP_UI_TEXT,
                       wp_text_get(&v->notice));
    wp_ui_end_panel();
}

static void draw_welcome(const struct wp_viewer *v)
{
    if (v->ready[WP_A])
        return;
    static const char text[] = "Drop an image here, or press Ctrl+O";
    const float x = v->canvas.x + 0.5F * (v->canvas.width - wp_ui_text_width(text));
    wp_ui_draw_text(x, v->canvas.y + 0.5F * v->canvas.height, WP_UI_DIM, wp_ui_em(), text);
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
        wp_layout_panels(v, &canvas);
    canvas.x = floorf(canvas.x);
    canvas.y = floorf(canvas.y);
    canvas.width = floorf(fmaxf(canvas.width, 1));
    canvas.height = floorf(fmaxf(canvas.height, 1));
    wp_panes_lay_out(v, canvas);
    if (v->volume && !v->params->bare)
        wp_panel_slices(v);
}

// Advances the slice along the axis of the active pane, cyclically.
static void play_slices(struct wp_viewer *v)
{
    const int axis = wp_slices_axis(v);
    const int size = v->slices.size[axis];
    v->next_play = fmax(v->next_play + 1 / v->state.rate, v->now);
    if (size > 0)
        v->state.cross[axis] = (v->state.cross[axis] + 1) % size;
}

static void advance(struct wp_viewer *v)
{
    static const double PASS_SECONDS = 0.7, FILE_SECONDS = 1.0 / 24;
    struct wp_view_state *s = &v->state;
    if (!s->playing || v->now < v->next_play)
        return;
    if (v->volume) {
        play_slices(v);
        return;
    }
    const bool passes = s->mode == WP_VIEW_PASS;
    v->next_play = v->now + (passes ? PASS_SECONDS : FILE_SECONDS);
    if (!passes) {
        s->playing = wp_viewer_next(v, 1);
        return;
    }
    const struct wp_schedule *schedule =
        v->ready[WP_A] ? wp_instance_schedule(&v->instance[WP_A], (enum wp_direction)s->direction)
                       : NULL;
    s->op = schedule && s->op < schedule->op_count ? s->op + 1 : 0;
}

static void update(struct wp_viewer *v)
{
    advance(v);
    wp_viewer_update(v);
}

static void overlay(struct wp_viewer *v)
{
    wp_canvas_overlay(v);
    wp_planes_overlay(v);
    draw_welcome(v);
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
    .kind = WP_SCENE_TRANSFORMS,
    .start = start,
    .release = wp_viewer_release,
    .update = update,
    .left = wp_panel_controls,
    .right = wp_panel_inspector,
    .bottom = wp_panel_timeline,
    .status = wp_panel_status,
    .overlay = overlay,
    .command = wp_viewer_command,
    .save = wp_viewer_save_coefficients,
};

void wp_viewer_frame(struct wp_viewer *v)
{
    v->dirty = false;
    v->scene->update(v);
    wp_ui_begin_frame(v->screen.width, v->screen.height, (float)v->dt,
                      (enum wp_theme)v->state.theme,
                      (float)v->state.ui_scale);
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
