// Actions for files, texts, popups and panels.
#include "acts.h"

#include "save.h"
#include "sidecar.h"
#include "solver_view.h"
#include "view_shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const float LEAST_CANVAS = 18;

void wp_panel_layout_choose(struct wp_viewer *v, float width)
{
    const struct wp_view_state *s = &v->state;
    // A panel of its default width must leave enough space for the canvas.
    v->folded[WP_LEFT] = s->fold[WP_LEFT] || width - (float)WP_LEFT_WIDTH < LEAST_CANVAS;
    const float left = v->folded[WP_LEFT] ? WP_STRIP : (float)WP_LEFT_WIDTH;
    v->folded[WP_RIGHT] = s->fold[WP_RIGHT] || width - left - (float)WP_RIGHT_WIDTH < LEAST_CANVAS;
}

void wp_panel_layout_fold(struct wp_viewer *v, int panel)
{
    const bool opens = v->folded[panel];
    const float width = (float)v->screen.width / wp_ui_em();
    v->state.fold[panel] = !opens;
    wp_panel_layout_choose(v, width);
    if (opens && v->folded[panel])
        v->state.fold[!panel] = true;
    wp_panel_layout_choose(v, width);
}

void wp_act_copy_command(struct wp_viewer *v)
{
    struct wp_text text = {0};
    wp_viewer_catch(v);
    const bool ok = v->scene->command(v, &text);
    wp_viewer_caught(v);
    if (ok) {
        wp_viewer_copy(v, wp_text_get(&text));
        wp_viewer_notice(v, WP_LOG_INFO, "copied: %s", wp_text_get(&v->clipboard));
    }
    wp_text_free(&text);
}

void wp_act_copy_text(struct wp_viewer *v)
{
    struct wp_text text = {0};
    if (wp_listing_text(v, &text)) {
        wp_viewer_copy(v, wp_text_get(&text));
        wp_viewer_notice(v, WP_LOG_INFO, "copied: %s", wp_inspector_names[v->state.inspector]);
    } else {
        wp_viewer_notice(v, WP_LOG_WARNING, "only the Matrix and Shader tabs have text to copy");
    }
    wp_text_free(&text);
}

// Finds the first unused name; its sidecar path must be unused, too.
static void name_file(const char *ending, char *path, size_t size)
{
    bool exists = true;
    for (int number = 1; exists; number++) {
        snprintf(path, size, "wavepass-%03d.%s", number, ending);
        char *sidecar = wp_sidecar_path(path);
        exists = access(path, F_OK) == 0 || access(sidecar, F_OK) == 0;
        free(sidecar);
    }
}

void wp_act_screenshot(struct wp_viewer *v, int full_window)
{
    name_file("png", v->screenshot, sizeof v->screenshot);
    v->screenshot_window = full_window;
}

void wp_act_run_solver(struct wp_viewer *v)
{
    v->state.playing = !v->state.playing && !v->solver->shown.ended;
}

void wp_act_solver_axis(struct wp_viewer *v)
{
    const int axis = wp_slices_axis(v);
    v->state.pane = axis == WP_Z ? WP_PANE_Y : axis == WP_Y ? WP_PANE_X : WP_PANE_Z;
}

// Saves to an unused name.
static void save_to(struct wp_viewer *v, const char *ending,
                    bool (*save_as)(struct wp_viewer *v, const char *path, bool overwrite))
{
    const bool sidecar = save_as == wp_viewer_save_coefficients;
    char path[64];
    name_file(ending, path, sizeof path);
    wp_viewer_catch(v);
    if (save_as(v, path, false))
        wp_viewer_notice(v, WP_LOG_INFO, "wrote %s%s%s%s", path, sidecar ? " and " : "",
                         sidecar ? path : "", sidecar ? ".json" : "");
    wp_viewer_caught(v);
}

void wp_act_save(struct wp_viewer *v)
{
    save_to(v, "npy", v->scene->save);
}

void wp_act_save_diagram(struct wp_viewer *v)
{
    save_to(v, "svg", wp_viewer_save_diagram);
}

void wp_act_reload(struct wp_viewer *v)
{
    int count = 0;
    for (int ab = WP_A; ab <= WP_B; ab++)
        v->source[ab].stale = v->source[ab].file >= 0; // read again
    if (v->scene->reload)
        v->scene->reload(v);
    if (!v->params->shaders) {
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded");
        return;
    }
    wp_viewer_catch(v);
    if (wp_view_shaders_reload(v->gl, v->params->shaders, &count))
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded, %d shader%s changed", count, WP_PLURAL(count));
    wp_viewer_caught(v);
    wp_text_clear(&v->shader_error);
    wp_text_add(&v->shader_error, "%s", wp_text_get(&v->captured));
}

void wp_act_open_popup(struct wp_viewer *v, int popup)
{
    v->popup = v->popup == (enum wp_popup)popup ? WP_POPUP_NONE : (enum wp_popup)popup;
    v->popup_opened = true;
    v->typed[0] = '\0';
    v->choice = 0;
}

// Closes the topmost item. Lists and menus are handled before (input.c).
void wp_act_close_top(struct wp_viewer *v)
{
    if (v->popup != WP_POPUP_NONE)
        v->popup = WP_POPUP_NONE;
    else if (v->scene->cancel && v->scene->cancel(v))
        return;
    else if (v->notice.length)
        wp_text_clear(&v->notice);
    else if (v->state.large)
        v->state.large = false;
    else
        v->pinned = false;
}

void wp_act_full_screen(struct wp_viewer *v)
{
    v->full_screen = !v->full_screen;
    if (v->set_full_screen)
        v->set_full_screen(v, v->full_screen);
}

void wp_act_enter_panels(struct wp_viewer *v, int step)
{
    v->state.panels = true;
    wp_ui_enter(step);
}

void wp_act_scale_ui(struct wp_viewer *v, int step)
{
    v->state.ui_scale = fmin(fmax(v->state.ui_scale + 0.125 * step, 0.5), 4);
}

void wp_act_quit(struct wp_viewer *v)
{
    v->quit = true;
}
