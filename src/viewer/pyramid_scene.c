// The scene of a pyramid: control panel, status line and overview map.
#include "scene.h"

#include "canvas.h"
#include "json_value.h"
#include "notice.h"
#include "panels.h"
#include "panes.h"
#include "pyramid_canvas.h"
#include "save.h"
#include "tiles.h"
#include "viewer_struct.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

static const struct wp_pyramid *pyramid_of(const struct wp_viewer *v)
{
    return &v->pyramid->status.info.pyramid;
}

static const char *base_name(const struct wp_viewer *v)
{
    const char *path = v->file[0].path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- Start and files.

// Without a window the first frame is complete, and its errors are errors of the command; with a
// script the transform of an image runs over several frames.
static bool start(struct wp_viewer *v)
{
    wp_pyramid_canvas_start(v);
    if (v->windowed)
        return true;
    wp_pyramid_canvas_update(v);
    // Errors may come from reading a tile or from its upload.
    const enum wp_error reading = v->pyramid->status.kind;
    return (v->pyramid->fails == 0 && (v->tiles > 0 || v->pyramid->status.making)) ||
           wp_fail(reading ? reading : wp_last_error(), "%s", wp_text_get(&v->notice));
}

static void watch(struct wp_viewer *v)
{
    wp_pyramid_run_check(v->pyramid->run);
}

static bool cancel(struct wp_viewer *v)
{
    const bool making = v->pyramid->status.making;
    if (making)
        wp_pyramid_run_halt(v->pyramid->run);
    return making;
}

static void reload(struct wp_viewer *v)
{
    wp_pyramid_run_reopen(v->pyramid->run);
}

// ---- Control panel and status line.

static void size_text(const struct wp_viewer *v, char *text, size_t size)
{
    snprintf(text, size, "%dx%d", pyramid_of(v)->width, pyramid_of(v)->height);
}

static void level_text(int level, char *text, size_t size)
{
    snprintf(text, size, level > 0 ? "1/%lld" : "full size", 1LL << level);
}

static void controls_image(struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    char text[96];
    wp_ui_label("File", base_name(v));
    if (!c->opened)
        return;
    size_text(v, text, sizeof text);
    wp_ui_label("Size", text);
    snprintf(text, sizeof text, "%d", c->status.info.colours);
    wp_ui_label("Planes", text);
    wp_ui_label("Wavelet", c->status.info.wavelet);
    snprintf(text, sizeof text, "%d", pyramid_of(v)->stored);
    wp_ui_label("Levels", text);
}

static void controls_pyramid(struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    char text[96];
    level_text(c->level, text, sizeof text);
    wp_ui_label("Shown", text);
    wp_ui_tooltip("The finest level whose samples are at most a pixel wide, if it fits into "
                  "memory.");
    snprintf(text, sizeof text, "%zu", c->missing);
    wp_ui_label("Pending", text);
    snprintf(text, sizeof text, "%.0f of %.0f MiB",
             (double)wp_pyramid_canvas_used(v) / MEBIBYTE, (double)c->bytes / MEBIBYTE);
    wp_ui_label("Memory", text);
    wp_ui_tooltip("Memory used by tiles, and the limit for tiles and reading (--memory).");
}

static void controls_display(struct wp_viewer *v)
{
    static const char *const ranges[] = {"of the image", "0 to 1"};
    struct wp_view_state *s = &v->state;
    if (v->source[WP_A].colours > 1)
        wp_panel_channel(v);
    if (v->tiles > 0 && v->tile[0].planes > 1)
        wp_ui_label("Color map", "red, green, blue");
    else
        wp_ui_combo("Color map", &s->map, wp_view_map_names, WP_MAPS);
    int fixed = s->range == WP_RANGE_FIXED;
    if (wp_ui_combo("Range", &fixed, ranges, 2))
        s->range = fixed ? WP_RANGE_FIXED : WP_RANGE_BAND;
    wp_panel_display(s);
}

static void show_controls(struct wp_viewer *v, struct wp_rect_f r)
{
    wp_ui_begin_panel("controls", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_section("Image", true))
        controls_image(v);
    if (v->pyramid->opened && wp_ui_section("Pyramid", true))
        controls_pyramid(v);
    if (wp_ui_section("Display", true))
        controls_display(v);
    wp_ui_end_panel();
}

static void add_pixel(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    if (!c->has_pixel)
        return;
    wp_text_add(text, "x %d  y %d", c->pixel[0], c->pixel[1]);
    for (int p = 0; p < c->pixel_planes; p++)
        wp_text_add(text, "%s%.6g", p ? ", " : " = ", (double)c->pixel_value[p]);
    if (c->pixel_planes > 0 && c->pixel_level > 0)
        wp_text_add(text, " at 1/%lld", 1LL << c->pixel_level);
    wp_text_add(text, "   ");
}

static void show_status(struct wp_viewer *v, struct wp_rect_f r)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    struct wp_text text = {0};
    char size[48], level[24];
    if (c->opened) {
        size_text(v, size, sizeof size);
        level_text(c->level, level, sizeof level);
        add_pixel(v, &text);
        wp_text_add(&text, "%s   zoom %.3gx   shown at %s", size, v->state.zoom, level);
        if (c->missing > 0)
            wp_text_add(&text, ", %zu tile%s pending", c->missing, WP_PLURAL(c->missing));
    }
    wp_panel_status_line(r, wp_text_get(&text));
    wp_text_free(&text);
}

// ---- Overlay.

static void draw_progress(const struct wp_viewer *v)
{
    const struct wp_pyramid_status *n = &v->pyramid->status;
    const struct wp_rect_f *c = &v->canvas;
    const float em = wp_ui_em(), width = fminf(30 * em, c->width - 2 * em);
    const float x = c->x + 0.5F * (c->width - width), y = c->y + 0.5F * c->height - 2 * em;
    char text[160];
    if (n->halted && !v->pyramid->opened)
        wp_canvas_label(x, y, WP_UI_WHITE, "stopped; Ctrl+R restarts");
    if (!n->making || width < 8 * em)
        return;
    const float part = n->rows > 0 ? (float)n->row / (float)n->rows : 0;
    snprintf(text, sizeof text, "coefficients of all levels: %.0f %%", 100 * (double)part);
    wp_canvas_label(x, y, WP_UI_WHITE, text);
    wp_ui_draw_rect(x, y + 1.6F * em, width, 0.5F * em, WP_UI_BLACK, 0.62F);
    wp_ui_draw_rect(x, y + 1.6F * em, width * part, 0.5F * em, WP_UI_ACCENT, 1);
    snprintf(text, sizeof text, "%.1f GB in a temporary file; Esc stops", n->file / 1e9);
    wp_canvas_label(x, y + 2.4F * em, WP_UI_WHITE, text);
}

static bool shows_all(const struct wp_viewer *v)
{
    double from[2], to[2];
    wp_pane_range(&v->pane[0], 0, from, to);
    return from[0] <= 0 && from[1] <= 0 && to[0] >= pyramid_of(v)->width &&
           to[1] >= pyramid_of(v)->height;
}

// Overview map in a corner, with the visible rectangle.
static void add_map(struct wp_viewer *v)
{
    const float em = wp_ui_em(), most = 11 * em;
    const struct wp_rect_f *c = &v->canvas;
    const float wide = (float)pyramid_of(v)->width, tall = (float)pyramid_of(v)->height;
    const float scale = most / fmaxf(wide, tall);
    if (v->params->bare || shows_all(v) || c->width < 3 * most || c->height < 3 * most)
        return;
    const int tile = wp_pyramid_canvas_add_all(v);
    if (tile < 0)
        return;
    struct wp_pane *pane = &v->pane[1], *main = &v->pane[0];
    *pane = *main;
    pane->r.width = floorf(fmaxf(wide * scale, em));
    pane->r.height = floorf(fmaxf(tall * scale, em));
    pane->r.x = floorf(c->x + c->width - pane->r.width - em);
    pane->r.y = floorf(c->y + c->height - pane->r.height - em);
    pane->first = tile;
    pane->tiles = 1;
    pane->independent = true;
    pane->x = 0.5 * (double)wide;
    pane->y = 0.5 * (double)tall;
    pane->zoom = (double)scale;
    v->panes = 2;
    double from[2], to[2];
    float left, top, right, bottom;
    wp_pane_range(main, 0, from, to);
    wp_pane_to_screen(pane, fmax(from[0], 0), fmax(from[1], 0), &left, &top);
    wp_pane_to_screen(pane, fmin(to[0], (double)wide), fmin(to[1], (double)tall), &right, &bottom);
    wp_ui_draw_frame(pane->r.x - 1, pane->r.y - 1, pane->r.width + 2, pane->r.height + 2,
                     WP_UI_LINE, 1);
    if (right > left && bottom > top)
        wp_ui_draw_frame(left - 1, top - 1, fmaxf(right - left, 2) + 2,
                         fmaxf(bottom - top, 2) + 2, WP_UI_WARNING, 2);
}

// Dragging on the map centers the view on the pointer.
static bool drag_map(struct wp_viewer *v)
{
    const struct wp_pane *map = &v->pane[1];
    const struct wp_rect_f *r = &map->r;
    double x, y;
    if (v->panes < 2 || v->press_x < r->x || v->press_y < r->y ||
        v->press_x >= r->x + r->width || v->press_y >= r->y + r->height)
        return false;
    wp_pane_to_view(map, v->mouse_x, v->mouse_y, &x, &y);
    v->state.x = fmin(fmax(x, 0), pyramid_of(v)->width);
    v->state.y = fmin(fmax(y, 0), pyramid_of(v)->height);
    v->state.fit = false;
    return true;
}

static void overlay(struct wp_viewer *v)
{
    wp_canvas_overlay(v);
    draw_progress(v);
    if (!v->pyramid->opened)
        return;
    wp_pyramid_canvas_find_pixel(v);
    add_map(v);
}

// ---- Commands and facts.

static void add_option(struct wp_text *text, const char *option, const char *value)
{
    if (!value)
        return;
    wp_text_add(text, " %s", option);
    wp_viewer_add_word(text, value);
}

// The command that transforms the image with the same parameters.
static void add_forward(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_transform_params *t = &v->params->transform;
    wp_text_add(text, "wavepass forward");
    wp_viewer_add_input(text, v->file[0].path);
    wp_viewer_add_read_options(v, text);
    add_option(text, "-w", t->wavelet);
    add_option(text, "--border", t->border);
    add_option(text, "--norm", t->norm);
    wp_text_add(text, " -l %d --tile %d -o c.tiff && ", pyramid_of(v)->stored, WP_PYRAMID_TILE);
}

static bool command(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = pyramid_of(v);
    double from[2], to[2];
    if (!c->opened || c->level > p->stored)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (the coefficients go down to 1/%lld)",
                       1LL << p->stored);
    wp_pane_range(&v->pane[0], 0.5F, from, to);
    const int x = wp_pyramid_sample(p, c->level, p->width, from[0]);
    const int y = wp_pyramid_sample(p, c->level, p->height, from[1]);
    const bool transformed = v->params->pyramid == WP_PYRAMID_IMAGE;
    wp_text_clear(text);
    if (transformed)
        add_forward(v, text);
    wp_text_add(text, "wavepass inverse");
    wp_viewer_add_input(text, transformed ? "c.tiff" : v->file[0].path);
    wp_text_add(text, " --region %d,%d,%d,%d --level %d -o part.npy", x, y,
                wp_pyramid_sample(p, c->level, p->width, to[0]) - x + 1,
                wp_pyramid_sample(p, c->level, p->height, to[1]) - y + 1, c->level);
    return true;
}

static bool save(struct wp_viewer *v, const char *path, bool overwrite)
{
    (void)v, (void)path, (void)overwrite;
    return wp_fail(WP_ERROR_USAGE, "an image in tiles cannot be saved; K copies the command for "
                                   "the visible part");
}

static json_t *pixel_facts(const struct wp_pyramid_canvas *c)
{
    if (!c->has_pixel)
        return json_null();
    json_t *values = json_array();
    for (int i = 0; i < c->pixel_planes; i++)
        json_array_append_new(values, wp_json_number((double)c->pixel_value[i]));
    return json_pack("{s:i, s:i, s:i, s:o}", "x", c->pixel[0], "y", c->pixel[1], "level",
                     c->pixel_level, "values", values);
}

static json_t *facts(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = pyramid_of(v);
    return json_pack("{s:[i,i], s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:b, s:i, s:i, s:o}",
                     "size", p->width, p->height, "levels", p->levels, "stored", p->stored, "level",
                     c->level, "missing", (json_int_t)c->missing, "reads", (json_int_t)c->reads,
                     "fails", (json_int_t)c->fails, "used",
                     (json_int_t)wp_pyramid_canvas_used(v), "bytes", (json_int_t)c->bytes, "making",
                     (int)c->status.making, "row", c->status.row, "opened", (int)c->opened, "pixel",
                     pixel_facts(c));
}

const struct wp_scene wp_scene_pyramid = {
    .kind = WP_SCENE_PYRAMID,
    .open = wp_pyramid_canvas_open,
    .start = start,
    .release = wp_pyramid_canvas_release,
    .close = wp_pyramid_canvas_close,
    .watch = watch,
    .has_updates = wp_pyramid_canvas_has_updates,
    .is_steady = wp_pyramid_canvas_is_steady,
    .cancel = cancel,
    .reload = reload,
    .update = wp_pyramid_canvas_update,
    .left = show_controls,
    .status = show_status,
    .drag = drag_map,
    .overlay = overlay,
    .command = command,
    .save = save,
    .facts = facts,
};
