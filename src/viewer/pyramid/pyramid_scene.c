// The scene of a pyramid: files, control panel, status line and overview map.
#include "json_value.h"
#include "memory.h"
#include "panels.h"
#include "pyramid_canvas.h"
#include "save.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct wp_pyramid *pyramid_of(const struct wp_viewer *v)
{
    return &v->pyramid->status.info.pyramid;
}

// Opens the file of the parameters and computes the number of tiles from the memory limit, or from
// a default limit. Called before the window exists. False after an error.
static bool open_pyramid(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid = wp_xcalloc(1, sizeof *c);
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    c->least = c->most = NAN;
    c->run = wp_pyramid_run_open(v->params);
    if (!c->run)
        return false;
    wp_pyramid_run_get_status(c->run, &c->status);
    wp_pyramid_create_slots(v);
    return !v->params->memory_named || (double)c->bytes <= v->params->memory ||
           wp_fail(WP_ERROR_TOO_LARGE, "%s needs at least %s, more than --memory (%s)",
                   v->file[0].path, wp_format_bytes(needed, (double)c->bytes),
                   wp_format_bytes(given, v->params->memory));
}

static void close_pyramid(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    if (!c)
        return;
    v->pyramid = NULL;
    wp_pyramid_run_close(&c->run);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->requested);
    free(c);
}

// True if results are waiting for the next update.
static bool has_updates(struct wp_viewer *v)
{
    return wp_pyramid_run_has_updates(v->pyramid->run, &v->pyramid->status);
}

// True if all requested tiles are available or have failed.
static bool is_steady(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    return !c->status.making && (c->missing == 0 || !c->opened);
}

// ---- Start and files.

// Without a window everything is synchronous, so that scripts are deterministic: the first frame is
// complete, and its errors are errors of the command; with a script the transform of an image runs
// over several frames.
static bool start(struct wp_viewer *v)
{
    if (v->windowed) {
        wp_pyramid_run_start(v->pyramid->run);
        return true;
    }
    wp_pyramid_update(v);
    // Errors may come from reading a tile or from its upload.
    const enum wp_error reading = v->pyramid->status.kind;
    return (v->pyramid->fails == 0 && (v->tiles > 0 || v->pyramid->status.making)) ||
           wp_fail(reading ? reading : wp_last_error(), "%s", wp_text_get(&v->notice));
}

static void watch(struct wp_viewer *v)
{
    wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_CHECK);
}

static bool cancel(struct wp_viewer *v)
{
    const bool making = v->pyramid->status.making;
    if (making)
        wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_HALT);
    return making;
}

static void reload(struct wp_viewer *v)
{
    wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_REOPEN);
}

// ---- Control panel and status line.

// "1/4"; the text is valid until the next call.
static const char *level_text(int level)
{
    static char text[24];
    snprintf(text, sizeof text, level > 0 ? "1/%lld" : "full size", 1LL << level);
    return text;
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
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid_info *info = &c->status.info;
    wp_ui_begin_panel("controls", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_section("Image", true)) {
        wp_ui_label("File", "%s", wp_base_name(v->file[0].path));
        if (c->opened) {
            wp_ui_label("Size", "%dx%d", info->pyramid.width, info->pyramid.height);
            wp_ui_label("Planes", "%d", info->colours);
            wp_ui_label("Wavelet", "%s", info->wavelet);
            wp_ui_label("Levels", "%d", info->pyramid.stored);
        }
    }
    if (c->opened && wp_ui_section("Pyramid", true)) {
        wp_ui_label("Shown", "%s", level_text(c->level));
        wp_ui_tooltip("The finest level whose samples are at most a pixel wide, if it fits into "
                      "memory.");
        wp_ui_label("Pending", "%zu", c->missing);
        wp_ui_label("Memory", "%.0f of %.0f MiB", (double)wp_pyramid_used(v) / WP_MEBIBYTE,
                    (double)c->bytes / WP_MEBIBYTE);
        wp_ui_tooltip("Memory used by tiles, and the limit for tiles and reading (--memory).");
    }
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
    if (c->opened) {
        add_pixel(v, &text);
        wp_text_add(&text, "%dx%d   zoom %.3gx   shown at %s", pyramid_of(v)->width,
                    pyramid_of(v)->height, v->state.zoom, level_text(c->level));
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
    if (n->halted && !v->pyramid->opened)
        wp_canvas_label(x, y, WP_UI_WHITE, "stopped; Ctrl+R restarts");
    if (!n->making || width < 8 * em)
        return;
    const float part = n->rows > 0 ? (float)n->row / (float)n->rows : 0;
    wp_canvas_label(x, y, WP_UI_WHITE, "coefficients of all levels: %.0f %%", 100 * (double)part);
    wp_ui_draw_rect(x, y + 1.6F * em, width, 0.5F * em, WP_UI_BLACK, 0.62F);
    wp_ui_draw_rect(x, y + 1.6F * em, width * part, 0.5F * em, WP_UI_ACCENT, 1);
    wp_canvas_label(x, y + 2.4F * em, WP_UI_WHITE, "%.1f GB in a temporary file; Esc stops",
                    n->file / 1e9);
}

// Overview map in a corner, with the visible rectangle.
static void add_map(struct wp_viewer *v)
{
    const float em = wp_ui_em(), most = 11 * em;
    const struct wp_rect_f *c = &v->canvas;
    const float wide = (float)pyramid_of(v)->width, tall = (float)pyramid_of(v)->height;
    const float scale = most / fmaxf(wide, tall);
    double from[2], to[2];
    wp_pane_range(&v->pane[0], 0, from, to);
    const bool all = from[0] <= 0 && from[1] <= 0 && to[0] >= (double)wide && to[1] >= (double)tall;
    if (v->params->bare || all || c->width < 3 * most || c->height < 3 * most)
        return;
    // A tile of the last level has the complete image.
    const int tile = v->tiles, slot = wp_pyramid_slot(v->pyramid, (struct wp_pyramid_tile){
                                                            pyramid_of(v)->levels, 0, 0});
    if (slot >= 0)
        wp_pyramid_add_tile(v, slot);
    if (v->tiles == tile)
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
    float left, top, right, bottom;
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
    double x, y;
    if (v->panes < 2 || !wp_rect_has(&map->r, v->press_x, v->press_y))
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
    wp_pyramid_find_pixel(v);
    add_map(v);
}

// ---- Commands and facts.

// The command that transforms the image with the same parameters.
static void add_forward(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_transform_params *t = &v->params->transform;
    wp_text_add(text, "wavepass forward");
    wp_viewer_add_input(text, v->file[0].path);
    wp_viewer_add_read_options(v, text);
    wp_viewer_add_option(text, "-w", t->wavelet);
    wp_viewer_add_option(text, "--border", t->border);
    wp_viewer_add_option(text, "--norm", t->norm);
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
                     (json_int_t)wp_pyramid_used(v), "bytes", (json_int_t)c->bytes, "making",
                     (int)c->status.making, "row", c->status.row, "opened", (int)c->opened, "pixel",
                     pixel_facts(c));
}

const struct wp_scene wp_scene_pyramid = {
    .kind = WP_SCENE_PYRAMID, .open = open_pyramid, .start = start, .release = wp_pyramid_release,
    .close = close_pyramid, .watch = watch, .has_updates = has_updates, .is_steady = is_steady,
    .cancel = cancel, .reload = reload, .update = wp_pyramid_update, .left = show_controls,
    .status = show_status, .drag = drag_map, .overlay = overlay, .command = command, .save = save,
    .facts = facts,
};
